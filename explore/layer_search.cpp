#include "explore/layer_search.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "explore/bound.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

struct Candidate {
  LayerEntry entry;
  plan::LayerGeometry geometry;
  std::int64_t bound = 0;
  std::int64_t size = 0;  // on-chip bytes, for the order among equal bounds
};

/// `a` needs no more of any on-chip memory than `b`, with the filters at the same place.
bool no_larger(const LayerEntry& a, const LayerEntry& b, const hw::Device& device) {
  if (a.choice.weights_memory != b.choice.weights_memory) return false;
  for (std::size_t m = 0; m < a.local.size(); ++m)
    if (device.memories[m].on_chip && a.local[m] > b.local[m]) return false;
  return true;
}

}  // namespace

program::Program layer_program(const LayerTask& task, const plan::LayerGeometry& geometry) {
  const auto& device = *task.context.device;
  program::Program p;
  p.queues = plan::device_queues(device);
  for (const auto& m : device.memories) p.arenas.push_back({m.name, m.size, m.alignment});
  p.constants_arena = device.constants;
  p.section({task.context.network->operators[task.op].name, task.op, 0});
  plan::LayerOffsets offsets;
  offsets.buffers.assign(geometry.buffers.size(), 0);
  plan::emit_layer(p, task.context, geometry, offsets);
  return p;
}

LayerFront search_layer(const LayerTask& task, const plan::ChoiceRegistry& registry,
                        const std::map<std::string, std::vector<std::string>>& allowed, std::int64_t budget) {
  const auto& device = *task.context.device;
  const auto shared = hw::DevicePtr(hw::DevicePtr(), &device);  // not owned: the caller keeps it
  const hw::DeviceTiming timing(shared);
  auto& platform = sim::Platform::instance();
  platform.configure(shared);

  LayerFront front;
  std::vector<Candidate> candidates;
  for (auto& choice : enumerate(task, registry, allowed)) {
    Candidate c;
    c.geometry = plan::layer_geometry(task.context, choice);
    if (!c.geometry.feasible) {
      ++front.infeasible;
      front.reason = c.geometry.reason;
      continue;
    }
    bool fits = true;
    for (std::size_t m = 0; m < device.memories.size(); ++m) {
      const auto bytes = c.geometry.local_bytes(static_cast<int>(m), device.memories[m].alignment);
      c.entry.local.push_back(bytes);
      if (device.memories[m].on_chip) c.size += bytes;
      if (bytes > device.memories[m].free()) {
        fits = false;
        front.reason = fmt::format("{} has {} bytes free, the layer's own buffers need {}", device.memories[m].name, device.memories[m].free(), bytes);
      }
    }
    if (!fits) {
      ++front.infeasible;
      continue;
    }
    c.entry.choice = choice;
    c.entry.weight_bytes = c.geometry.weight_bytes;
    candidates.push_back(std::move(c));
  }
  std::vector<program::Program> programs;
  programs.reserve(candidates.size());
  for (auto& c : candidates) {
    programs.push_back(layer_program(task, c.geometry));
    c.bound = latency_bound(programs.back(), sim::whole_program(programs.back(), device).binding, timing);
  }
  std::vector<int> order(candidates.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(candidates[a].bound, candidates[a].size) < std::pair(candidates[b].bound, candidates[b].size);
  });
  std::vector<LayerEntry> kept;
  for (int i : order) {
    auto& c = candidates[i];
    const bool dominated = std::any_of(kept.begin(), kept.end(), [&](const LayerEntry& k) {
      return k.ticks <= c.bound && no_larger(k, c.entry, device);
    });
    if (dominated) {
      ++front.discarded;
      continue;
    }
    if (budget > 0 && front.simulated >= budget) {
      ++front.skipped;
      continue;
    }
    const auto result = platform.run({sim::whole_program(programs[i], device)}, {.data = false, .accounts = false, .trace = false});
    ensure(!result.failure, "a layer's program failed: " + (result.failure ? result.failure->what : ""));
    ensure(result.ticks >= c.bound, "a bound lies above the simulation");
    ++front.simulated;
    c.entry.ticks = result.ticks;
    kept.push_back(c.entry);
  }
  std::stable_sort(kept.begin(), kept.end(), [](const LayerEntry& a, const LayerEntry& b) { return a.ticks < b.ticks; });
  for (const auto& e : kept) {
    const bool dominated = std::any_of(front.entries.begin(), front.entries.end(), [&](const LayerEntry& f) { return no_larger(f, e, device); });
    if (!dominated) front.entries.push_back(e);
  }
  return front;
}

}  // namespace dse::explore
