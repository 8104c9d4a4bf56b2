#include "explore/within.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "explore/front/front.h"
#include "explore/question/metric.h"

namespace dse::explore {
namespace {

/// The point of the front with the least of an objective, and of those the smallest.
Point* best_of(Front& front, const std::string& objective) {
  Point* best = nullptr;
  for (auto& p : front.points) {
    if (best == nullptr) best = &p;
    const auto now = value_of(p, objective), then = value_of(*best, objective);
    if (now < then || (now == then && p.memory_bytes < best->memory_bytes)) best = &p;
  }
  return best;
}

void add(Front& front, Point point) {
  for (auto* list : {&front.points, &front.marked})
    for (auto& p : *list)
      if (p.id == point.id) return p.marks.push_back("within");
  point.marks = {"within"};
  point.origin = fmt::format("within {:.3g} %", 100 * front.within);
  front.marked.push_back(std::move(point));
}

}  // namespace

double tolerance_of(const SweepSpec& spec) {
  if (tolerance_objective(spec).empty()) return 0;
  if (spec.within >= 0) return spec.within;
  return spec.objectives == std::vector<std::string>{"latency"} && spec.search == "exact" ? 0.01 : 0;
}

std::string tolerance_objective(const SweepSpec& spec) {
  const auto it = std::find_if_not(spec.objectives.begin(), spec.objectives.end(),
                                   [](const auto& o) { return is_memory(o) || is_of_case(o); });
  return it == spec.objectives.end() ? "" : *it;
}

void add_smallest_within(const SweepSpec& spec, const std::vector<Case>& cases, const ExploreOptions& options,
                         const Search& search, Sweep& sweep, Diagnostics& diags) {
  const double share = tolerance_of(spec);
  const auto objective = tolerance_objective(spec);
  if (!(share > 0)) return;
  const LoggedStage logged("the smallest plan near the best");
  for (std::size_t i = 0; i < cases.size() && i < sweep.fronts.size(); ++i) {
    if (options.interrupted != nullptr && options.interrupted->load()) return;
    auto& front = sweep.fronts[i];
    const auto* best = best_of(front, objective);
    if (best == nullptr) continue;
    auto narrow = spec;
    narrow.within = 0;
    narrow.objectives = {"memory"};
    narrow.constraints.push_back({objective, value_of(*best, objective) * (1 + share), {}});
    if (spec.seconds > 0) {
      narrow.seconds = spec.seconds - sweep.provenance.seconds;
      if (narrow.seconds <= 0) {
        front.notes.push_back("the smallest plan near the best was not looked for: the time was used up");
        continue;
      }
    }
    if (spec.simulations > 0) narrow.simulations = std::max<std::int64_t>(1, spec.simulations - front.simulated);
    auto found = search(narrow, {cases[i]}, options, diags);
    sweep.provenance.seconds += found.provenance.seconds;
    if (found.fronts.empty() || found.fronts[0].points.empty()) continue;
    const auto& other = found.fronts[0];
    front.within = share, front.within_objective = objective;
    if (!other.complete) front.notes.push_back("the smallest plan near the best is the smallest that was found");
    if (other.points[0].memory_bytes < best->memory_bytes)
      add(front, other.points[0]);
    else
      add(front, *best);
  }
}

}  // namespace dse::explore
