// Schedules in bytes: what is held in a step, and tensors as the allocator sees them.
#include <algorithm>

#include "plan/segment/planner/schedule.h"

namespace dse::plan::shared {
namespace {

struct Slots {
  std::int64_t first = 0, count = 0;
};

/// Where in the tensor's place the held rows lie: what wraps around a ring's end takes all of it.
Slots slots_of(const TensorUse& t, const Held& h) {
  if (t.ring == 0) return {h.lo, h.hi - h.lo};
  const auto first = h.lo % t.ring;
  return first + h.hi - h.lo <= t.ring ? Slots{first, h.hi - h.lo} : Slots{0, t.ring};
}

}  // namespace

std::int64_t peak_bytes(const Schedule& s, std::int64_t bytes_per_element) {
  std::vector<std::int64_t> change(s.steps.size() + 1);
  for (const TensorUse& t : s.tensors)
    for (const Held& h : t.held) {
      const auto bytes = (h.hi - h.lo) * t.row_elements * bytes_per_element;
      change[static_cast<std::size_t>(h.from)] += bytes, change[static_cast<std::size_t>(h.to)] -= bytes;
    }
  std::int64_t live = 0, peak = 0;
  for (const auto c : change) peak = std::max(peak, live += c);
  return peak;
}

alloc::Buffer buffer_of(const TensorUse& t, std::int64_t bytes_per_element) {
  alloc::Buffer b;
  const auto row = t.row_elements * bytes_per_element;
  b.size = (t.ring > 0 ? t.ring : t.rows) * row;
  if (t.held.empty()) return b;
  b.lower = t.held.front().from, b.upper = t.held.back().to;
  const auto window = [&](std::int64_t lower, std::int64_t upper, std::int64_t begin, std::int64_t end) {
    if (lower >= upper || (begin == 0 && end == b.size)) return;
    if (!b.gaps.empty() && b.gaps.back().upper == lower && b.gaps.back().begin == begin && b.gaps.back().end == end)
      b.gaps.back().upper = upper;
    else
      b.gaps.push_back({lower, upper, begin, end});
  };
  std::int64_t at = b.lower;
  for (const Held& h : t.held) {
    window(at, h.from, 0, 0);
    const auto [first, count] = slots_of(t, h);
    window(h.from, h.to, first * row, (first + count) * row);
    at = h.to;
  }
  return b;
}

}  // namespace dse::plan::shared
