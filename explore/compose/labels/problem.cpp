#include "explore/compose/labels/problem.h"

#include <algorithm>

namespace dse::explore {

std::int64_t value_of(const LinearForm& form, const MemoryVector& peaks, const std::vector<std::int64_t>& sums) {
  std::int64_t v = 0;
  for (const int m : form.peaks) v += peaks[m];
  for (const int d : form.sums) v += sums[d];
  return v;
}

Problem problem_of(const Goal& goal, const SectionGraph& graph, const std::vector<std::vector<std::int64_t>>& caps) {
  Problem problem;
  problem.graph = &graph;
  std::array<int, kCosts> cost_sum;
  cost_sum.fill(-1);
  for (int c = 0; c < kCosts; ++c)
    if (goal.summed(c)) cost_sum[c] = static_cast<int>(problem.sums.size()), problem.sums.push_back({c, -1});
  std::array<int, kMaxCaps> resident_sum;
  resident_sum.fill(-1);
  for (std::size_t m = 0; m < caps.size(); ++m) {
    std::int64_t most = 0;  // that can be resident
    for (const auto& section : graph.sections) {
      std::int64_t here = 0;
      for (const auto& e : section)
        for (const auto& o : graph.of(e)) here = std::max(here, o.resident[m]);
      most += here;
    }
    const int memory = graph.memories[m];
    const bool counts = goal.total_limit < kUnlimited || caps[m].back() + most > goal.limits[memory] ||
                        std::any_of(goal.objectives.begin(), goal.objectives.end(),
                                    [&](const Objective& o) { return o.cost < 0 && o.memories[memory]; });
    if (most == 0 || !counts) continue;
    resident_sum[m] = static_cast<int>(problem.sums.size());
    problem.sums.push_back({-1, static_cast<int>(m)});
    problem.limits.push_back({{static_cast<int>(m)}, {resident_sum[m]}, goal.limits[memory]});
  }
  if (problem.sums.empty()) problem.sums.push_back({kTicks, -1});  // breaks ties
  LinearForm all;
  for (std::size_t m = 0; m < caps.size(); ++m) {
    all.peaks.push_back(static_cast<int>(m));
    if (resident_sum[m] >= 0) all.sums.push_back(resident_sum[m]);
  }
  all.limit = goal.total_limit;
  if (all.limit < kUnlimited) problem.limits.push_back(all);
  for (int c = 0; c < kCosts; ++c)
    if (goal.cost_limits[c] < kUnlimited) problem.limits.push_back({{}, {cost_sum[c]}, goal.cost_limits[c]});
  for (const auto& o : goal.objectives) {
    auto& form = problem.objectives.emplace_back();
    if (o.cost >= 0) {
      form.sums = {cost_sum[o.cost]};
      continue;
    }
    for (std::size_t m = 0; m < caps.size(); ++m) {
      if (!o.memories[graph.memories[m]]) continue;
      form.peaks.push_back(static_cast<int>(m));
      if (resident_sum[m] >= 0) form.sums.push_back(resident_sum[m]);
    }
  }
  return problem;
}

std::size_t affordable_labels(const SectionGraph& graph, std::size_t least) {
  std::size_t options = 1;
  for (const auto& section : graph.sections)
    for (const auto& e : section) options += graph.of(e).size();
  return std::max(least, static_cast<std::size_t>(kMostSteps) / 4 / options);
}

}  // namespace dse::explore
