#include "explore/dry_run.h"

#include <algorithm>
#include <chrono>

#include "explore/compose/graph/section_graph.h"
#include "explore/engine/plan_budget.h"
#include "explore/measure/point.h"
#include "explore/npu/extent.h"
#include "explore/question/goal.h"
#include "explore/runs/runs.h"
#include "methods/branch/branch_plan.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"

namespace dse::explore {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::int64_t options_of(const LayerFront& f) { return f.own + f.fetched; }

/// Whole plans, by whether they have runs of layers by phases.
struct Counted {
  double plain = 0, with_runs = 0;
};

/// Paths through the homes of the tensors, each counted with the schedules of its layers, and its runs.
Counted whole_candidates(const SectionGraph& graph, const std::vector<LayerFront>& fronts) {
  std::vector<Counted> before = {{1, 0}};
  for (std::size_t s = 0; s < graph.sections.size(); ++s) {
    std::vector<Counted> after(static_cast<std::size_t>(graph.states[s + 1]));
    for (const auto& e : graph.sections[s]) {
      const auto& from = before[static_cast<std::size_t>(e.from)];
      auto& to = after[static_cast<std::size_t>(e.to)];
      if (e.task < 0) {
        const auto options = static_cast<double>(graph.of(e).size());
        if (e.run < 0) to.plain += from.plain;
        to.with_runs += options * (from.with_runs + (e.run < 0 ? 0 : from.plain));
        continue;
      }
      const auto& front = fronts[static_cast<std::size_t>(e.task)];
      const auto options = static_cast<double>(e.fetched ? front.fetched : front.own);
      to.plain += options * from.plain, to.with_runs += options * from.with_runs;
    }
    before.swap(after);
  }
  Counted sum;
  for (const auto& n : before) sum.plain += n.plain, sum.with_runs += n.with_runs;
  return sum;
}

/// Whole plans of a front in two or more objectives, for each point that is shown: about half of what is measured once
/// it is composed, or planned by phases, is dominated by the rest. Counted on the shipped networks and devices, where
/// it is between 1 and 8.
constexpr std::int64_t kPlansPerPoint = 2;
/// By rule, and TFLM's.
std::int64_t plans_given(const Case& c) { return plan::branch::has_branches(*c.network) ? 4 : 3; }

/// What comes after `simulated` schedules of layers: given plans in any case, of the others what a budget leaves.
std::int64_t plans_after(const Case& c, const SweepSpec& spec, double whole, std::int64_t simulated) {
  const std::int64_t points = spec.objectives.size() < 2 ? 4 : spec.front_points > 0 ? spec.front_points : 200;
  const auto given = plans_given(c) + std::ssize(spec.plans);
  auto most = kPlansPerPoint * points;
  if (spec.simulations > 0) most = std::clamp<std::int64_t>(spec.simulations - simulated - given, 1, most);
  return given + static_cast<std::int64_t>(std::min(static_cast<double>(most), whole));
}

std::variant<plan::Plan, plan::Infeasible> plan_by_rule(const Case& c) {
  auto made = plan::tflm_plan(*c.network, *c.device, c.whole.input);
  if (!std::holds_alternative<plan::Plan>(made))
    made = plan::rule_based_plan(*c.network, *c.device, false, c.whole.input);
  return made;
}

/// Seconds that whole plans and the points of the front take, from one plan by rule: alone, and with everything that is
/// reported.
double plan_seconds(const Case& c, const SweepSpec& spec, std::int64_t plans) {
  const auto made = plan_by_rule(c);
  const auto* plan = std::get_if<plan::Plan>(&made);
  if (plan == nullptr) return 0;
  const auto start = std::chrono::steady_clock::now();
  simulate_point(c, *plan, false, false);
  const double light = seconds_since(start);
  simulate_point(c, *plan, true, true);
  const double full = seconds_since(start) - light;
  const auto shown = std::min<std::int64_t>(plans, spec.front_points > 0 ? spec.front_points + plans_given(c) : plans);
  return light * static_cast<double>(plans) + full * static_cast<double>(shown);
}

/// Of a device with an NPU, whose schedules are searched in place of the CPU's.
void look_at_npu(const Case& c, const SweepSpec& spec, DryRun& out) {
  const auto start = std::chrono::steady_clock::now();
  const auto npu = hw::ethos_u::npu_of(*c.device);
  auto extent = npu::extent_of(c.network, npu->npu);
  const double each = seconds_since(start) / static_cast<double>(std::max<std::int64_t>(1, extent.simulated));
  out.on_npu = true;
  for (const auto& o : extent.operations) {
    const auto* op = o.source < 0 ? nullptr : &c.network->operators[static_cast<std::size_t>(o.source)];
    out.layers.push_back({o.name, op ? nn::key_of(op->kind) : "copy", {}, 1, o.options, 0, o.tried});
    out.options += o.options;
  }
  out.searches = static_cast<int>(extent.starts.size()), out.simulated = extent.simulated;
  out.whole = extent.candidates;
  std::int64_t simulations = extent.simulations;
  if (spec.simulations > 0)
    simulations = std::min(simulations, std::max<std::int64_t>(1, spec.simulations - plans_given(c)));
  out.left = simulations, out.plans = plans_given(c) + out.searches + std::ssize(spec.plans);
  out.estimated_simulations = simulations + plans_given(c) + std::ssize(spec.plans);
  out.estimated_seconds = each * static_cast<double>(simulations) + plan_seconds(c, spec, plans_given(c));
  std::string lacks;
  for (auto& p : extent.starts) {
    p.compiled.system = npu;
    const auto made =
        plan::npu::npu_plan(*c.device, std::make_shared<const plan::npu::Compiled>(std::move(p.compiled)));
    if (const auto* plan = std::get_if<plan::Plan>(&made)) {
      const auto began = std::chrono::steady_clock::now();
      simulate_point(c, *plan, true, true);
      out.estimated_seconds += seconds_since(began) * static_cast<double>(out.searches);
      return;
    }
    if (lacks.empty()) lacks = std::get<plan::Infeasible>(made).what;
  }
  if (std::holds_alternative<plan::Infeasible>(plan_by_rule(c))) out.infeasible = lacks;
}

}  // namespace

DryRun dry_run(const Case& c, const SweepSpec& asked, const DryRunOptions& options,
               const plan::ChoiceRegistry& registry) {
  const auto spec = on_one_device(asked);
  const auto start = std::chrono::steady_clock::now();
  DryRun out;
  out.network = c.network_name(), out.device = c.device_label;
  out.infeasible = over_limit(asked, c);
  if (!out.infeasible.empty()) return out;
  if (c.device->npu() >= 0) {
    look_at_npu(c, spec, out);
    if (spec.seconds > 0) out.estimated_seconds = std::min(out.estimated_seconds, spec.seconds);
    out.looked_seconds = seconds_since(start);
    return out;
  }
  const Space space(*c.network, *c.device, spec);
  const auto goal = goal_of(spec, *c.network, *c.device);
  const std::int64_t budget = for_each_layer(spec.simulations, space.tasks.size());
  std::vector<LayerFront> fronts(space.tasks.size());
  double remaining = 0;
  std::int64_t simulations = 0;
  for (std::size_t t = 0; t < space.tasks.size(); ++t) {
    if (options.interrupted && options.interrupted->load()) {
      out.complete = false;
      break;
    }
    const auto began = std::chrono::steady_clock::now();
    auto& f = fronts[t];
    f = search_layer(space.tasks[t], registry, {}, goal, {options.simulations, {}});
    const double seconds = seconds_since(began);
    out.options += options_of(f), out.impossible += f.infeasible + f.outside;
    out.simulated += f.simulated, out.left += f.simulated + f.skipped;
    // Here the rate is that of this layer: of the others, simulations may take ten times as long.
    const auto likely = f.simulated + static_cast<std::int64_t>(f.expected());
    const auto all = budget > 0 ? std::min(budget, likely) : likely;
    simulations += all;
    if (f.simulated > 0)
      remaining += std::max(seconds, seconds * static_cast<double>(all) / static_cast<double>(f.simulated));
  }
  out.searches = static_cast<int>(space.tasks.size());
  for (std::size_t s = 0; s < space.layers.size(); ++s) {
    const auto& op = c.network->operators[static_cast<std::size_t>(space.layers[s])];
    LayerOptions row;
    row.layer = op.name, row.kind = nn::key_of(op.kind);
    row.searches = static_cast<int>(space.tasks_of[s].size());
    for (std::size_t earlier = 0; earlier < s && row.same_as.empty(); ++earlier)
      if (space.tasks_of[earlier] == space.tasks_of[s])
        row.same_as = c.network->operators[static_cast<std::size_t>(space.layers[earlier])].name;
    for (const int t : space.tasks_of[s]) {
      const auto& f = fronts[static_cast<std::size_t>(t)];
      row.options += options_of(f), row.impossible += f.infeasible + f.outside, row.left += f.simulated + f.skipped;
    }
    out.layers.push_back(std::move(row));
  }
  if (out.complete) {
    const auto graph = section_graph(space, fronts);
    out.infeasible = graph.infeasible_reason;
    if (out.infeasible.empty()) out.whole = whole_candidates(graph, fronts).plain;
  }
  if (out.complete && out.infeasible.empty()) {
    const auto runs = undominated(
        runs_of(c, spec, space, kMostPhases, [&] { return options.interrupted && options.interrupted->load(); }).list);
    for (const auto& run : runs) out.runs += std::ssize(run.options);
    if (out.runs > 0)
      out.whole_with_runs = whole_candidates(section_graph(space, fronts, Cuts::file, &runs), fronts).with_runs;
  }
  if (out.complete && out.infeasible.empty()) {
    out.plans = plans_after(c, spec, out.whole, simulations);
    out.estimated_simulations = simulations + out.plans;
    remaining += plan_seconds(c, spec, out.plans);
  }
  out.estimated_seconds = remaining / std::max(1, options.jobs);
  if (spec.seconds > 0) out.estimated_seconds = std::min(out.estimated_seconds, spec.seconds);
  out.looked_seconds = seconds_since(start);
  return out;
}

}  // namespace dse::explore
