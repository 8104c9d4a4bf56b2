// What of a budget of simulations is for whole plans.
#pragma once
#include <cstdint>

#include "explore/engine/work.h"

namespace dse::explore {

/// Simulations of the schedules of all layers of a case together: three quarters; plans need the rest.
constexpr std::int64_t for_layers(std::int64_t simulations) { return simulations - simulations / 4; }

/// Whole plans that may still be simulated for a front so far: a tenth of a budget; without one as many as there are.
std::int64_t looks_left(const Engine& engine, const Work& work);

/// The same for the front, up to so many thirds of what the layers and the given plans left. The questions that limits
/// may lead to share it, so that what one of them finds is found again when it is asked by itself. Never fewer than it
/// takes to have a front at all.
std::int64_t plans_left(const Engine& engine, const Work& work, int thirds);

}  // namespace dse::explore
