#include "explore/without.h"

#include <algorithm>

#include "base/log.h"
#include "explore/front/front.h"
#include "explore/front/gap.h"
#include "explore/question/axes.h"

namespace dse::explore {
namespace {

Values values_of(const Front& front) {
  Values out;
  for (const auto& p : front.points) {
    auto& values = out.emplace_back();
    for (const auto& objective : front.objectives)
      values.push_back(static_cast<std::int64_t>(1000 * value_of(p, objective)));
  }
  return out;
}

WithoutAxis compared(const Front& with, const Front& without, const std::string& axis) {
  WithoutAxis out;
  out.axis = axis;
  out.points = static_cast<int>(without.points.size());
  out.complete = without.complete;
  out.reason = without.infeasible_reason;
  if (without.points.empty()) return out;
  const auto smallest = std::min_element(without.points.begin(), without.points.end(),
                                         [](const auto& a, const auto& b) { return a.memory_bytes < b.memory_bytes; });
  const auto fastest = std::min_element(without.points.begin(), without.points.end(),
                                        [](const auto& a, const auto& b) { return a.latency_ticks < b.latency_ticks; });
  out.smallest_bytes = smallest->memory_bytes;
  out.fastest_us = fastest->latency_us;
  out.lost = proven_gap(values_of(without), values_of(with));
  return out;
}

}  // namespace

void add_without(const SweepSpec& spec, const std::vector<Case>& cases, const ExploreOptions& options,
                 const Search& search, Sweep& sweep, Diagnostics& diags) {
  auto quiet = options;
  quiet.store_plans = false;
  for (const auto& axis : space_axes()) {
    if (std::find(spec.without.begin(), spec.without.end(), axis.name) == spec.without.end()) continue;
    const LoggedStage logged(std::string("the same without ") + axis.name);
    for (std::size_t i = 0; i < cases.size() && i < sweep.fronts.size(); ++i) {
      if (options.interrupted != nullptr && options.interrupted->load()) return;
      auto& front = sweep.fronts[i];
      if (front.points.empty()) continue;
      auto narrow = spec;
      narrow.without.clear(), narrow.within = 0;
      axis.leave_out(narrow);
      const auto found = search(narrow, {cases[i]}, quiet, diags);
      sweep.provenance.seconds += found.provenance.seconds;
      if (!found.fronts.empty()) front.without.push_back(compared(front, found.fronts[0], axis.name));
    }
  }
}

}  // namespace dse::explore
