// What all planners of plan/alloc work on: a problem in units of its common divisor, cut into sections of time.
#pragma once
#include <span>

#include "plan/alloc/problem.h"

namespace dse::plan::alloc {

/// Sections [first, end) in which a buffer occupies the units [low, high) from its offset.
struct Run {
  int first = 0, end = 0;
  std::int64_t low = 0, high = 0;
  std::int64_t size() const { return high - low; }
};

/// A buffer that shares a section. The upper one of two starts at least this far above the lower one: far enough for
/// the windows of every section that they share. Windows that do not begin with their buffer can make that negative.
struct Neighbour {
  int buffer = 0;
  std::int64_t above = 0;  // offset of the neighbour minus one's own, when the neighbour lies above
  std::int64_t below = 0;  // one's own offset minus the neighbour's, when the neighbour lies below
};

/// Buffers without bytes or life are left out (`active` false) but keep their index. A section is a stretch of time in
/// which nothing begins or ends; one that needs nothing that a section beside it does not need too is left out, because
/// whatever fits there fits here; so is one that needs the same as an earlier one.
///
/// Offsets and sizes count units, heights count bytes: all offsets of a canonical layout are multiples of the unit, so
/// that windows begin at multiples of it and can be rounded up to it, but the uppermost buffer ends where its last byte
/// does.
struct Model {
  std::int64_t unit = 1;   // bytes; it divides every alignment or is a multiple of it, and divides windows' begins
  std::int64_t grain = 1;  // bytes: all heights of canonical layouts are multiples of it; it divides the unit
  int sections = 0;
  std::vector<std::int64_t> size, alignment;       // per buffer, units
  std::vector<std::int64_t> bytes;                 // per buffer: the end of its highest window, without rounding
  std::vector<std::int64_t> fixed;                 // per buffer, units; -1 = free
  std::vector<std::int64_t> life;                  // per buffer: steps in which it is alive, for orders
  std::vector<char> active;                        // per buffer
  std::vector<std::vector<Run>> runs;              // per buffer, ascending
  std::vector<std::vector<Neighbour>> neighbours;  // per buffer, ascending; never two fixed ones
  std::vector<std::int64_t> spare;  // per section, bytes: the most that rounding has added to one of its buffers
  std::int64_t load = 0;            // bytes: the most that one step needs; fixed ones may cover each other
  std::int64_t floor = 0;  // bytes: >= load; no layout is lower, because of alignments and the ends of fixed buffers

  /// Per buffer, units: a point of it such that, of any two free buffers that share a section, the points are in the
  /// order in which the buffers lie, and never equal. 0 unless windows slide.
  std::vector<std::int64_t> point;
  /// Whether there are such points, and no place between the lowest and the highest that one buffer forbids another is
  /// free. Windows that slide can break that; then what the searches find is a layout, but what they do not find may be
  /// one too.
  bool complete = true;

  int count() const { return static_cast<int>(size.size()); }
  /// Bytes: where a buffer at this offset ends.
  std::int64_t end(int buffer, std::int64_t offset) const { return offset * unit + bytes[buffer]; }
};

/// Time: the changes of windows times the buffers that are alive then; memory: the same, the pairs that share a
/// section.
/// @throws InvariantError for sizes, times or alignments outside 0..kLargest (alignment from 1), an upper before the
/// lower, gaps that are out of order, outside the life or with a window outside the size.
Model model_of(std::span<const Buffer> buffers);

/// The next multiple of the alignment.
inline std::int64_t aligned(std::int64_t at, std::int64_t alignment) {
  return alignment == 1 ? at : (at + alignment - 1) / alignment * alignment;
}

}  // namespace dse::plan::alloc
