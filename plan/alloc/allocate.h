// Offsets for buffers in one arena: as low as the effort finds, with the proof or the gap.
#pragma once
#include <functional>
#include <span>

#include "plan/alloc/problem.h"

namespace dse::plan::alloc {

/// How hard allocate() tries. Counted in steps, so that a result does not depend on the speed of the machine, unless
/// `stop` brings the clock in.
struct Effort {
  std::int64_t moves = 400;         // exchanges tried by the local search over placement orders
  std::int64_t nodes = 2'000'000;   // placements tried by the exact search, more for large problems: about one
                                    // microsecond each; 0 = the fast path only
  std::function<bool()> stop = {};  // asked now and then; true = return the best so far
};

/// Buffers that are alive in a common step get disjoint ranges, fixed ones stay where they are (two fixed ones are
/// never compared with each other). Without a capacity the height is minimised; with one, the first layout that fits is
/// returned. The fast path comes first: placement in many orders, never worse than first fit in the given order.
/// Where that reaches neither the capacity nor the lower bound, the exact search goes on in several orders in turn.
///
/// The lower bound of the result starts as the largest load of a step (with what alignments and fixed ends add) and
/// rises with every height that is proven impossible: with a capacity, lower_bound > capacity tells that no layout
/// fits. Deterministic as long as `stop` is.
/// @throws InvariantError for buffers that model_of() of plan/alloc/model.h refuses, negative capacity or effort.
Layout allocate(std::span<const Buffer> buffers, std::optional<std::int64_t> capacity = {}, const Effort& effort = {});

/// The fast path in its simplest forms, for comparison: first fit in the given order, and greedy by size (largest
/// first; falls back on first fit in the given order where that is lower). The bound is the largest load.
Layout first_fit(std::span<const Buffer> buffers);
Layout greedy(std::span<const Buffer> buffers);

}  // namespace dse::plan::alloc
