#include "explore/layer/packing.h"

#include <algorithm>
#include <tuple>

#include "base/units.h"
#include "explore/layer/bound.h"
#include "plan/layer/prefetch.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

/// Items `from`... can be cut from what is left of the bins. Largest items first; bins of equal room are tried once.
bool cut(const std::vector<std::int64_t>& items, std::size_t from, std::vector<std::int64_t>& bins) {
  if (from == items.size()) return true;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    if (bins[b] < items[from] || std::count(bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(b), bins[b]))
      continue;
    bins[b] -= items[from];
    const bool found = cut(items, from + 1, bins);
    bins[b] += items[from];
    if (found) return true;
  }
  return false;
}

PackedEntry packed(LayerEntry entry, const plan::LayerGeometry& geometry, const hw::Device& device) {
  PackedEntry out;
  out.blocks.resize(device.memories.size());
  for (const auto& b : geometry.buffers)
    if (b.size > 0 && !(geometry.prefetched && b.name == plan::prefetch_buffer(geometry)))
      out.blocks[b.memory].push_back(round_up(b.size, device.memories[b.memory].alignment));
  for (auto& list : out.blocks) std::sort(list.rbegin(), list.rend());
  out.entry = std::move(entry);
  return out;
}

}  // namespace

std::vector<bool> counted_memories(const nn::Network& network, const hw::Device& device) {
  std::int64_t everything = 0;  // twice: tiles and packed forms are no larger than what they are made of, and padding
  for (const auto& t : network.tensors) everything += 2 * t.bytes() + 256;
  std::vector<bool> counted;
  for (const auto& m : device.memories) counted.push_back(m.on_chip || m.free() < 2 * everything);
  return counted;
}

bool packs_into(const PackedEntry& a, const PackedEntry& b, const hw::Device& device,
                const std::vector<bool>& counted) {
  if (a.entry.choice.weights_memory != b.entry.choice.weights_memory) return false;
  if (a.entry.choice.prefetch != b.entry.choice.prefetch || a.entry.fetches != b.entry.fetches) return false;
  const bool weighs = a.entry.choice.weights_memory != plan::kStreamed || counted[device.constants];
  if (weighs && a.entry.weight_bytes > b.entry.weight_bytes) return false;
  for (std::size_t m = 0; m < a.blocks.size(); ++m) {
    if (!counted[m]) continue;
    auto bins = b.blocks[m];
    if (!cut(a.blocks[m], 0, bins)) return false;
  }
  return true;
}

PackingFront pack_layer(const LayerTask& task, const plan::ChoiceRegistry& registry,
                        const std::map<std::string, std::vector<std::string>>& further, const Goal& goal,
                        const LayerFront& known) {
  const auto& device = *task.context.device;
  const auto counted = counted_memories(*task.context.network, device);
  // The platform keeps the device after this call, and knows devices by address.
  const auto shared = std::make_shared<const hw::Device>(device);
  const hw::DeviceTiming timing(shared);
  auto& platform = sim::Platform::instance();
  platform.configure(shared);

  std::vector<PackedEntry> kept;
  for (const auto& e : known.entries) kept.push_back(packed(e, plan::layer_geometry(task.context, e.choice), device));
  const auto dominated = [&](const PackedEntry& e, const Costs& costs) {
    return std::any_of(kept.begin(), kept.end(), [&](const PackedEntry& k) {
      return no_costlier(k.entry.costs, costs, goal) && packs_into(k, e, device, counted);
    });
  };
  struct Option {
    PackedEntry packed;
    program::Program program;
    Costs bound;
  };
  std::vector<Option> options;
  const auto add = [&](const plan::LayerChoice& choice, const plan::LayerGeometry& g, bool fetches) {
    LayerEntry entry;
    entry.choice = choice, entry.fetches = fetches;
    bool fits = std::none_of(known.entries.begin(), known.entries.end(),
                             [&](const auto& e) { return e.choice == choice && e.fetches == fetches; });
    for (std::size_t m = 0; m < device.memories.size(); ++m) {
      entry.local.push_back(g.local_bytes(static_cast<int>(m), device.memories[m].alignment));
      fits &= entry.local.back() <= device.memories[m].free();
    }
    if (!fits) return;
    entry.weight_bytes = g.weight_bytes;
    Option o{packed(std::move(entry), g, device), layer_program(task, g, fetches), {}};
    o.bound = cost_bound(o.program, sim::program_part(o.program, device).binding, timing);
    if (!dominated(o.packed, o.bound)) options.push_back(std::move(o));
  };
  each_choice(task, registry, further, [&](const plan::LayerChoice& choice) {
    const auto g = plan::layer_geometry(task.context, choice);
    if (!g.feasible || std::int64_t{g.tiles} * g.sets * g.steps > task.max_calls) return;
    add(choice, g, false);
    if (task.next.bytes > 0) add(choice, g, true);
  });
  std::stable_sort(options.begin(), options.end(), [](const Option& a, const Option& b) { return a.bound < b.bound; });
  PackingFront front;
  for (auto& o : options) {
    if (dominated(o.packed, o.bound)) continue;
    const auto run =
        platform.run({sim::program_part(o.program, device)}, {.data = false, .accounts = false, .trace = false});
    ensure(!run.failure, "a layer's program failed: " + (run.failure ? run.failure->what : ""));
    ++front.simulated;
    o.packed.entry.costs = costs_of(run, device);
    kept.push_back(std::move(o.packed));
  }
  const auto bytes = [](const PackedEntry& e) {
    std::int64_t sum = 0;
    for (const auto& list : e.blocks)
      for (const auto size : list) sum += size;
    return sum;
  };
  std::stable_sort(kept.begin(), kept.end(), [&](const PackedEntry& a, const PackedEntry& b) {
    return std::tuple(a.entry.costs[kTicks], bytes(a)) < std::tuple(b.entry.costs[kTicks], bytes(b));
  });
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto& e = kept[i];
    const auto& costs = e.entry.costs;
    bool beaten = false;
    for (std::size_t k = 0; k < kept.size() && !beaten; ++k) {
      if (k == i || !no_costlier(kept[k].entry.costs, costs, goal) || !packs_into(kept[k], e, device, counted))
        continue;
      // Of two that are as good as each other the first stays.
      const bool mutual = no_costlier(costs, kept[k].entry.costs, goal) && packs_into(e, kept[k], device, counted);
      beaten = !mutual || k < i;
    }
    if (!beaten) front.entries.push_back(e);
  }
  return front;
}

}  // namespace dse::explore
