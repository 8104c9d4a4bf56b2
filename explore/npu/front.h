// Schedules between the smallest and the fastest: memory against cycles, every one simulated.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "explore/npu/simulated.h"
#include "plan/npu/program/npu_choices.h"

namespace dse::explore::npu {

/// Blocks that are tried of an operation, besides the rule's.
constexpr int kBlocksTried = 3;

struct Point {
  Compiled compiled;
  Simulated simulated;
  std::int64_t bytes() const { return compiled.places.fast_bytes; }
  std::int64_t cycles() const { return simulated.pmu.active; }
  std::string origin;  // "performance", "size", "limit 40960", "blocks"
};

struct FrontEffort {
  int limits = plan::npu::kLimits;        // of the fast memory, between both rules
  std::vector<std::int64_t> arenas = {};  // that are asked for: limits besides
  int simulations = 400;                  // of other blocks and places of weights, spread over the points
  std::function<bool()> stop = {};  // asked before each simulation but the first; those left out are given to `skipped`
  std::function<void()> simulated = {};            // called after each simulation
  std::function<void(std::int64_t)> skipped = {};  // at most so many more would have been simulated
  std::function<void(const Point&)> settled = {};  // schedules that are not improved any more, and both rules' at first
};

/// Points of which none is better in both, ascending in bytes. Both rules' schedules are candidates; where it is
/// stopped, the one that takes least memory is.
std::vector<Point> front(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu, const FrontEffort& effort = {});

}  // namespace dse::explore::npu
