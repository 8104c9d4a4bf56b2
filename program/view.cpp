#include "program/view.h"

#include <algorithm>
#include <utility>

namespace dse::program {

bool View::operator==(const View& o) const {
  const dse_view &a = shape, &b = o.shape;  // `base` is the executor's, not part of the value
  return arena == o.arena && offset == o.offset && a.stride_h == b.stride_h && a.stride_w == b.stride_w &&
         a.stride_c == b.stride_c && a.first_h == b.first_h && a.first_c == b.first_c && a.ring_h == b.ring_h &&
         a.ring_c == b.ring_c && a.block_c == b.block_c && a.stride_block == b.stride_block && a.elem == b.elem;
}

namespace {

/// One dimension of a box: coordinates [lo, hi) and where coordinate v lies.
struct Axis {
  std::int32_t lo, hi, first, ring, block;
  std::int64_t stride, stride_block;
  std::int32_t size() const { return hi - lo; }
  std::int64_t at(std::int32_t v) const {
    std::int64_t slot = v - first;
    if (ring) slot %= ring;
    return block ? slot / block * stride_block + slot % block * stride : slot * stride;
  }
  /// Coordinates from v on that lie one stride after the other.
  std::int32_t streak(std::int32_t v) const {
    std::int32_t n = hi - v, slot = v - first;
    if (ring) slot %= ring, n = std::min(n, ring - slot);
    if (block) n = std::min(n, block - slot % block);
    return n;
  }
  /// Bytes from the first coordinate to the last, at most.
  std::int64_t extent() const {
    if (size() == 0) return 0;
    const bool wraps = ring && (lo - first) % ring + size() > ring;
    const std::int64_t from = wraps ? 0 : ring ? (lo - first) % ring : lo - first;
    const std::int64_t last = (wraps ? ring : from + size()) - 1;
    if (!block || from / block == last / block) return (last - from) * stride;
    return (last / block - from / block) * stride_block + (block - 1) * stride;
  }
  /// Calls fn(offset) for every coordinate.
  template <class Fn>
  void each(Fn&& fn) const {
    for (std::int32_t v = lo; v < hi;) {
      const std::int32_t n = streak(v);
      std::int64_t offset = at(v);
      for (std::int32_t i = 0; i < n; ++i, offset += stride) fn(offset);
      v += n;
    }
  }
};

/// Rows, columns and channels.
std::array<Axis, 3> axes_of(const dse_view& s, const dse_box& box) {
  return {Axis{box.h.lo, box.h.hi, s.first_h, s.ring_h, 0, s.stride_h, 0},
          Axis{box.w.lo, box.w.hi, 0, 0, 0, s.stride_w, 0},
          Axis{box.c.lo, box.c.hi, s.first_c, s.ring_c, s.block_c, s.stride_c, s.stride_block}};
}

/// Bytes of the stretch that `inner` makes of units of `unit` bytes; 0 when there is more than one stretch.
std::int64_t stretch(const Axis& inner, std::int64_t unit) {
  return inner.size() == 1 || (inner.stride == unit && inner.streak(inner.lo) == inner.size()) ? inner.size() * unit
                                                                                               : 0;
}

/// `axis` continues a run of `bytes` bytes; it is `bytes` longer for every coordinate then.
bool continues(const Axis& axis, std::int64_t& bytes) {
  const bool yes = axis.size() <= 1 || (axis.stride == bytes && axis.streak(axis.lo) == axis.size());
  bytes *= axis.size();
  return yes;
}

}  // namespace

bool is_dense(const dse_view& s, const dse_box& box, std::int64_t element) {
  const auto [h, w, c] = axes_of(s, box);
  std::int64_t last = element, first = element;  // bytes of the run so far, channels innermost and outermost
  return (continues(c, last) && continues(w, last) && continues(h, last)) ||
         (continues(w, first) && continues(h, first) && continues(c, first));
}

Spread spread_of(const dse_view& s, const dse_box& box, std::int64_t element) {
  const auto [h, w, c] = axes_of(s, box);
  const auto run = [element](const Axis& inner, const Axis& middle, const Axis& outer) {
    std::int64_t bytes = element;
    for (const Axis* axis : {&inner, &middle, &outer}) {
      const std::int64_t before = bytes;
      if (!continues(*axis, bytes)) return std::pair(before, std::int64_t{axis->stride});
    }
    return std::pair(bytes, std::int64_t{0});
  };
  const auto [length, step] =
      std::max(run(c, w, h), run(w, h, c), [](const auto& a, const auto& b) { return a.first < b.first; });
  return {length, h.extent() + w.extent() + c.extent() + element, step};
}

void append_runs(const View& view, const dse_box& box, bool write, std::vector<Access>& out) {
  if (!view.present() || !box.touched || box.h.lo >= box.h.hi || box.w.lo >= box.w.hi || box.c.lo >= box.c.hi) return;
  const dse_view& s = view.shape;
  // Innermost = smallest stride, so that runs come in address order and neighbours merge in any layout (HWC, CHW, ...).
  auto axes = axes_of(s, box);
  const auto before = [](const Axis& a, const Axis& b) {  // an axis of one element is never the run
    const bool one_a = a.size() == 1, one_b = b.size() == 1;
    return one_a != one_b ? one_a : a.stride > b.stride;
  };
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {0, 1}})  // stable
    if (before(axes[j], axes[i])) std::swap(axes[i], axes[j]);
  const std::size_t first = out.size();
  const auto emit = [&](std::int64_t begin, std::int64_t bytes) {
    if (out.size() > first && out.back().end == begin)
      out.back().end += bytes;
    else
      out.push_back({view.arena, begin, begin + bytes, write});
  };
  const std::int64_t unit = s.elem > 0 ? s.elem : 1;
  const Axis &a = axes[0], &b = axes[1], &c = axes[2];
  const std::int64_t run = stretch(c, unit), rows = run ? stretch(b, run) : 0;
  if (rows) {  // whole rows, the usual case
    const std::int64_t from = view.offset + b.at(b.lo) + c.at(c.lo);
    a.each([&](std::int64_t i) { emit(from + i, rows); });
  } else if (run) {
    const std::int64_t from = view.offset + c.at(c.lo);
    a.each([&](std::int64_t i) { b.each([&](std::int64_t j) { emit(from + i + j, run); }); });
  } else {
    a.each([&](std::int64_t i) {
      b.each([&](std::int64_t j) {
        for (std::int32_t k = c.lo; k < c.hi;) {
          const std::int32_t n = c.stride == unit ? c.streak(k) : 1;
          emit(view.offset + i + j + c.at(k), n * unit);
          k += n;
        }
      });
    });
  }
}

}  // namespace dse::program
