// Plans that are given, not searched: by rule, TFLM's, the user's.
#include <fmt/format.h>

#include "explore/transport.h"
#include "explore/work.h"
#include "plan/rules.h"

namespace dse::explore {
namespace {

void add_rule(Work& work, std::variant<plan::Plan, plan::Infeasible> made, const char* what) {
  if (auto* plan = std::get_if<plan::Plan>(&made))
    work.given.push_back({std::move(*plan), {}, false});
  else
    work.notes.push_back(fmt::format("{}: {}", what, std::get<plan::Infeasible>(made).what));
}

}  // namespace

AfterLoss retry(const Lost& loss) {
  if (loss.times >= kAttempts)
    throw std::runtime_error("what cannot be left out brings down every worker: " + loss.how);
  return AfterLoss::again;
}

void simulate_given(Engine& engine, std::vector<Work>& works) {
  for (auto& work : works) {
    const auto& c = *work.c;
    add_rule(work, plan::rule_based_plan(*c.network, *c.device, false, c.whole.input), "rule-based");
    add_rule(work, plan::rule_based_plan(*c.network, *c.device, true, c.whole.input), "rule-based (resident weights)");
    add_rule(work, plan::tflm_plan(*c.network, *c.device, c.whole.input), "TFLM today");
    for (const auto& file : engine.spec.plans) {
      Diagnostics own;
      if (auto plan = plan::read_plan(file, *c.network, *c.device, own)) {
        plan->origin = "user";
        work.given.push_back({std::move(*plan), {}, false});
      } else if (works_only_elsewhere(own)) {
        work.notes.push_back(file + " belongs to another network or device");
      } else {
        for (const auto& d : own.list()) engine.diags.add(d);
      }
    }
  }
  std::vector<std::pair<Work*, GivenPlan*>> items;
  for (auto& work : works)
    for (auto& given : work.given) items.emplace_back(&work, &given);
  engine.teller.expect(kPlanWeight * static_cast<double>(items.size()));
  PoolEvents events;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    auto& [work, given] = items[static_cast<std::size_t>(i)];
    given->point = point_from(bytes), given->simulated = true;
    engine.teller.simulated(1);
    engine.teller.done(work->name(), kPlanWeight);
  };
  events.on_lost = retry;
  fork_map(
      static_cast<std::int64_t>(items.size()), engine.pool(),
      [&](std::int64_t i, Post& post) {
        const auto& [work, given] = items[static_cast<std::size_t>(i)];
        post.mark(0);
        return to_bytes(simulate_point(*work->c, given->plan, engine.options.verify, true));
      },
      events);
  for (auto& work : works) {
    std::vector<Point> points;
    for (const auto& given : work.given)
      if (given.simulated) points.push_back(given.point);
    select_front(points, engine.spec, work.front, true);
    work.front.simulated = static_cast<std::int64_t>(points.size());
    judge_accuracy(*work.c, work.front);
  }
}

void note_broken_choices(const Engine& engine, const Work& work, Front& front) {
  for (const auto& p : front.points)
    for (const auto& given : work.given) {
      if (p.origin == "front" || given.plan.id() != p.id || given.plan.origin != p.origin) continue;
      auto why = broken_choice(engine.spec.choices, *work.c->network, *work.c->device, given.plan.choices,
                               given.plan.alias_reshapes, engine.registry);
      if (why.empty() && engine.spec.choices.count("network.input") > 0 && given.plan.input != work.c->whole.input)
        why = fmt::format("network.input is {}, not {}", plan::name_of(given.plan.input),
                          plan::name_of(work.c->whole.input));
      if (!why.empty())
        front.notes.push_back(
            fmt::format("{} is on the front although its {}: given plans are candidates whatever "
                        "choices are fixed",
                        p.origin == "user" ? "your plan " + p.id : p.origin, why));
    }
}

}  // namespace dse::explore
