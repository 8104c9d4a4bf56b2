// How near the layers of a plan come to what their engine and their memories allow.
#pragma once
#include <vector>

#include "explore/measure/results.h"
#include "models/hw/cost_model.h"
#include "models/nn/network.h"

namespace dse::explore {

/// Per section of the program, from what a run of it measured: `point.run` with accounts, and `point.uses`. The ticks
/// add up to the run's, and none are below their roof.
std::vector<Roofline> rooflines(const nn::Network& network, const program::Program& program,
                                const std::vector<program::ArenaBinding>& binding, const hw::DeviceTiming& timing,
                                const Point& point);

/// Ticks that `bytes` take at least through all ports of a memory, each at its full rate in bytes per tick.
std::int64_t port_ticks(std::int64_t bytes, Ratio rate, int ports);

}  // namespace dse::explore
