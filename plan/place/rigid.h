// Offsets for buffers of which each step takes known bytes, down to the byte: what interleaves may interleave.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plan/alloc/problem.h"
#include "plan/segment/planner/schedule.h"

namespace dse::plan::shared {

/// During the steps [from, to) the bytes [begin, end) of a buffer, counted from its start, are taken.
struct Taken {
  int from = 0, to = 0;
  std::int64_t begin = 0, end = 0;
  bool operator==(const Taken&) const = default;
};

/// All that one buffer takes, by `from`; at the same time also ranges apart from each other.
struct Shape {
  std::vector<Taken> taken;
  std::int64_t ring = 0, shift = 0;  // of ring_shapes()
};

/// A tensor in rings of `use.ring` slots and up to `extra` more (always fewer than it has rows): row y lies in slot
/// (y + shift) mod ring, for every shift. What wraps around a ring's end takes two ranges. The first shape is that of
/// buffer_of(). For tensors that live in a ring.
std::vector<Shape> ring_shapes(const TensorUse& use, std::int64_t bytes_per_element, std::int64_t extra);

/// A buffer as the allocator sees it (buffer_of()).
Shape shape_of(const alloc::Buffer& buffer);

/// A buffer with one of several shapes, at a multiple of its alignment.
struct Piece {
  std::vector<Shape> shapes;  // at least one
  std::int64_t alignment = 1;
};

/// The most bytes that the pieces take in one step, in their first shapes: no layout of these is lower.
std::int64_t load_of(std::span<const Piece> pieces);

struct RigidLayout {
  std::vector<int> shapes;            // per piece: which one
  std::vector<std::int64_t> offsets;  // per piece, never negative
  std::int64_t height = 0;            // the highest end of what is taken
};

struct RigidEffort {
  std::int64_t moves = 1500;  // changes of order or shape tried, per start
  int starts = 12;            // the third and later ones from shapes drawn at random
};

/// Places every piece at the lowest offset at which it meets none of those before it, in many orders and shapes: a
/// local search that ends early with a height of `enough`. `hint`: offsets of another layout, whose order is tried
/// first; empty = none. Deterministic.
RigidLayout place_rigid(std::span<const Piece> pieces, std::span<const std::int64_t> hint, std::int64_t enough,
                        const RigidEffort& effort = {});

/// The offsets d of a shape b, relative to that of a shape a, at which the two take a byte at the same time: open
/// intervals, ascending, apart from each other.
std::vector<std::pair<std::int64_t, std::int64_t>> meetings(const Shape& a, const Shape& b);

/// Whether two shapes, b `distance` bytes above a, take a byte at the same time.
bool meet(const Shape& a, const Shape& b, std::int64_t distance);

}  // namespace dse::plan::shared
