// What no schedule of a graph is below.
#pragma once
#include "plan/npu/costs.h"

namespace dse::plan::npu {

struct Least {
  std::int64_t cycles = 0;  // of all invocations: the multipliers' or the output unit's, which work one after the other
  std::int64_t bytes = 0;   // of the fast memory: the largest operation whose tensors must be whole
};
Least least_of(const Costs& costs);

}  // namespace dse::plan::npu
