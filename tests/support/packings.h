// Perfect packings: rectangles of time and bytes cut to pieces, whose least height is known.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/alloc/problem.h"

namespace dse::test {

/// How a rectangle is cut. The same fields give the same pieces on every platform.
struct Cut {
  std::uint64_t seed = 0;
  int pieces = 100;              // that many, or up to three more
  std::int64_t steps = 1000;     // the life of the whole
  std::int64_t units = 1 << 14;  // its height in units of the alignment
  std::int64_t alignment = 1;    // bytes: of all offsets, and all sizes are multiples of it
  int across = 50;               // percent of the straight cuts that divide the life, not the bytes
  int pinwheels = 0;             // percent of the cuts that give five pieces around one another
  int largest = 50;              // percent of the cuts that take the largest piece left, not any
  bool even = false;             // cuts go near the middle: many pieces of similar size
};

struct Packing {
  Cut cut;
  std::vector<plan::alloc::Buffer> buffers;  // shuffled, without offsets
  std::int64_t height = 0;                   // bytes: the load of every step, and the least height of all layouts
};

/// Cuts a rectangle, in straight cuts from side to side and in pinwheels, which no straight cut takes apart.
Packing perfect_packing(const Cut& cut);

/// A cut of 100 to 500 pieces, whose shapes vary from seed to seed: long and thin, short and many, on a coarse or a
/// fine grid of time and of bytes, with an alignment or without.
Cut any_cut(std::uint64_t seed);

}  // namespace dse::test
