// Plans with runs of layers by phases that may still be better than what was measured once their buffers have
// addresses.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "explore/compose/composition.h"
#include "explore/layer/layer_search.h"
#include "explore/question/goal.h"
#include "explore/space/space.h"

namespace dse::explore {

/// Counted, so that the result depends on nothing else.
struct NearLimits {
  std::size_t plans = 400;
  std::int64_t steps = 100'000;  // partial plans looked at
  std::size_t edges = 3'000;     // of the graph: no more are tried
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

struct NearPlans {
  std::vector<Composition> points;
  bool all = true;  // false: there are more, or it was not tried
};

/// Every plan with runs that none of `reached` (values of the goal's objectives) is no worse than by its loads and
/// costs. `layers`: per task of the space, with those schedules too that may only be better in addresses. `runs`: with
/// all their options.
NearPlans near_plans(const Space& space, const std::vector<LayerFront>& layers, const std::vector<Run>& runs,
                     const Goal& goal, const std::vector<std::vector<std::int64_t>>& reached,
                     const NearLimits& limits = {});

}  // namespace dse::explore
