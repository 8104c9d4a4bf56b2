// One schedule of a layer with what it costs.
#pragma once
#include <cstdint>
#include <vector>

#include "explore/question/goal.h"
#include "plan/layer/layer.h"

namespace dse::explore {

struct LayerEntry {
  plan::LayerChoice choice;
  Costs costs{};                    // simulated, from quiescence to quiescence
  std::vector<std::int64_t> local;  // bytes of the layer's own buffers, per memory of the device
  std::int64_t weight_bytes = 0;    // packed filters (what residency would cost)
  bool fetches = false;             // LayerTask::next is fetched meanwhile
};

}  // namespace dse::explore
