#include "explore/compose/graph/section_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "methods/order/order.h"
#include "plan/network/run_order.h"

namespace dse::explore {

std::vector<SectionOption> options_of(const LayerFront& layer, bool fetched, bool fetches,
                                      const std::vector<int>& memories, const hw::Device& device) {
  std::vector<SectionOption> out;
  for (std::size_t i = 0; i < layer.entries.size(); ++i) {
    const auto& entry = layer.entries[i];
    if (entry.choice.prefetch != fetched || entry.fetches != fetches) continue;
    auto& o = out.emplace_back();
    o.entry = static_cast<int>(i), o.costs = entry.costs;
    const int place = entry.choice.weights_memory;
    for (std::size_t m = 0; m < memories.size(); ++m) {
      o.local[m] = entry.local[memories[m]];
      if (memories[m] == place) o.resident[m] = round_up(entry.weight_bytes, device.memories[place].alignment);
    }
  }
  return out;
}

std::vector<SectionOption> options_of(const Run& run, const std::vector<int>& memories) {
  std::vector<SectionOption> out;
  for (std::size_t i = 0; i < run.options.size(); ++i) {
    auto& o = out.emplace_back();
    o.entry = static_cast<int>(i), o.costs = run.options[i].costs;
    for (std::size_t m = 0; m < memories.size(); ++m)
      o.local[m] = run.options[i].local[memories[m]], o.resident[m] = run.options[i].resident[memories[m]];
  }
  return out;
}

std::vector<std::vector<int>> some_orders(const Space& space) {
  std::vector<std::vector<int>> out = {space.layers};
  plan::OrderEffort effort;
  effort.steps = 2'000'000, effort.bytes = std::int64_t{32} << 20;
  auto found = plan::find_order(plan::order_problem(*space.network), plan::OrderRule::out_of_place, effort).order;
  std::erase_if(found,
                [&](int op) { return std::find(space.layers.begin(), space.layers.end(), op) == space.layers.end(); });
  if (plan::why_not_in(*space.network, true, found).empty()) out.push_back(std::move(found));
  return out;
}

namespace {

/// Why a search came to no schedule.
std::string why_none(const LayerFront& layer) {
  if (!layer.reason.empty()) return layer.reason;
  if (layer.cut()) return "the budget was used up before one of them was simulated";
  return layer.lost > 0 ? "whatever simulated one of them crashed or hung" : "";
}

}  // namespace

std::string why_no_path(const Space& space, const std::vector<LayerFront>& layers, std::size_t reached) {
  const auto none = [&](int op) {
    for (std::size_t t = 0; t < space.tasks.size(); ++t)
      if (space.tasks[t].op == op && !layers[t].entries.empty()) return false;
    return true;
  };
  auto it = std::find_if(space.layers.begin(), space.layers.end(), none);
  if (it == space.layers.end()) it = space.layers.begin() + static_cast<std::ptrdiff_t>(reached) - 1;
  const auto& name = space.network->operators[*it].name;
  std::string why;
  for (const int t : space.tasks_of[static_cast<std::size_t>(it - space.layers.begin())])
    if (layers[t].entries.empty() && why.empty()) why = why_none(layers[t]);
  if (!why.empty()) return fmt::format("layer {} fits in no schedule: {}", name, why);
  return fmt::format("layer {} has schedules, but none of them goes on from one of the layers before it", name);
}

}  // namespace dse::explore
