#include "explore/measure/measure.h"

#include "explore/measure/point.h"
#include "explore/question/goal.h"
#include "explore/question/ram.h"
#include "plan/check/check.h"
#include "plan/choices/assignment.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "sim/platform.h"

namespace dse::explore {

Measured placed(const Case& c, const plan::Plan& plan) {
  Measured out;
  out.plan = plan.id(), out.heights = plan.heights;
  out.memory = plan::on_chip_memory(*c.device, plan.heights), out.load = plan::on_chip_memory(*c.device, plan.loads);
  return out;
}

std::string refusal(const Case& c, const plan::Plan& plan) {
  return plan::to_string(plan::check(lower(c, plan), *c.device));
}

Measured evaluate(const Case& c, const plan::Decisions& decided, const Candidate* known) {
  Measured out;
  const auto made = plan::plan_of(*c.network, *c.device, decided);
  if (const auto* lacking = std::get_if<plan::Infeasible>(&made)) {
    out.reason = lacking->what;
    return out;
  }
  const auto& plan = std::get<plan::Plan>(made);
  if (!known || known->status != CandidateStatus::simulated || known->plan != plan.id()) return evaluate(c, plan);
  out = placed(c, plan);
  out.costs = known->costs;
  return out;
}

namespace {

Measured timed(const Case& c, const program::Program& program, Measured out) {
  const auto& device = *c.device;
  auto& platform = sim::Platform::instance();
  platform.configure(c.device);
  const auto run =
      platform.run({sim::whole_program(program, device)}, {.data = false, .accounts = false, .trace = false});
  if (run.failure) {
    out.reason = run.failure->what, out.invalid = out.failed = true;
    return out;
  }
  out.costs = costs_of(run, device);
  return out;
}

}  // namespace

Measured evaluate(const Case& c, const plan::Plan& plan) {
  auto out = placed(c, plan);
  const auto program = lower(c, plan);
  if (const auto findings = plan::check(program, *c.device); !findings.empty()) {
    out.reason = plan::to_string(findings), out.invalid = true;
    return out;
  }
  return timed(c, program, std::move(out));
}

Measured least_of(const Case& c, const plan::Decisions& decided, const Candidate* known) {
  const auto made = plan::plan_of(*c.network, *c.device, decided, plan::Offsets::none);
  if (const auto* lacking = std::get_if<plan::Infeasible>(&made)) {
    Measured out;
    out.reason = lacking->what;
    return out;
  }
  const auto& plan = std::get<plan::Plan>(made);
  auto out = placed(c, plan);
  if (!known || known->status != CandidateStatus::dominated || known->bound < 0)
    return timed(c, lower(c, plan), std::move(out));
  out.costs = known->costs, out.costs[kTicks] = known->bound;
  return out;
}

std::string whole_text(const Case& c, const plan::Decisions& decided, const plan::ChoiceRegistry& registry) {
  auto assignment = plan::to_assignment(*c.network, *c.device, decided.layers, registry);
  for (const auto& d : plan::ChoiceRegistry::of_network())
    if (const auto value = d.get(*c.network, decided.network); value != d.values.front())
      assignment["network." + d.name] = value;
  return plan::assignment_text(assignment);
}

Candidate candidate_of(const Measured& m, const std::string& assignment) {
  Candidate c;
  c.assignment = assignment, c.plan = m.plan, c.reason = m.reason;
  c.status = m.feasible() ? CandidateStatus::simulated : CandidateStatus::infeasible;
  c.memory = m.memory, c.costs = m.costs;
  if (m.invalid)
    c.status = CandidateStatus::crashed, c.reason = (m.failed ? "error: " : "refused by the checker: ") + m.reason;
  if (m.beaten) c.status = CandidateStatus::dominated, c.bound = m.costs[kTicks], c.costs[kTicks] = -1, c.plan.clear();
  return c;
}

Point light_point(const Case& c, const Measured& measured) {
  Point p;
  p.id = measured.plan, p.origin = "explored";
  p.memory_bytes = measured.memory, p.load_bytes = measured.load, p.costs = measured.costs;
  p.latency_ticks = p.costs[kTicks], p.latency_us = in_unit_of("latency", p.costs[kTicks], *c.device);
  p.metrics["traffic"] = static_cast<double>(p.costs[kTraffic]);
  if (c.beside_arenas) p.metrics[kRam] = static_cast<double>(p.memory_bytes + *c.beside_arenas);
  for (std::size_t m = 0; m < measured.heights.size(); ++m)
    p.metrics["memories." + c.device->memories[m].name + ".peak"] = static_cast<double>(measured.heights[m]);
  p.run.ticks = measured.costs[kTicks];
  if (c.device->energy_known())
    p.run.energy_fj = p.costs[kEnergy], p.energy_uj = in_unit_of("energy", p.costs[kEnergy], *c.device);
  return p;
}

}  // namespace dse::explore
