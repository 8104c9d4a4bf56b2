// How a budget of simulations is shared out over the layers of a case and its whole plans.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "explore/engine/work.h"

namespace dse::explore {

/// Simulations of the schedules of each of so many layers of a case, at least one: three quarters of a budget together,
/// as plans need the rest, and evenly, so that the result depends neither on who comes first nor on other cases. 0
/// without a budget.
constexpr std::int64_t for_each_layer(std::int64_t simulations, std::size_t layers) {
  if (simulations == 0 || layers == 0) return 0;
  return std::max<std::int64_t>(1, (simulations - simulations / 4) / static_cast<std::int64_t>(layers));
}

/// Whole plans that may still be simulated for a front so far: a tenth of a budget; without one as many as there are.
std::int64_t looks_left(const Engine& engine, const Work& work);

/// The same for the front, up to so many thirds of what the layers and the given plans left. The questions that limits
/// may lead to share it, so that what one of them finds is found again when it is asked by itself. Never fewer than it
/// takes to have a front at all.
std::int64_t plans_left(const Engine& engine, const Work& work, int thirds);

}  // namespace dse::explore
