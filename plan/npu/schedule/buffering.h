// Where weights are read: in place, or brought into the fast memory, whole or in slices, as far ahead as what runs
// before allows.
#pragma once
#include "plan/npu/costs.h"

namespace dse::plan::npu {

/// The schedule with weights staged, by the rule of Vela 3.10 (ethosu/vela/scheduler.py). `first`, `last`: of the
/// operations that are looked at. `limit`: bytes of the fast memory.
Schedule stage_weights(Costs& costs, const Schedule& from, int first, int last, std::int64_t limit);

}  // namespace dse::plan::npu
