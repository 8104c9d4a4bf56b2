// One schedule of a layer with what it costs, and which of them are worth keeping.
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

/// `a` needs no more of any on-chip memory than `b`, with the filters at the same place and, where they are resident,
/// no larger; what is fetched ahead, before it and by it, is the same.
bool no_larger(const LayerEntry& a, const LayerEntry& b, const hw::Device& device);

/// Keeps the entries that no other of them beats or equals in every active cost and every on-chip memory; by ticks.
std::vector<LayerEntry> undominated(std::vector<LayerEntry> entries, const Goal& goal, const hw::Device& device);

}  // namespace dse::explore
