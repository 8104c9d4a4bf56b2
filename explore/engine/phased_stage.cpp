// Plans by phases: what the planner of shared phases finds, over plain plans and over composed ones.
#include <algorithm>
#include <set>

#include "base/log.h"
#include "explore/engine/work.h"
#include "explore/runs/rounding.h"
#include "explore/runs/runs.h"
#include "plan/choices/assignment.h"
#include "plan/choices/homes.h"
#include "plan/rules/phased_front.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;
/// Plans composed with phases that are measured: the smallest, where addresses decide, and others up to the fastest.
constexpr std::size_t kMostComposed = 80, kSmallest = 20;

bool by_phases(const plan::LayerChoice& choice) { return choice.phases != plan::Phases::no; }

/// What is composed in whole sections may need `rounding` less as a plan (most_rounding): it may exceed limits by that.
Goal raised(Goal goal, const hw::Device& device, const std::vector<std::int64_t>& rounding) {
  const auto raise = [](std::int64_t& limit, std::int64_t by) { limit += limit < kUnlimited - by ? by : 0; };
  for (std::size_t m = 0; m < goal.limits.size(); ++m) {
    raise(goal.limits[m], rounding[m]);
    if (device.memories[m].on_chip) raise(goal.total_limit, rounding[m]);
  }
  return goal;
}
void lower(std::vector<std::vector<std::int64_t>>& bound, const Goal& goal, const std::vector<std::int64_t>& rounding) {
  const auto less = values_with(goal, rounding, Costs{});
  for (auto& values : bound)
    for (std::size_t j = 0; j < less.size(); ++j) values[j] = std::max<std::int64_t>(0, values[j] - less[j]);
}

}  // namespace

CompositionFront compose_runs(const Engine& engine, const Work& work,
                              std::optional<std::chrono::steady_clock::time_point> deadline) {
  if (!work.hopeless.empty()) return {};
  const auto runs = runs_of(*work.c, engine.spec, *work.space, work.layers,
                            [&] { return engine.interrupted() || (deadline && Clock::now() >= *deadline); });
  if (runs.list.empty()) return {};
  CompositionOptions options;
  options.deadline = deadline, options.runs = &runs.list;
  const auto rounding = most_rounding(*work.space);
  const auto goal = raised(work.goal, *work.c->device, rounding);
  auto front = compose(*work.space, work.layers, goal, options);
  for (const auto& run : runs.list) front.runs += static_cast<std::int64_t>(run.options.size());
  if (!front.exact && front.bound.empty()) {
    options.relaxed = true;
    front.bound = compose(*work.space, work.layers, goal, options).bound;
  }
  const bool open = std::any_of(work.layers.begin(), work.layers.end(), [](const auto& l) { return !l.complete(); });
  if (open || !runs.all)
    front.bound.clear();  // there may be runs that were not composed
  else
    lower(front.bound, work.goal, rounding);
  std::erase_if(front.points,
                [](const Composition& p) { return std::none_of(p.choices.begin(), p.choices.end(), by_phases); });
  return front;
}

void plan_phases(const Engine& engine, Work& work) {
  const LoggedStage logged("planning by phases of " + work.name());
  const auto& n = *work.c->network;
  const auto& d = *work.c->device;
  if (!work.hopeless.empty()) return;
  if (!engine.spec.by_phases || d.compute_engine() < 0) return;
  // What is planned for the whole network, over plans without phases: once its buffers have addresses it may need less
  // than what sums of bytes make look smaller.
  auto bases = work.bases;
  for (const int m : plan::home_memories(d)) bases.push_back(plan::plain_choices(n, d, m));
  const auto& composed = work.space->orders.any ? work.filed.points : work.composed.points;
  if (!composed.empty()) bases.insert(bases.end(), {composed.front().choices, composed.back().choices});
  const auto& points = work.by_runs.points;
  for (auto& base : bases)  // layers by phases and layers in place do not go together; where they may be is tried again
    for (auto& choice : base) choice.in_place = false;
  std::set<std::string> seen;
  for (const auto& decided : work.phased)
    seen.insert(plan::assignment_text(plan::to_assignment(n, d, decided.layers, engine.registry)));
  if (!work.phases) work.phases = plan::phased_points(n, d, work.c->whole, kMostPhases);
  const auto add = [&](std::vector<plan::LayerChoice> choices) {
    if (!broken_choice(engine.spec.choices, n, d, choices, true, engine.registry).empty()) return;
    if (seen.insert(plan::assignment_text(plan::to_assignment(n, d, choices, engine.registry))).second)
      work.phased.push_back({work.c->whole, std::move(choices)});
  };
  const std::size_t count = points.size(), all = std::min(kSmallest, count), left = count - all;
  const auto spread = std::min(kMostComposed - kSmallest, left);
  for (std::size_t i = 0; i < all; ++i) add(points[i].choices);
  for (std::size_t i = 0; i < spread; ++i) add(points[count - 1 - i * left / spread].choices);
  work.composed_phased = work.phased.size();
  for (const auto& base : bases)
    for (const auto& point : *work.phases) add(plan::phased_choices(n, d, base, work.c->whole.alias_reshapes, point));
}

}  // namespace dse::explore
