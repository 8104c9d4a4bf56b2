// All schedules of a layer, simulated: what searches and bounds are compared with.
#pragma once
#include <cstdint>
#include <vector>

#include "explore/layer/layer_search.h"

namespace dse::test {

const plan::ChoiceRegistry& registry();

struct Everything {
  explore::LayerEntry entry;
  std::int64_t ticks, bound;
};

/// Every candidate of a task that fits; `left_out` counts the others.
std::vector<Everything> simulate_all(const explore::LayerTask& task, const hw::DevicePtr& device,
                                     std::int64_t& left_out);

/// @returns all schedules of the layer, none of which takes less than its bound.
std::vector<Everything> expect_bounds_hold(const explore::LayerTask& task, const hw::DevicePtr& device,
                                           std::uint64_t seed);

}  // namespace dse::test
