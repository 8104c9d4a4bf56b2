#include "explore/engine/plan_budget.h"

#include <algorithm>
#include <limits>

namespace dse::explore {
namespace {

constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
/// Of each third, whatever the budget.
constexpr std::int64_t kFew = 2;

}  // namespace

std::int64_t looks_left(const Engine& engine, const Work& work) {
  const auto budget = engine.spec.simulations;
  return budget == 0 ? kAll : std::max(kFew, budget / 10) - work.looked_at;
}

std::int64_t plans_left(const Engine& engine, const Work& work, int thirds) {
  const auto budget = engine.spec.simulations;
  if (budget == 0) return kAll;
  auto left = budget - budget / 10;
  for (const auto& layer : work.layers) left -= layer.simulated;
  for (const auto& given : work.given) left -= given.simulated;
  return thirds * std::max(kFew, left / work.questions / 3) - work.tried;
}

}  // namespace dse::explore
