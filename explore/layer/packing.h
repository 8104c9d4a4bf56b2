// Schedules of a layer as far as addresses go. The sum of a layer's own buffers bounds what a plan needs from below;
// what it needs indeed depends on the single buffers, since they have to fit between the tensors.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "explore/layer/layer_search.h"
#include "plan/choices/choice.h"

namespace dse::explore {

struct PackedEntry {
  LayerEntry entry;
  /// Per memory: the layer's own buffers, rounded up, largest first; without one that the layer before fills.
  std::vector<std::vector<std::int64_t>> blocks;
};

struct PackingFront {
  /// Each simulated; none whose buffers find room in those of another one that costs no more. By ticks.
  std::vector<PackedEntry> entries;
  std::int64_t simulated = 0;  // beyond those that the layer front has
};

/// Memories whose use can decide about a plan: on-chip ones, and others that are too small for everything at once.
std::vector<bool> counted_memories(const nn::Network& network, const hw::Device& device);

/// Wherever the buffers of `b` find room those of `a` do: in each counted memory they can be cut from them. Resident
/// filters lie at the same place, and neither those nor the constants image are larger.
bool packs_into(const PackedEntry& a, const PackedEntry& b, const hw::Device& device, const std::vector<bool>& counted);

/// What search_layer() finds, and besides the schedules that it drops because of a smaller sum of bytes although their
/// buffers may fit where those of the others do not. `known`: the finished search of the same task.
PackingFront pack_layer(const LayerTask& task, const plan::ChoiceRegistry& registry,
                        const std::map<std::string, std::vector<std::string>>& further, const Goal& goal,
                        const LayerFront& known);

}  // namespace dse::explore
