// A copy is cut into pieces: boxes in which both sides have constant strides (ring wraps and channel bricks end a
// piece). Merging the axes of a piece gives the longest contiguous runs; cost and execution both work on the merged
// form.
#include <algorithm>
#include <array>
#include <cstring>

#include "program/encoding.h"
#include "program/kinds.h"

namespace dse::program {

namespace {

const CopyPayload& copy_of(const TaskTemplate& t) { return static_cast<const CopyPayload&>(*t.payload); }

/// `n` steps that advance the source by `from` and the destination by `to` bytes.
struct Step {
  std::int64_t n = 1, from = 0, to = 0;
};

/// Up to five nested steps around runs of `run` contiguous bytes.
struct Piece {
  std::int64_t from = 0, to = 0, run = 0;
  std::array<Step, 5> steps{};
  int count = 0;

  void add(const Step& s) {
    if (s.n > 1) steps[static_cast<std::size_t>(count++)] = s;
  }
  void remove(int i) { steps[static_cast<std::size_t>(i)] = steps[static_cast<std::size_t>(--count)]; }

  /// Absorbs steps into the run, then steps into each other, as far as both sides allow.
  void merge() {
    for (int i = 0; i < count;) {
      const Step& s = steps[static_cast<std::size_t>(i)];
      if (s.from == run && s.to == run) {
        run *= s.n;
        remove(i);
        i = 0;
      } else {
        ++i;
      }
    }
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count;) {
        Step& inner = steps[static_cast<std::size_t>(i)];
        const Step& outer = steps[static_cast<std::size_t>(j)];
        if (i != j && outer.from == inner.n * inner.from && outer.to == inner.n * inner.to) {
          inner.n *= outer.n;
          const bool last = i == count - 1;  // remove() moves the last step into the gap
          remove(j);
          if (last) i = j;
          j = 0;
        } else {
          ++j;
        }
      }
  }
};

/// One side's address along one axis.
struct Side {
  std::int32_t first, ring, block;
  std::int64_t stride, stride_block;
  struct Place {
    std::int64_t offset;
    std::int32_t n;  // coordinates from here on that lie one stride after the other, at most as many as asked for
  };
  Place at(std::int32_t v, std::int32_t n) const {
    std::int32_t slot = v - first;
    if (ring) {
      slot %= ring;
      n = std::min(n, ring - slot);
    }
    if (!block) return {slot * stride, n};
    const std::int32_t within = slot % block;
    return {slot / block * stride_block + within * stride, std::min(n, block - within)};
  }
};
Side rows(const dse_view& v) { return {v.first_h, v.ring_h, 0, v.stride_h, 0}; }
Side channels(const dse_view& v) { return {v.first_c, v.ring_c, v.block_c, v.stride_c, v.stride_block}; }

/// Calls fn(from offset, to offset, outer step, inner step) for each stretch of [span.lo, span.hi); equally long and
/// equally spaced streaks (bricks) become one stretch with an outer step.
template <class Fn>
void stretches(const Side& from, const Side& to, dse_span span, Fn&& fn) {
  for (std::int32_t v = span.lo; v < span.hi;) {
    Side::Place f = from.at(v, span.hi - v), t = to.at(v, f.n);
    const std::int32_t n = t.n;
    Step outer{1, 0, 0};
    std::int32_t next = v + n;
    while (next < span.hi) {
      const Side::Place g = from.at(next, span.hi - next), u = to.at(next, g.n);
      const std::int64_t df = g.offset - f.offset, dt = u.offset - t.offset;
      if (outer.n == 1) outer.from = df, outer.to = dt;
      if (u.n != n || df != outer.n * outer.from || dt != outer.n * outer.to) break;
      ++outer.n;
      next += n;
    }
    fn(f.offset, t.offset, outer, Step{n, from.stride, to.stride});
    v = next;
  }
}

template <class Fn>
void pieces(const CopyPayload& p, dse_span y, dse_span x, dse_span c, Fn&& fn) {
  const dse_view& to = p.to.shape;
  const dse_view& from =
      p.fill ? p.to.shape : p.from.shape;  // a fill has no source: only the destination's runs matter
  const std::int64_t origin_from = (p.fill ? 0 : p.from.offset) + std::int64_t{x.lo} * from.stride_w;
  const std::int64_t origin_to = p.to.offset + std::int64_t{x.lo} * to.stride_w;
  stretches(rows(from), rows(to), y, [&](std::int64_t yf, std::int64_t yt, const Step& y_outer, const Step& y_inner) {
    stretches(channels(from), channels(to), c,
              [&](std::int64_t cf, std::int64_t ct, const Step& c_outer, const Step& c_inner) {
                Piece piece;
                piece.from = origin_from + yf + cf;
                piece.to = origin_to + yt + ct;
                piece.run = to.elem > 0 ? to.elem : 1;
                piece.add(c_inner);
                piece.add({x.hi - x.lo, from.stride_w, to.stride_w});
                piece.add(c_outer);
                piece.add(y_inner);
                piece.add(y_outer);
                piece.merge();
                fn(piece);
              });
  });
}

/// The common case of pieces(): whole runs of channels, nothing wraps. Fills run, rows, planes and pieces; false = not
/// this case.
bool simple(const CopyPayload& p, dse_span y, dse_span x, dse_span c, CopyWork& work) {
  const dse_view& to = p.to.shape;
  const dse_view& from = p.fill ? p.to.shape : p.from.shape;
  const std::int64_t unit = to.elem > 0 ? to.elem : 1, rows = y.hi - y.lo;
  if (to.block_c | from.block_c | to.ring_c | from.ring_c) return false;
  if (c.hi - c.lo > 1 && (to.stride_c != unit || from.stride_c != unit)) return false;
  const auto wraps = [&](const dse_view& v) { return v.ring_h && (y.lo - v.first_h) % v.ring_h + rows > v.ring_h; };
  if (wraps(to) || wraps(from)) return false;
  std::int64_t run = unit * (c.hi - c.lo);
  if (x.hi - x.lo > 1 && (to.stride_w != run || from.stride_w != run)) return false;
  run *= x.hi - x.lo;
  const bool whole = rows == 1 || (to.stride_h == run && from.stride_h == run);
  work.run = whole ? run * rows : run;
  work.rows = whole ? 1 : rows;
  work.planes = work.pieces = 1;
  return true;
}

Spread gaps_of(const View& v, const dse_box& box) {
  const std::int32_t element = v.shape.elem > 0 ? v.shape.elem : 1;
  return is_dense(v.shape, box, element) ? Spread{} : spread_of(v.shape, box, element);
}

class CopyKind final : public TaskKind {
 public:
  std::string_view name() const override { return "copy"; }
  std::uint8_t code() const override { return 1; }

  void footprint(const TaskInstance& t, std::vector<Access>& out) const override {
    const CopyPayload& p = copy_of(*t.task);
    const dse_box box{p.y.at(t.loops), p.x.at(t.loops), p.c.at(t.loops), 1};
    if (!p.fill) append_runs(p.from, box, false, out);
    append_runs(p.to, box, true, out);
  }

  TaskCost time(const TaskInstance& t, const CostModel& model) const override {
    const CopyPayload& p = copy_of(*t.task);
    const dse_span y = p.y.at(t.loops), x = p.x.at(t.loops), c = p.c.at(t.loops);
    CopyWork work;
    work.from_arena = p.fill ? -1 : p.from.arena;
    work.to_arena = p.to.arena;
    work.bytes =
        std::int64_t{y.hi - y.lo} * (x.hi - x.lo) * (c.hi - c.lo) * (p.to.shape.elem > 0 ? p.to.shape.elem : 1);
    if (model.asks_for_gaps(t.queue)) {
      const dse_box box{y, x, c, 1};
      if (!p.fill) work.from_spread = gaps_of(p.from, box);
      work.to_spread = gaps_of(p.to, box);
    }
    if (simple(p, y, x, c, work)) return model.copy(t.queue, work);
    std::int64_t runs = 0;
    work.planes = work.pieces = 0;
    pieces(p, y, x, c, [&](const Piece& piece) {
      std::int64_t planes = 1, longest = 1;  // the longest step makes the rows: fewest planes
      for (int i = 0; i < piece.count; ++i) {
        const std::int64_t n = piece.steps[static_cast<std::size_t>(i)].n;
        planes *= std::min(n, longest);
        longest = std::max(n, longest);
      }
      runs += planes * longest;
      work.planes += planes;
      work.rows = longest;
      work.run = std::max(work.run, piece.run);
      ++work.pieces;
    });
    if (work.pieces > 1) work.rows = (runs + work.planes - 1) / work.planes;
    return model.copy(t.queue, work);
  }

  bool execute(const TaskInstance& t, const ByteSpace& bytes) const override {
    const CopyPayload& p = copy_of(*t.task);
    if (!p.to.present() || (!p.fill && (!p.from.present() || p.from.shape.elem != p.to.shape.elem))) return false;
    std::uint8_t* to = bytes.base(p.to.arena);
    const std::uint8_t* from = p.fill ? nullptr : bytes.base(p.from.arena);
    pieces(p, p.y.at(t.loops), p.x.at(t.loops), p.c.at(t.loops), [&](const Piece& piece) {
      std::array<std::int64_t, 5> index{};
      std::int64_t f = piece.from, o = piece.to;
      for (;;) {
        if (from)
          std::memcpy(to + o, from + f, static_cast<std::size_t>(piece.run));
        else
          std::memset(to + o, p.value, static_cast<std::size_t>(piece.run));
        int i = 0;
        for (; i < piece.count; ++i) {
          const Step& s = piece.steps[static_cast<std::size_t>(i)];
          f += s.from, o += s.to;
          if (++index[static_cast<std::size_t>(i)] < s.n) break;
          f -= s.n * s.from, o -= s.n * s.to;
          index[static_cast<std::size_t>(i)] = 0;
        }
        if (i == piece.count) break;
      }
    });
    return true;
  }

  void encode(const TaskTemplate& t, Encoder& out) const override {
    const CopyPayload& p = copy_of(t);
    out.u8(p.fill ? 1 : 0);
    if (p.fill)
      out.u8(p.value);
    else
      out.view(p.from);
    out.view(p.to);
    for (const Range* r : {&p.y, &p.x, &p.c}) out.range(*r);
  }

  bool empty(const TaskInstance& t) const override {
    const CopyPayload& p = copy_of(*t.task);
    const auto none = [&](const Range& r) {
      const dse_span s = r.at(t.loops);
      return s.lo >= s.hi;
    };
    return none(p.y) || none(p.x) || none(p.c);
  }
};

}  // namespace

const TaskKind& copy_kind() {
  static const CopyKind kind;
  return kind;
}

}  // namespace dse::program
