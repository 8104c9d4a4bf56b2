#include "explore/compose/parts.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dse::explore {
namespace {

Part least(const Part& a, const Part& b) {
  Part c;
  for (int m = 0; m < kMaxCaps; ++m)
    c.peak[m] = std::min(a.peak[m], b.peak[m]), c.resident[m] = std::min(a.resident[m], b.resident[m]);
  for (int k = 0; k < kCosts; ++k) c.costs[k] = std::min(a.costs[k], b.costs[k]);
  return c;
}

}  // namespace

Part together(const Part& a, const Part& b) {
  Part c;
  for (int m = 0; m < kMaxCaps; ++m)
    c.peak[m] = std::max(a.peak[m], b.peak[m]), c.resident[m] = a.resident[m] + b.resident[m];
  for (int k = 0; k < kCosts; ++k) c.costs[k] = a.costs[k] + b.costs[k];
  return c;
}

Part part_of(const SectionEdge& e, const SectionOption& o) { return {e.need(o), o.resident, o.costs}; }

bool Parts::within_limits(const Part& p) const {
  std::int64_t total = 0;
  for (std::size_t m = 0; m < graph_.memories.size(); ++m) {
    if (p.peak[m] + p.resident[m] > goal_.limits[graph_.memories[m]]) return false;
    total += p.peak[m] + p.resident[m];
  }
  for (int k = 0; k < kCosts; ++k)
    if (p.costs[k] > goal_.cost_limits[k]) return false;
  return total <= goal_.total_limit;
}

std::vector<std::int64_t> Parts::values_of(const Part& p) const {
  std::vector<std::int64_t> heights(device_.memories.size(), 0);
  for (std::size_t m = 0; m < graph_.memories.size(); ++m) heights[graph_.memories[m]] = p.peak[m] + p.resident[m];
  return values_with(goal_, heights, p.costs);
}

bool Parts::dominates(const Part& a, const Part& b) const {
  for (std::size_t m = 0; m < graph_.memories.size(); ++m)
    if (a.peak[m] > b.peak[m] || a.resident[m] > b.resident[m]) return false;
  return no_costlier(a.costs, b.costs, goal_);
}

std::vector<Part> Parts::thinned(std::vector<Part> parts) const {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return std::tie(a.costs, a.peak, a.resident) < std::tie(b.costs, b.peak, b.resident);
  });
  std::vector<Part> kept;
  for (const auto& p : parts) {
    steps_ += static_cast<std::int64_t>(kept.size());
    if (exhausted()) break;
    if (std::none_of(kept.begin(), kept.end(), [&](const Part& k) { return dominates(k, p); })) kept.push_back(p);
  }
  while (kept.size() > most_) {  // the least of two parts bounds both
    std::vector<Part> fewer;
    for (std::size_t i = 0; i < kept.size(); i += 2)
      fewer.push_back(i + 1 < kept.size() ? least(kept[i], kept[i + 1]) : kept[i]);
    kept.swap(fewer);
  }
  return kept;
}

std::vector<Part> Parts::of(const SectionEdge& e) const {
  std::vector<Part> out;
  for (const auto& o : graph_.of(e)) out.push_back(part_of(e, o));
  return thinned(std::move(out));
}

std::vector<Part> Parts::product(const std::vector<Part>& a, const std::vector<Part>& b) const {
  std::vector<Part> out;
  for (const auto& p : a) {
    steps_ += static_cast<std::int64_t>(b.size());
    if (exhausted()) break;
    for (const auto& q : b) {
      const auto both = together(p, q);
      if (within_limits(both)) out.push_back(both);
    }
  }
  return thinned(std::move(out));
}

std::vector<std::vector<std::vector<Part>>> Parts::suffixes() const {
  std::vector<std::vector<std::vector<Part>>> suffix;
  const auto n = graph_.sections.size();
  suffix.resize(n + 1);
  suffix[n].assign(static_cast<std::size_t>(graph_.states[n]), {Part{}});
  for (std::size_t s = n; s-- > 0 && !exhausted();) {
    std::vector<std::vector<Part>> all(static_cast<std::size_t>(graph_.states[s]));
    for (const auto& e : graph_.sections[s]) {
      auto some = product(of(e), suffix[s + 1][static_cast<std::size_t>(e.to)]);
      auto& list = all[static_cast<std::size_t>(e.from)];
      list.insert(list.end(), some.begin(), some.end());
    }
    for (auto& list : all) suffix[s].push_back(thinned(std::move(list)));
  }
  return suffix;
}

}  // namespace dse::explore
