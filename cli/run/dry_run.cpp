#include "cli/run/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/common/interrupt.h"
#include "explore/dry_run.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using Json = nlohmann::ordered_json;
using explore::DryRun;
using reports::grouped;

/// 0.4 s, 12 s, 3 min, 5 h.
std::string time_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

void print_npu(const DryRun& d, int jobs) {
  fmt::print("{} on {}: {} operations of the NPU, {} schedules to begin with\n", d.network, d.device, d.layers.size(),
             d.searches);
  std::size_t wide = 9;
  for (const auto& l : d.layers) wide = std::max(wide, l.layer.size());
  fmt::print("  {:<{}}  {:>10}  {:>14}\n", "operation", wide, "options", "tried");
  for (const auto& l : d.layers)
    fmt::print("  {:<{}}  {:>10}  {:>14}\n", l.layer, wide, grouped(l.options), "<= " + grouped(l.left));
  if (!d.infeasible.empty()) {
    fmt::print("  no feasible plan: {}\n", d.infeasible);
    return;
  }
  fmt::print("  whole network: {:.3g} candidates; at most {} schedules to simulate, {} of them simulated now\n",
             d.whole, grouped(d.left), grouped(d.simulated));
  fmt::print("  estimate: {} simulations, about {} of them whole plans, in {} with --jobs {}; measured in {}\n",
             grouped(d.estimated_simulations), grouped(d.plans), time_text(d.estimated_seconds), jobs,
             time_text(d.looked_seconds));
}

void print(const DryRun& d, int jobs) {
  if (d.on_npu) return print_npu(d, jobs);
  fmt::print("{} on {}: {} layers, {} distinct layer searches\n", d.network, d.device, d.layers.size(), d.searches);
  std::size_t wide = 5;
  for (const auto& l : d.layers) wide = std::max(wide, l.layer.size());
  fmt::print("  {:<{}}  {:>8}  {:>10}  {:>10}  {:>14}\n", "layer", wide, "searches", "impossible", "schedules",
             "after pruning");
  for (const auto& l : d.layers)
    fmt::print("  {:<{}}  {:>8}  {:>10}  {:>10}  {:>14}{}\n", l.layer, wide, l.searches, grouped(l.impossible),
               grouped(l.options), "<= " + grouped(l.left), l.same_as.empty() ? "" : "  as " + l.same_as);
  fmt::print("  {:<{}}  {:>8}  {:>10}  {:>10}  {:>14}\n", "once", wide, d.searches, grouped(d.impossible),
             grouped(d.options), "<= " + grouped(d.left));
  if (!d.infeasible.empty()) {
    fmt::print("  no feasible plan: {}\n", d.infeasible);
    return;
  }
  fmt::print("  whole network: {:.3g} candidates; at most {} layer schedules to simulate, {} of them simulated now\n",
             d.whole, grouped(d.left), grouped(d.simulated));
  if (d.runs > 0)
    fmt::print("  by phases, in the file's order: {} runs of layers, {:.3g} candidates with some of them\n",
               grouped(d.runs), d.whole_with_runs);
  fmt::print("  estimate: {} simulations, about {} of them whole plans, in {} with --jobs {}; measured in {}\n",
             grouped(d.estimated_simulations), grouped(d.plans), time_text(d.estimated_seconds), jobs,
             time_text(d.looked_seconds));
}

Json json_of(const DryRun& d) {
  Json layers = Json::array();
  for (const auto& l : d.layers) {
    Json row = {{"layer", l.layer},           {"kind", l.kind},       {"searches", l.searches},
                {"impossible", l.impossible}, {"options", l.options}, {"after_pruning_at_most", l.left}};
    if (!l.same_as.empty()) row["same_as"] = l.same_as;
    layers.push_back(std::move(row));
  }
  Json out = {{"network", d.network},
              {"device", d.device},
              {"layers", layers},
              {"layer_searches", d.searches},
              {"impossible", d.impossible},
              {"options", d.options},
              {"after_pruning_at_most", d.left},
              {"simulated", d.simulated},
              {"whole_network_candidates", d.whole},
              {"runs_by_phases", d.runs},
              {"whole_network_candidates_with_runs", d.whole_with_runs},
              {"estimated_plans", d.plans},
              {"estimated_simulations", d.estimated_simulations},
              {"estimated_seconds", d.estimated_seconds},
              {"measured_in_seconds", d.looked_seconds}};
  if (!d.infeasible.empty()) out["infeasible"] = d.infeasible;
  return out;
}

}  // namespace

int dry_run(const explore::SweepSpec& spec, const std::vector<explore::Case>& cases, int jobs, bool json) {
  std::set<std::string> networks, devices;
  for (const auto& c : cases) networks.insert(c.network->structure_hash()), devices.insert(c.device_label);
  explore::DryRunOptions options;
  options.jobs = jobs;
  options.interrupted = &watch_interrupts();
  Json all = Json::array();
  double seconds = 0;
  bool feasible = cases.empty();
  if (!json)
    fmt::print("{} case{}: networks {}, device points {}\n", cases.size(), cases.size() == 1 ? "" : "s",
               networks.size(), devices.size());
  for (const auto& c : cases) {
    const auto found = explore::dry_run(c, spec, options);
    if (!found.complete) return Exit::interrupted;
    seconds += found.estimated_seconds;
    feasible |= found.infeasible.empty();
    if (json)
      all.push_back(json_of(found));
    else
      print(found, jobs);
  }
  if (json)
    fmt::print("{}\n", Json{{"networks", networks.size()},
                            {"device_points", devices.size()},
                            {"jobs", jobs},
                            {"estimated_seconds", seconds},
                            {"cases", all}}
                           .dump(2));
  else if (cases.size() > 1)
    fmt::print("estimate for all cases: {} with --jobs {}\n", time_text(seconds), jobs);
  return feasible ? Exit::ok : Exit::no_feasible_plan;
}

}  // namespace dse::cli
