// Plans by phases: what the planner of shared phases finds, over plain plans and over composed ones.
#include <algorithm>
#include <set>

#include "base/log.h"
#include "explore/engine/work.h"
#include "plan/choices/assignment.h"
#include "plan/choices/homes.h"
#include "plan/rules/phased_front.h"

namespace dse::explore {
namespace {

/// Plans by phases that are taken over each base: enough to see the front's shape, few enough to be simulated in
/// passing.
constexpr int kMostPhases = 40;

}  // namespace

void plan_phases(const Engine& engine, Work& work) {
  const LoggedStage logged("planning by phases of " + work.name());
  const auto& n = *work.c->network;
  const auto& d = *work.c->device;
  if (!work.hopeless.empty()) return;
  if (!engine.spec.by_phases || d.compute_engine() < 0) return;
  std::vector<std::vector<plan::LayerChoice>> bases;
  for (const int m : plan::home_memories(d)) bases.push_back(plan::plain_choices(n, d, m));
  bases.insert(bases.end(), work.bases.begin(), work.bases.end());
  if (!work.composed.points.empty()) {
    bases.push_back(work.composed.points.front().choices);
    bases.push_back(work.composed.points.back().choices);
  }
  std::set<std::string> seen;
  for (const auto& choices : work.phased)
    seen.insert(plan::assignment_text(plan::to_assignment(n, d, choices, engine.registry)));
  if (!work.phases) work.phases = plan::phased_points(n, d, work.c->whole, kMostPhases);
  for (const auto& base : bases)
    for (const auto& point : *work.phases) {
      auto choices = plan::phased_choices(n, d, base, work.c->whole.alias_reshapes, point);
      if (!broken_choice(engine.spec.choices, n, d, choices, true, engine.registry).empty()) continue;
      if (seen.insert(plan::assignment_text(plan::to_assignment(n, d, choices, engine.registry))).second)
        work.phased.push_back(std::move(choices));
    }
}

}  // namespace dse::explore
