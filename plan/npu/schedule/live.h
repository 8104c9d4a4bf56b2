// What lies in the fast memory when: tensors from the first operation that touches them to the last, buffers of
// weights, rolling buffers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/npu/costs.h"

namespace dse::plan::npu {

/// Bytes that one or more tensors share, first and last time included.
struct LiveRange {
  std::string name;
  int first = 0, last = -1;
  std::int64_t bytes = 0;
  std::vector<int> tensors;  // empty: a buffer of weights
  int weights_of = -1, buffer = 0;
};

/// Numbers the operations' times and lists what is live.
std::vector<LiveRange> live_ranges(const Costs& costs, Schedule& schedule);

/// The same, summed up by time into `schedule.usage`.
void measure_usage(const Costs& costs, Schedule& schedule);

/// The operand that an operation's output can lie in place of: element by element, same bytes, read by nobody else. -1:
/// none.
int in_place_of(const Costs& costs, int operation);

}  // namespace dse::plan::npu
