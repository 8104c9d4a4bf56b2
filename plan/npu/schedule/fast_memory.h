// Which feature maps lie in the NPU's own memory where all others lie behind the second port (Dedicated_Sram).
#pragma once
#include "plan/npu/costs.h"

namespace dse::plan::npu {

/// Gives `limit` bytes to the tensors that are accessed most, by the rule of Vela 3.10, and measures the usage.
void use_fast_memory(Costs& costs, Schedule& schedule, std::int64_t limit);

}  // namespace dse::plan::npu
