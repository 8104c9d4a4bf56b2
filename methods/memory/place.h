// Offsets for the tensors of a schedule.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/alloc/allocate.h"
#include "plan/segment/planner/schedule.h"

namespace dse::plan::shared {

/// What has an offset of its own.
enum class Placement {
  rings,      // every tensor; its rows are a ring where Schedule says so
  ring_rows,  // every row of what would be a ring, wherever there is room while it is held; other tensors as a whole
  rows,       // every row, but not of tensors that are there whole at the start or in the end: the caller's
};

/// A tensor, or one row of it for a part of the time.
struct Block {
  int tensor = 0;         // index into Schedule::tensors
  std::int64_t row = -1;  // -1 = all
  alloc::Buffer buffer;
};
std::vector<Block> blocks_of(const Schedule& s, std::int64_t bytes_per_element, Placement placement,
                             std::int64_t alignment = 1);

struct Placed {
  Placement placement = Placement::rings;
  std::vector<Block> blocks;
  alloc::Layout layout;  // by block
};
Placed place(const Schedule& s, std::int64_t bytes_per_element, Placement placement, std::int64_t alignment = 1,
             const alloc::Effort& effort = {});

/// Offsets by Schedule::tensors: place() with rings.
alloc::Layout arena(const Schedule& s, std::int64_t bytes_per_element, std::int64_t alignment = 1,
                    const alloc::Effort& effort = {});

}  // namespace dse::plan::shared
