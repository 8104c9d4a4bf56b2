// Plans by phases: what the planner of shared phases finds, over plain plans and over composed ones.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/log.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/layer/packing.h"
#include "explore/runs/runs.h"
#include "explore/workers/transport.h"
#include "plan/choices/assignment.h"
#include "plan/choices/homes.h"
#include "plan/rules/phased_front.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;
/// Plans composed with phases that are measured: the smallest, where addresses decide, and others up to the fastest.
constexpr std::size_t kMostComposed = 80, kSmallest = 20;

bool by_phases(const plan::LayerChoice& choice) { return choice.phases != plan::Phases::no; }

/// Whether there may be runs of layers by phases.
bool has_runs(const Engine& engine, const Work& work) {
  return work.hopeless.empty() && engine.spec.by_phases && work.c->device->compute_engine() >= 0;
}

/// What the planner of shared phases finds for each case that has not got it, which takes a while: in workers.
void plan_all(Engine& engine, std::vector<Work>& works) {
  std::vector<std::size_t> items;
  for (std::size_t w = 0; w < works.size(); ++w)
    if (!works[w].phases && has_runs(engine, works[w])) items.push_back(w);
  PoolEvents events;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    works[items[static_cast<std::size_t>(i)]].phases = segmentations_from(bytes);
  };
  events.on_lost = [&](const Lost& loss) {
    if (may_try_again(loss)) return AfterLoss::again;
    leave_out(works[items[static_cast<std::size_t>(loss.item)]], left_by(loss, "planning by phases"));
    return AfterLoss::give_up;
  };
  auto pool = engine.pool(WhenInterrupted::abandon, engine.deadline);
  pool.hang_seconds = 0;
  fork_map(
      static_cast<std::int64_t>(items.size()), pool,
      [&](std::int64_t i, Post&) {
        const auto& c = *works[items[static_cast<std::size_t>(i)]].c;
        return to_bytes(plan::phased_points(*c.network, *c.device, c.whole, kMostPhases));
      },
      events);
}

}  // namespace

void measure_runs(Engine& engine, std::vector<Work>& works) {
  const LoggedStage logged("runs of layers by phases");
  struct Item {
    std::size_t work;
    plan::shared::RowSegment segment;
  };
  std::vector<Item> items;
  engine.teller.stage("planning by phases");
  plan_all(engine, works);
  for (std::size_t w = 0; w < works.size(); ++w) {
    auto& work = works[w];
    if (work.runs || !has_runs(engine, work)) continue;
    work.runs.emplace();
    if (!work.phases) {  // the planner failed, or the time is up
      work.runs->all = false;
      continue;
    }
    for (auto& segment : segments_of(*work.c, engine.spec, *work.space, *work.phases))
      items.push_back({w, std::move(segment)});
  }
  std::vector<std::optional<Runs>> found(items.size());
  PoolEvents events;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    const auto at = static_cast<std::size_t>(i);
    found[at] = runs_from(bytes);
    engine.teller.done(works[items[at].work].name(), kPlanWeight);
  };
  events.on_lost = [&](const Lost& loss) {
    if (may_try_again(loss)) return AfterLoss::again;
    leave_out(works[items[static_cast<std::size_t>(loss.item)].work], left_by(loss, "a run of layers by phases"));
    return AfterLoss::give_up;
  };
  engine.teller.stage("running layers by phases");
  engine.teller.expect(kPlanWeight * static_cast<double>(items.size()));
  log_debug(fmt::format("{} runs of layers by phases", items.size()));
  fork_map(
      static_cast<std::int64_t>(items.size()), engine.pool(WhenInterrupted::abandon, engine.deadline),
      [&](std::int64_t i, Post& post) {
        const auto& item = items[static_cast<std::size_t>(i)];
        post.mark(0);
        return to_bytes(runs_of(*works[item.work].c, engine.spec, *works[item.work].space, item.segment));
      },
      events);
  // In their order, whoever was first, so that results do not depend on it.
  for (std::size_t i = 0; i < items.size(); ++i)
    if (found[i])
      join(*works[items[i].work].runs, std::move(*found[i]));
    else
      works[items[i].work].runs->all = false;
}

CompositionFront compose_runs(const Work& work, CompositionOptions options) {
  if (!work.hopeless.empty() || !work.runs || work.runs->list.empty()) return {};
  const auto& runs = *work.runs;
  const auto composed = [&](const std::vector<Run>& list) {
    options.runs = &list, options.relaxed = false;
    auto out = compose(*work.space, work.layers, work.goal, options);
    options.relaxed = true;
    if (!out.exact && out.bound.empty()) out.bound = compose(*work.space, work.layers, work.goal, options).bound;
    return out;
  };
  auto list = undominated(runs.list);
  auto front = composed(list);
  for (const auto& run : list) front.runs += static_cast<std::int64_t>(run.options.size());
  if (!runs.open.empty()) {
    list.insert(list.end(), runs.open.begin(), runs.open.end());
    front.bound = composed(list).bound;
  }
  const bool open = std::any_of(work.layers.begin(), work.layers.end(), [](const auto& l) { return !l.complete(); });
  if (open || !runs.all) front.bound.clear();  // there may be runs that were not composed
  std::erase_if(front.points,
                [](const Composition& p) { return std::none_of(p.choices.begin(), p.choices.end(), by_phases); });
  return front;
}

NearPlans runs_near(const Engine& engine, const Work& work, const std::vector<std::vector<std::int64_t>>& reached) {
  NearLimits limits;
  limits.deadline = engine.deadline;
  if (!work.runs || !work.runs->all || !work.runs->open.empty()) return {{}, false};
  const auto& runs = *work.runs;
  // First without what may only be better in addresses: where that is too much already, the rest is as well.
  if (!near_plans(*work.space, work.layers, undominated(runs.list), work.goal, reached, limits).all) return {{}, false};
  auto layers = work.layers;
  for (std::size_t t = 0; t < layers.size(); ++t) {
    layers[t].entries.clear();
    for (auto& e : pack_layer(work.space->tasks[t], engine.registry, {}, work.goal, work.layers[t]).entries)
      layers[t].entries.push_back(std::move(e.entry));
  }
  return near_plans(*work.space, layers, runs.list, work.goal, reached, limits);
}

void plan_phases(const Engine& engine, Work& work) {
  const LoggedStage logged("planning by phases of " + work.name());
  const auto& n = *work.c->network;
  const auto& d = *work.c->device;
  if (!work.hopeless.empty()) return;
  if (!engine.spec.by_phases || d.compute_engine() < 0 || !work.phases || engine.late()) return;
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
