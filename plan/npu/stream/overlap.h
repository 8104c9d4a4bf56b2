// How far a kernel may run into the one before: what its first blocks read, and what the last blocks before it still
// write.
#pragma once
#include "plan/npu/costs.h"
#include "plan/npu/stream/part.h"
#include "plan/npu/stream/places.h"

namespace dse::plan::npu {

/// Input rows under outputs [y0, y1), and rows of zeros before and after.
struct Rows {
  int from = 0, to = 0, pad_before = 0, pad_after = 0;
};
Rows input_rows(const Operation& o, int y0, int y1);

/// Blocks of `next` that may begin while at most three of `before` are not written, 0 to 3 (BLOCKDEP).
int blocks_ahead(const Costs& costs, const Schedule& s, const Places& places, const Part& before, const Part& next);

}  // namespace dse::plan::npu
