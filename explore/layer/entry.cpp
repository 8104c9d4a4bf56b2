#include "explore/layer/entry.h"

#include <algorithm>
#include <tuple>

namespace dse::explore {

bool no_larger(const LayerEntry& a, const LayerEntry& b, const hw::Device& device) {
  if (a.choice.prefetch != b.choice.prefetch || a.fetches != b.fetches) return false;
  if (a.choice.weights_memory != plan::kStreamed &&
      (a.choice.weights_memory != b.choice.weights_memory || a.weight_bytes > b.weight_bytes))
    return false;
  for (std::size_t m = 0; m < a.local.size(); ++m)
    if (device.memories[m].on_chip && a.local[m] > b.local[m]) return false;
  return true;
}

std::vector<LayerEntry> undominated(std::vector<LayerEntry> entries, const Goal& goal, const hw::Device& device) {
  const auto on_chip = [&](const LayerEntry& e) {
    std::int64_t sum = 0;
    for (std::size_t m = 0; m < e.local.size(); ++m) sum += device.memories[m].on_chip ? e.local[m] : 0;
    return sum;
  };
  // Of those that are as fast the smaller one first: it may dominate the larger one.
  std::stable_sort(entries.begin(), entries.end(), [&](const LayerEntry& a, const LayerEntry& b) {
    return std::tuple(a.costs[kTicks], on_chip(a), a.costs) < std::tuple(b.costs[kTicks], on_chip(b), b.costs);
  });
  std::vector<LayerEntry> out;
  for (auto& e : entries) {
    const bool beaten = std::any_of(out.begin(), out.end(), [&](const LayerEntry& f) {
      return no_costlier(f.costs, e.costs, goal) && no_larger(f, e, device);
    });
    if (!beaten) out.push_back(std::move(e));
  }
  return out;
}

}  // namespace dse::explore
