#include "explore/layer/reached.h"

#include <algorithm>
#include <tuple>

namespace dse::explore {

Reached::Reached(const Goal& goal, const hw::Device& device) {
  for (int c = 0; c < kCosts; ++c)
    if (goal.active(c)) costs_.push_back(c), ticks_alone_ &= c == kTicks;
  for (std::size_t m = 0; m < device.memories.size(); ++m)
    if (device.memories[m].on_chip) memories_.push_back(static_cast<int>(m));
}

void Reached::clear() {
  for (auto& rows : rows_) rows.clear();
}

bool Reached::no_larger(const Row& row, const LayerEntry& entry) const {
  for (std::size_t k = 0; k < memories_.size(); ++k)
    if (row.local[k] > entry.local[static_cast<std::size_t>(memories_[k])]) return false;
  return row.place == plan::kStreamed ||
         (row.place == entry.choice.weights_memory && row.weight_bytes <= entry.weight_bytes);
}

bool Reached::no_costlier(const Row& row, const Costs& costs) const {
  return std::all_of(costs_.begin(), costs_.end(), [&](int c) { return row.costs[c] <= costs[c]; });
}

bool Reached::covers(const LayerEntry& entry, const Costs& costs) const {
  const bool timed = !costs_.empty() && costs_.front() == kTicks;
  for (const auto& row : rows_[kind_of(entry)]) {
    if (timed && row.costs[kTicks] > costs[kTicks]) return false;
    if (no_costlier(row, costs) && no_larger(row, entry)) return true;
  }
  return false;
}

std::int64_t Reached::least_ticks(const LayerEntry& entry) const {
  if (!ticks_alone_) return kUnlimited;
  for (const auto& row : rows_[kind_of(entry)])
    if (no_larger(row, entry)) return row.costs[kTicks];
  return kUnlimited;
}

void Reached::add(const LayerEntry& entry) {
  if (covers(entry, entry.costs)) return;
  Row own{entry.costs, {}, entry.weight_bytes, entry.choice.weights_memory};
  for (const int m : memories_) own.local.push_back(entry.local[static_cast<std::size_t>(m)]);
  auto& rows = rows_[kind_of(entry)];
  std::erase_if(rows, [&](const Row& row) {
    if (!no_costlier(own, row.costs)) return false;
    for (std::size_t k = 0; k < memories_.size(); ++k)
      if (own.local[k] > row.local[k]) return false;
    return own.place == plan::kStreamed || (own.place == row.place && own.weight_bytes <= row.weight_bytes);
  });
  const auto at = std::upper_bound(rows.begin(), rows.end(), own.costs[kTicks],
                                   [](std::int64_t ticks, const Row& row) { return ticks < row.costs[kTicks]; });
  rows.insert(at, std::move(own));
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
  Reached reached(goal, device);
  std::vector<LayerEntry> out;
  for (auto& e : entries) {
    if (reached.covers(e, e.costs)) continue;
    reached.add(e);
    out.push_back(std::move(e));
  }
  return out;
}

}  // namespace dse::explore
