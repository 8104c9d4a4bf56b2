// Whether a layout is one: by the definition only, without anything that the planners of plan/alloc use but the type
// of a buffer.
#pragma once
#include <span>

#include "plan/alloc/problem.h"

namespace dse::plan::alloc {

struct Verdict {
  std::vector<std::string> faults;  // empty = the layout is valid; the first 100
  std::int64_t height = 0;          // bytes: the highest end of a buffer that is ever needed
  std::int64_t load = 0;            // bytes: the largest sum of what is needed in one step
  bool valid() const { return faults.empty(); }
};

/// Checks that every buffer has an offset, that it is a multiple of the alignment and as fixed, that no byte belongs
/// to two buffers in one step and, with a capacity, that none lies beyond it. Time: the pairs of
/// buffers that are alive together.
Verdict validate(std::span<const Buffer> buffers, std::span<const std::int64_t> offsets,
                 std::optional<std::int64_t> capacity = {});

}  // namespace dse::plan::alloc
