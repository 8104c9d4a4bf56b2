// What tensors take of their buffers, step by step, and at which distances two of them meet.
#include <algorithm>
#include <map>

#include "base/diagnostics.h"
#include "plan/place/rigid.h"

namespace dse::plan::shared {

std::vector<Shape> ring_shapes(const TensorUse& use, std::int64_t bytes_per_element, std::int64_t extra) {
  ensure(use.ring > 0, "shapes of a ring for a tensor that lives in none");
  const auto row = use.row_elements * bytes_per_element;
  std::vector<Shape> out;
  for (auto ring = use.ring; ring == use.ring || (ring <= use.ring + extra && ring < use.rows); ++ring)
    for (std::int64_t shift = 0; shift < ring; ++shift) {
      Shape s{{}, ring, shift};
      for (const Held& h : use.held) {
        if (h.lo >= h.hi || h.from >= h.to) continue;
        const auto first = (h.lo + shift) % ring, end = first + h.hi - h.lo;
        if (end - first == ring) {
          s.taken.push_back({h.from, h.to, 0, ring * row});
          continue;
        }
        s.taken.push_back({h.from, h.to, first * row, std::min(end, ring) * row});
        if (end > ring) s.taken.push_back({h.from, h.to, 0, (end - ring) * row});
      }
      out.push_back(std::move(s));
    }
  return out;
}

Shape shape_of(const alloc::Buffer& b) {
  Shape s;
  const auto add = [&](std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end) {
    if (from < to && begin < end) s.taken.push_back({static_cast<int>(from), static_cast<int>(to), begin, end});
  };
  auto at = b.lower;
  for (const auto& g : b.gaps) {
    add(at, g.lower, 0, b.size);
    add(g.lower, g.upper, g.begin, g.end);
    at = g.upper;
  }
  add(at, b.upper, 0, b.size);
  return s;
}

std::int64_t load_of(std::span<const Piece> pieces) {
  std::map<int, std::int64_t> change;
  for (const Piece& p : pieces)
    for (const Taken& t : p.shapes[0].taken) change[t.from] += t.end - t.begin, change[t.to] -= t.end - t.begin;
  std::int64_t live = 0, most = 0;
  for (const auto& [step, bytes] : change) most = std::max(most, live += bytes);
  return most;
}

std::vector<std::pair<std::int64_t, std::int64_t>> meetings(const Shape& a, const Shape& b) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out, all;
  std::size_t first = 0;
  for (const Taken& x : a.taken) {
    while (first < b.taken.size() && b.taken[first].to <= x.from) ++first;
    for (auto k = first; k < b.taken.size() && b.taken[k].from < x.to; ++k) {
      const Taken& y = b.taken[k];
      if (y.to > x.from) all.emplace_back(x.begin - y.end, x.end - y.begin);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const auto& i : all)
    if (!out.empty() && i.first < out.back().second)
      out.back().second = std::max(out.back().second, i.second);
    else
      out.push_back(i);
  return out;
}

bool meet(const Shape& a, const Shape& b, std::int64_t distance) {
  const auto all = meetings(a, b);
  return std::any_of(all.begin(), all.end(), [&](const auto& i) { return i.first < distance && distance < i.second; });
}

}  // namespace dse::plan::shared
