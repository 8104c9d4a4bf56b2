// Schedules in bytes: what is held in a step, and tensors as the allocator sees them.
#include <algorithm>

#include "plan/shared/schedule.h"

namespace dse::plan::shared {

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
  const auto gap = [&](std::int64_t lower, std::int64_t upper, std::int64_t kept) {
    if (lower >= upper || kept == b.size) return;
    if (!b.gaps.empty() && b.gaps.back().upper == lower && b.gaps.back().kept == kept)
      b.gaps.back().upper = upper;
    else
      b.gaps.push_back({lower, upper, kept});
  };
  std::int64_t at = b.lower;
  for (const Held& h : t.held) {
    gap(at, h.from, 0);
    gap(h.from, h.to, t.ring > 0 ? b.size : h.hi * row);
    at = h.to;
  }
  return b;
}

}  // namespace dse::plan::shared
