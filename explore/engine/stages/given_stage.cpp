// Plans that are given, not searched: by rule, TFLM's, the user's.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "explore/engine/quarantine.h"
#include "explore/engine/stages/in_full.h"
#include "explore/engine/work.h"
#include "explore/front/accuracy.h"
#include "explore/measure/point.h"
#include "explore/workers/transport.h"
#include "methods/branch/branch_plan.h"
#include "plan/choices/assignment.h"
#include "plan/document/document.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"

namespace dse::explore {
namespace {

constexpr const char* kAsInFile = "as in the file";

template <class Make>
void add_rule(Work& work, const char* what, const Make& rule) {
  try {
    auto made = rule();
    if (auto* plan = std::get_if<plan::Plan>(&made))
      work.given.push_back({std::move(*plan), {}, false});
    else {
      const auto& unfit = std::get<plan::Infeasible>(made);
      work.notes.push_back(fmt::format("{}: {}", what, unfit.what));
      if (unfit.shortfall > 0) work.unfit.take(work.notes.back(), unfit.shortfall);
    }
  } catch (const InvariantError& e) {
    leave_out(work, {what, "", "", "failed", e.what()});
  }
}

void leave_out_given(Work& work, GivenPlan& given, const char* why, const std::string& reason) {
  given.simulated = false;
  leave_out(work, {given.plan.origin, given.plan.id(), "", why, reason});
}

/// In full, unless the checker has something against it.
std::string simulated(const Engine& engine, const Case& c, const plan::Plan& plan) {
  ByteWriter out;
  const auto against = refusal(c, plan);
  out << against;
  if (against.empty()) out << to_bytes(in_full(engine, c, plan));
  return std::move(out.bytes);
}

/// In full, each in a worker; what breaks down is left out.
void simulate_all(Engine& engine, std::vector<std::pair<Work*, GivenPlan*>> items) {
  engine.teller.expect(kPlanWeight * static_cast<double>(items.size()));
  PoolEvents events;
  events.forget = true;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    auto& [work, given] = items[static_cast<std::size_t>(i)];
    engine.teller.simulated(1);
    engine.teller.done(work->name(), kPlanWeight);
    ByteReader r(bytes);
    std::string against, point;
    r >> against;
    if (!against.empty()) return leave_out_given(*work, *given, "refused", against);
    r >> point;
    given->point = point_from(point), given->simulated = true;
    given->point.outside = "given";
    if (const auto& failure = given->point.run.failure)
      leave_out_given(*work, *given, "failed", failure->what);
    else if (engine.options.verify && !given->point.verified)
      leave_out_given(*work, *given, "other bytes", "");
  };
  events.on_lost = [&](const Lost& loss) {
    if (may_try_again(loss)) return AfterLoss::again;
    auto& [work, given] = items[static_cast<std::size_t>(loss.item)];
    const auto left = left_by(loss, given->plan.origin);
    leave_out_given(*work, *given, left.why.c_str(), left.reason);
    return AfterLoss::give_up;
  };
  fork_map(
      static_cast<std::int64_t>(items.size()), engine.pool(),
      [&](std::int64_t i, Post& post) {
        const auto& [work, given] = items[static_cast<std::size_t>(i)];
        post.mark(0);
        return simulated(engine, *work->c, given->plan);
      },
      events);
}

}  // namespace

AfterLoss retry(const Lost& loss) {
  if (may_try_again(loss)) return AfterLoss::again;
  if (loss.exhausted) throw std::bad_alloc();
  throw std::runtime_error("what cannot be left out brings down every worker: " + loss.how);
}

void simulate_given(Engine& engine, std::vector<Work>& works) {
  using Clock = std::chrono::steady_clock;
  // What all of the orders of branches together may take of a budget of time: a tenth.
  const auto end = engine.deadline ? Clock::now() + 2 * engine.grace : Clock::time_point::max();
  const auto stop = [&] { return engine.interrupted() || Clock::now() >= end; };
  for (auto& work : works) {
    if (engine.interrupted()) break;
    if (!work.hopeless.empty()) continue;
    const auto& c = *work.c;
    for (const bool resident : {false, true})
      add_rule(work, resident ? "rule-based (resident weights)" : "rule-based", [&] {
        return plan::rule_based_plan(*c.network, *c.device, resident, c.whole.input, work.space->by_techniques());
      });
    if (plan::branch::has_branches(*c.network))
      add_rule(work, plan::branch::kBranchOrder, [&] {
        const auto& orders = work.space->orders;  // those that the sweep lets the search take, as `network.input`
        return plan::branch::branch_order_plan(*c.network, *c.device, c.whole.input,
                                               orders.any ? std::vector<std::vector<int>>{} : orders.listed, stop);
      });
    add_rule(work, "TFLM today", [&] { return plan::tflm_plan(*c.network, *c.device, c.whole.input); });
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
  simulate_all(engine, std::move(items));
  for (auto& work : works) {
    std::vector<Point> points;
    for (const auto& given : work.given)
      if (given.simulated) points.push_back(given.point);
    select_front(points, engine.spec, work.front);
    work.front.simulated = static_cast<std::int64_t>(points.size());
    work.front.left_out = work.left_out;
    judge_accuracy(*work.c, work.front);
  }
}

void simulate_as_in_file(Engine& engine, std::vector<Work>& works) {
  std::vector<std::pair<Work*, GivenPlan*>> items;
  for (auto& work : works) {
    if (work.filed.points.empty() || work.composed.points.empty() || work.composed.points.front().order.empty())
      continue;
    const bool there = std::any_of(work.given.begin(), work.given.end(),
                                   [](const GivenPlan& g) { return g.plan.origin == kAsInFile; });
    auto made = plan::plan_of(*work.c->network, *work.c->device, decisions_of(work, work.filed.points.front()));
    auto* plan = std::get_if<plan::Plan>(&made);
    if (there || plan == nullptr) continue;
    plan->origin = kAsInFile;
    work.given.push_back({std::move(*plan), {}, false});
    items.emplace_back(&work, &work.given.back());
  }
  simulate_all(engine, std::move(items));
}

void judge_fixed_choices(const Engine& engine, const Work& work, Front& front) {
  std::vector<std::string> notes;
  for (const auto& p : front.points)
    for (const auto& given : work.given) {
      if (p.origin == "front" || given.plan.id() != p.id || given.plan.origin != p.origin) continue;
      auto why = broken_choice(engine.spec.choices, *work.c->network, *work.c->device, given.plan.choices,
                               given.plan.alias_reshapes, engine.registry);
      if (why.empty() && engine.spec.choices.count("network.input") > 0 && given.plan.input != work.c->whole.input)
        why = fmt::format("network.input is {}, not {}", plan::name_of(given.plan.input),
                          plan::name_of(work.c->whole.input));
      if (!why.empty())
        notes.push_back(
            fmt::format("{} is on the front although its {}: given plans are candidates whatever "
                        "choices are fixed",
                        p.origin == "user" ? "your plan " + p.id : p.origin, why));
    }
  // Where the budget ended the search, they are what there is; not where a layer has no schedule anyway.
  const auto& searched = work.layers;
  const bool cut_short =
      std::any_of(searched.begin(), searched.end(), [](const auto& l) { return l.cut(); }) &&
      std::none_of(searched.begin(), searched.end(), [](const auto& l) { return l.entries.empty() && !l.cut(); });
  if (!cut_short && only_by_rule(front) && notes.size() == front.points.size()) {
    front.points.clear(), front.values.clear();
    front.infeasible_reason = "plans by rule run within the limits, but not with the choices that are fixed";
    return;
  }
  front.notes.insert(front.notes.end(), notes.begin(), notes.end());
  note_only_by_rule(front);
}

}  // namespace dse::explore
