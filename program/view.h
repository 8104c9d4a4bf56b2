// How a program addresses bytes: a view is (arena, offset) plus the strides and rings of a dse_view; ranges are affine
// in the loop indices. Addresses are bound to a memory only when a program is loaded.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "models/nn/kernels/dse_kernels.h"
#include "program/dse_format.h"

namespace dse::program {

inline std::int64_t length(dse_span s) { return std::int64_t{s.hi} - s.lo; }

/// An operand: element (y, x, c) of a tensor lies at `offset` + (what dse_at computes with these strides) in arena
/// `arena`. `shape.base` is null here; executors fill it with the arena's base + offset.
struct View {
  int arena = -1;  // -1 = absent
  std::int64_t offset = 0;
  dse_view shape{};
  bool present() const { return arena >= 0; }
  bool operator==(const View& o) const;
};

/// Values of the enclosing loops, outermost first; unused ones are 0. At most kMaxLoops deep.
constexpr int kMaxLoops = DSE_MAX_LOOPS;
using LoopIndex = std::array<std::int32_t, kMaxLoops>;

/// [lo + step * i, hi + step * i) clamped to [0, limit], where i is the index of loop `loop` (0 = outermost; -1 = none,
/// i = 0). May be empty: a task with an empty range is skipped.
struct Range {
  std::int32_t lo = 0, hi = 0, limit = 0, step = 0;
  std::int8_t loop = -1;
  dse_span at(const LoopIndex& index) const {
    const std::int64_t shift = loop < 0 ? 0 : std::int64_t{step} * index[static_cast<std::size_t>(loop)];
    const auto clamp = [this](std::int64_t v) { return static_cast<std::int32_t>(v < 0 ? 0 : v > limit ? limit : v); };
    const std::int32_t from = clamp(lo + shift), to = clamp(hi + shift);
    return {from, from > to ? from : to};
  }
  static Range whole(std::int32_t n) { return {0, n, n, 0, -1}; }
  /// Tiles of `size` along loop `l` of a dimension of `n`, `ahead` tiles in front of the loop index (a prefetch: 1).
  static Range tiles(int l, std::int32_t size, std::int32_t n, std::int32_t ahead = 0) {
    return {ahead * size, (ahead + 1) * size, n, size, static_cast<std::int8_t>(l)};
  }
  bool operator==(const Range&) const = default;
};

/// Bytes [begin, end) of an arena that a task reads or writes.
struct Access {
  int arena;
  std::int64_t begin, end;
  bool write;
};

/// Appends the byte runs of a box of coordinates under a view, adjacent ones merged, in address order per row.
void append_runs(const View& view, const dse_box& box, bool write, std::vector<Access>& out);

/// Whether the elements of a box, `element` bytes each, lie without a gap: channels innermost or outermost.
bool is_dense(const dse_view& view, const dse_box& box, std::int64_t element);

/// How the elements of a box lie: runs of `run` bytes without a gap, channels innermost or outermost, whichever gives
/// the longer, and `span` bytes from the first to the last. Where a ring or blocks wrap, a run ends at the dimension,
/// and all of the ring is the span. `step` bytes from where a run begins to where the next one does, as long as neither
/// a ring nor blocks wrap and the rows do not end.
struct Spread {
  std::int64_t run = 0, span = 0, step = 0;  // 0: there are no gaps, or nobody asked
};
Spread spread_of(const dse_view& view, const dse_box& box, std::int64_t element);

}  // namespace dse::program
