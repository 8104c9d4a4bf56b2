// Where everything lies: tensors, buffers of weights and rolling buffers in the arena, constants and coded weights
// behind each other.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "plan/npu/costs.h"
#include "plan/npu/schedule/live.h"

namespace dse::plan::npu {

struct Places {
  std::vector<std::int64_t> tensor;  // offset by tensor, in the memory where it lies; -1: nowhere
  std::map<std::pair<int, int>, std::int64_t> weights_in_fast;  // by operation and buffer
  std::vector<std::int64_t> stream;  // of an operation's coded weights among the constants; -1: none
  std::vector<std::int64_t> table;   // of an operation's activation table; -1: none
  std::int64_t fast_bytes = 0;       // of the arena in the fast memory
  std::int64_t other_bytes = 0;      // of the arena of feature maps, where that is another memory
  std::int64_t constant_bytes = 0;   // weights, tables, constants
};

/// Feature maps that lie in the other memory, from their first operation to their last.
std::vector<LiveRange> ranges_elsewhere(const Costs& costs, const Schedule& schedule);

/// @throws InvariantError when the allocator finds no place.
Places place(const Costs& costs, Schedule& schedule);

}  // namespace dse::plan::npu
