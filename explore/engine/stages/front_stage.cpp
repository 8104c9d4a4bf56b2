// What is measured becomes a front: which points there are, what is proven about them, what is said beside them.
#include <fmt/format.h>

#include <algorithm>

#include "explore/compose/close_gap.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/front/accuracy.h"
#include "explore/front/gap.h"

namespace dse::explore {
namespace {

/// Points of a front so far: enough to look at.
constexpr int kInterimPoints = 12;

/// The plans of a case that may become points.
struct FoundPlans {
  std::vector<Point> points;
  std::int64_t whole = 0, unmeasured = 0;
};

/// What the certificate does not cover is either.
const char* outside_of(const std::vector<plan::LayerChoice>& choices) {
  const auto any = [&](auto of) { return std::any_of(choices.begin(), choices.end(), of); };
  if (any([](const plan::LayerChoice& c) { return c.phases != plan::Phases::no; })) return "by phases";
  return any([](const plan::LayerChoice& c) { return c.in_place; }) ? "in place" : "tried besides";
}

/// Plans that the search made, as far as they are measured and right.
FoundPlans measured_plans(const Work& work, const std::vector<std::string>& texts, Front& front,
                          DecisionsById& decided) {
  FoundPlans out;
  const std::size_t composed = work.composed.points.size();
  for (std::size_t p = 0; p < texts.size(); ++p) {
    const auto it = work.measured.find(texts[p]);
    const bool beaten = work.beaten.count(texts[p]) > 0;
    if (beaten || it == work.measured.end()) {  // lost, or the time was up; or something else is at least as good
      if (p < composed && !beaten) ++out.unmeasured;
      if (p >= composed && beaten) ++front.phased;
      continue;
    }
    const auto& m = it->second;
    if (m.invalid || is_left_out(work, m.plan)) continue;
    ++out.whole;
    if (p >= composed) ++front.phased;
    if (!m.feasible() && p >= composed) continue;  // it does not fit; the planner knows one memory only
    if (!m.feasible()) {
      front.notes.push_back("a composed plan does not fit once its buffers have addresses: " + m.reason);
      continue;
    }
    out.points.push_back(light_point(*work.c, m));
    if (p >= composed) out.points.back().outside = outside_of(decisions_at(work, p).layers);
    decided[m.plan] = decisions_at(work, p);
  }
  for (const auto& given : work.given)
    if (given.simulated) out.points.push_back(given.point), ++out.whole;
  return out;
}

void note_phases(const DecisionsById& decided, Front& front) {
  const auto by_phases = std::count_if(front.points.begin(), front.points.end(), [&](const Point& p) {
    const auto it = decided.find(p.id);
    return it != decided.end() && std::any_of(it->second.layers.begin(), it->second.layers.end(),
                                              [](const auto& c) { return c.phases != plan::Phases::no; });
  });
  if (by_phases > 0)
    front.notes.push_back(fmt::format("{} of the points run layers by phases, of {} such plans that were tried",
                                      by_phases, front.phased));
}

/// Adds up what the searches of the layers did. @returns whether nothing is open in them.
bool add_layers(const Work& work, Front& front) {
  bool settled = true;
  for (const auto& layer : work.layers) {
    front.simulated += layer.simulated;
    front.proven_dominated += layer.discarded;
    front.infeasible += layer.infeasible;
    front.outside += layer.outside;
    front.skipped += layer.skipped;
    front.lost += layer.lost;
    settled &= layer.complete();
  }
  return settled;
}

/// Of memory and latency: less latency with more memory.
std::vector<Front::Dot> staircase(Values bound) {
  std::sort(bound.begin(), bound.end());
  std::vector<Front::Dot> out;
  for (const auto& b : bound)
    if (out.empty() || b[1] < out.back().latency_ticks) out.push_back({b[0], b[1]});
  return out;
}

void say_why_none(const Work& work, Front& front) {
  // The search names the layer; plans by phases that break a limit do not.
  if (!work.hopeless.empty())
    front.infeasible_reason = work.hopeless;
  else if (front.infeasible_reason.empty() || !work.composed.infeasible_reason.empty())
    front.infeasible_reason = work.composed.infeasible_reason;
  if (!work.composed.exact && !work.front.points.empty()) {
    // The time was up before anything was composed: what was there before is still the best that is known.
    front.points = work.front.points, front.values = work.front.values;
    front.infeasible_reason.clear();
  }
  if (front.points.empty() && front.infeasible_reason.empty() && !work.left_out.empty())
    front.infeasible_reason = "every plan that was found was left out";
  if (front.out_of_memory()) front.infeasible_reason = "there was too little memory to search for one";
}

}  // namespace

plan::Decisions decisions_of(const Work& work, const Composition& point) {
  plan::Decisions out{work.c->whole, point.choices};
  out.network.order = point.order;
  return out;
}

plan::Decisions decisions_at(const Work& work, std::size_t p) {
  const auto composed = work.composed.points.size();
  return p < composed ? decisions_of(work, work.composed.points[p]) : work.phased[p - composed];
}

std::vector<std::vector<std::int64_t>> reached_by(const std::vector<Point>& points, const Goal& goal,
                                                  const hw::Device& device) {
  std::vector<std::vector<std::int64_t>> out;
  for (const auto& p : points) {
    if (p.run.failure) continue;
    std::vector<std::int64_t> heights;
    for (const auto& m : device.memories)
      heights.push_back(static_cast<std::int64_t>(p.metrics.at("memories." + m.name + ".peak")));
    if (keeps(goal, device, heights, p.costs)) out.push_back(values_with(goal, heights, p.costs));
  }
  return out;
}

Front front_of(Engine& engine, Work& work, const std::vector<std::string>& texts, bool last, DecisionsById& decided) {
  Front front;
  describe_front(*work.c, front);
  front.notes = work.notes;
  front.left_out = work.left_out;
  front.fetches_ahead = work.space->fetches_ahead();
  front.by_techniques = work.space->by_techniques();
  front.by_batches = work.space->by_batches();
  const auto found = measured_plans(work, texts, front, decided);
  SweepSpec spec = engine.spec;
  if (!last) spec.front_points = kInterimPoints;
  select_front(found.points, spec, front);
  judge_fixed_choices(engine, work, front);
  note_phases(decided, front);
  const bool layers = add_layers(work, front);
  front.simulated += found.whole;
  front.proven_dominated += static_cast<std::int64_t>(work.beaten.size());
  front.lost += work.whole_lost;
  if (last && found.unmeasured > work.whole_lost)
    front.notes.push_back(fmt::format("{} composed plans were not simulated: the budget was used up",
                                      found.unmeasured - work.whole_lost));
  front.complete =
      last && layers && work.composed.exact && work.closed && found.unmeasured == 0 && work.left_out.empty();
  // By all points, those that are not shown as well: where a plan by phases is as good as one that was composed, that
  // one was not measured.
  const auto reached = reached_by(found.points, work.goal, *work.c->device);
  if (front.complete) {
    front.gap = front.pointwise_gap = 0;
  } else if (!front.points.empty() && !work.bound.bound.empty()) {
    front.gap = proven_gap(reached, work.bound.bound), front.pointwise_gap = pointwise_gap(reached, work.bound.bound);
  }
  if (front.points.empty()) say_why_none(work, front);
  auto bound = work.bound.bound;
  if (last && layers && !front.points.empty() && !bound.empty() && !work.by_runs.bound.empty()) {
    auto joint = front.complete ? reached : bound;  // where it is complete, addresses are accounted for
    joint.insert(joint.end(), work.by_runs.bound.begin(), work.by_runs.bound.end());
    front.runs = work.by_runs.runs;
    front.runs_gap = proven_gap(reached, joint), front.runs_pointwise_gap = pointwise_gap(reached, joint);
    bound.insert(bound.end(), work.by_runs.bound.begin(), work.by_runs.bound.end());
  }
  if (engine.spec.objectives == std::vector<std::string>{"memory", "latency"})
    front.bound = staircase(std::move(bound));
  for (const auto& b : work.composed.beaten) front.dominated.push_back({b.memory, b.ticks});
  judge_accuracy(*work.c, front);
  return front;
}

}  // namespace dse::explore
