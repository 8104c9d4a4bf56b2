// Offsets for blocks of one memory whose lifetimes are known: dynamic storage allocation, as good as a few milliseconds
// allow.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace dse::plan {

/// A byte range that is needed during the steps first..last (inclusive).
struct Block {
  std::int64_t size = 0;  // bytes; rounded up to the alignment
  int first = 0, last = 0;
  std::int64_t fixed = -1;  // >= 0: it must lie at this offset; two fixed blocks are never compared with each other
};

struct Layout {
  std::vector<std::int64_t> offsets;  // per block, multiples of the alignment (fixed ones as given)
  std::int64_t height = 0;            // bytes: the highest end of a block
  std::int64_t load = 0;  // bytes: the largest sum of rounded sizes alive in one step; a lower bound of height
  bool optimal = false;   // no layout is lower: height is at a lower bound, or the search was exhausted
};

/// How hard allocate() tries, all in counted steps: the result never depends on the speed of the machine.
struct ArenaEffort {
  std::int64_t local_moves = 400;  // exchanges tried by the local search over orders of placement
  std::int64_t nodes = 20000;      // placements tried by the exact search
};

/// Blocks that live in a common step get disjoint ranges; the height is as low as the effort finds: plan/alloc with one
/// alignment for all, to which sizes are rounded up too. Deterministic.
/// @throws InvariantError for a block with size < 0, last < first, or alignment < 1.
Layout allocate(std::span<const Block> blocks, int alignment, const ArenaEffort& effort = {});

}  // namespace dse::plan
