#include "explore/layer_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>

#include "explore/bound.h"
#include "plan/whole_layer.h"
#include "sim/metrics.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

struct Candidate {
  LayerEntry entry;
  plan::LayerGeometry geometry;
  std::int64_t bound = 0;
  bool lowered = false;   // `bound` is that of the lowered program
  std::int64_t size = 0;  // on-chip bytes, for the order among equal bounds
};

/// `a` needs no more of any on-chip memory than `b`, with the filters at the same place.
bool no_larger(const LayerEntry& a, const LayerEntry& b, const hw::Device& device) {
  if (a.choice.weights_memory != b.choice.weights_memory) return false;
  if (a.choice.weights_memory != plan::kStreamed && a.weight_bytes > b.weight_bytes)
    return false;  // resident: forms differ in size
  for (std::size_t m = 0; m < a.local.size(); ++m)
    if (device.memories[m].on_chip && a.local[m] > b.local[m]) return false;
  return true;
}

bool used_up(const LayerBudget& budget, std::int64_t simulated) {
  return (budget.simulations > 0 && simulated >= budget.simulations) ||
         (budget.deadline && std::chrono::steady_clock::now() >= *budget.deadline);
}

/// What no schedule of this geometry can beat, without lowering it: the arithmetic of the layer and a dispatch per call
/// on the compute engine; an issue per call on the control processor; a set-up per input tile on the engine that copies
/// them.
std::int64_t quick_bound(const LayerTask& task, const plan::LayerGeometry& g, const hw::DeviceTiming& timing) {
  if (g.whole) return 0;  // there is one schedule per combination of homes
  const auto& device = *task.context.device;
  const auto& engine = timing.engine(g.engine);
  const std::int64_t calls = std::int64_t{g.tiles} * g.sets * g.steps;
  program::CallWork whole;
  whole.op_kind = g.op.kind;
  whole.macs = task.context.network->operators[task.op].macs;
  whole.wide = g.op.in_type == DSE_I16 || g.op.weight_type == DSE_I16;
  const std::int64_t compute = engine.clock.ticks(engine.compute.call_cycles(whole)) + calls * engine.dispatch;
  std::int64_t bound = std::max(compute, calls * hw::Clock(device, 0).ticks(device.control.issue));
  const bool again =
      g.steps > 1 || (g.sets > 1 && g.order == plan::Order::filters_outer && (g.tiles > 1 || g.channelwise));
  const std::int64_t loads =
      (g.steps > 1 ? calls
                   : std::max<std::int64_t>(1, g.tiles - g.op.kernel_h * g.op.dilation_h) * (again ? g.sets : 1));
  for (int i = 0; i < g.input_count; ++i) {
    if (g.inputs[i].in_place) continue;
    const int copier = device.copy_engine(g.inputs[i].home.memory, g.near);
    const auto& dma = timing.engine(copier);
    const auto each = dma.kind == hw::EngineKind::dma
                          ? dma.clock.ticks(device.engines[copier].setup) + timing.latency(g.inputs[i].home.memory)
                          : dma.dispatch;
    bound = std::max(bound, copier == g.engine ? compute + loads * each : loads * each);
  }
  return bound;
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
  offsets.inputs.resize(geometry.inputs.size());
  const auto& op = task.context.network->operators[task.op];
  offsets.further_outputs.resize(op.outputs.size() - 1);
  for (const int t : plan::variables(*task.context.network, op)) offsets.states[t] = 0;
  plan::emit_layer(p, task.context, geometry, offsets);
  return p;
}

LayerFront search_layer(const LayerTask& task, const plan::ChoiceRegistry& registry,
                        const std::map<std::string, std::vector<std::string>>& allowed, const LayerBudget& budget) {
  const auto& device = *task.context.device;
  const auto shared = std::make_shared<const hw::Device>(
      device);  // the platform keeps it after this call, and knows devices by address
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
    if (std::int64_t{c.geometry.tiles} * c.geometry.sets * c.geometry.steps > kMaxCalls) {
      ++front.outside;
      continue;
    }
    bool fits = true;
    for (std::size_t m = 0; m < device.memories.size(); ++m) {
      const auto bytes = c.geometry.local_bytes(static_cast<int>(m), device.memories[m].alignment);
      c.entry.local.push_back(bytes);
      if (device.memories[m].on_chip) c.size += bytes;
      if (bytes > device.memories[m].free()) {
        fits = false;
        front.reason = fmt::format("{} has {} bytes free, the layer's own buffers need {}", device.memories[m].name,
                                   device.memories[m].free(), bytes);
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
  if (candidates.empty() && front.reason.empty()) front.reason = why_none(task, registry);
  for (auto& c : candidates) c.bound = quick_bound(task, c.geometry, timing);
  using Place = std::tuple<std::int64_t, std::int64_t, int>;  // bound, size, number: least first
  std::priority_queue<Place, std::vector<Place>, std::greater<>> queue;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    queue.emplace(candidates[i].bound, candidates[i].size, static_cast<int>(i));
  const int smallest =
      static_cast<int>(std::min_element(candidates.begin(), candidates.end(),
                                        [](const Candidate& a, const Candidate& b) { return a.size < b.size; }) -
                       candidates.begin());
  std::vector<LayerEntry> kept;
  while (!queue.empty()) {
    auto& c = candidates[std::get<2>(queue.top())];
    const int number = std::get<2>(queue.top());
    queue.pop();
    const bool dominated = std::any_of(kept.begin(), kept.end(), [&](const LayerEntry& k) {
      return k.ticks <= c.bound && no_larger(k, c.entry, device);
    });
    if (dominated) {
      ++front.discarded;
      continue;
    }
    if (!kept.empty() && number != smallest && used_up(budget, front.simulated)) {
      ++front.skipped;
      continue;
    }
    const auto program = layer_program(task, c.geometry);
    const auto job = sim::whole_program(program, device);
    if (!c.lowered) {
      c.lowered = true;
      const auto bound = latency_bound(program, job.binding, timing);
      ensure(bound >= c.bound, "the quick bound lies above the lowered one");
      if (bound > c.bound) {
        c.bound = bound;
        queue.emplace(bound, c.size, number);
        continue;
      }
    }
    const auto result = platform.run({job}, {.data = false, .accounts = false, .trace = false});
    ensure(!result.failure, "a layer's program failed: " + (result.failure ? result.failure->what : ""));
    ensure(result.ticks >= c.bound, "a bound lies above the simulation");
    ++front.simulated;
    c.entry.ticks = result.ticks;
    c.entry.energy_fj = result.energy_fj;
    c.entry.traffic = sim::external_traffic(result, device);
    kept.push_back(c.entry);
  }
  const auto on_chip = [&](const LayerEntry& e) {
    std::int64_t sum = 0;
    for (std::size_t m = 0; m < e.local.size(); ++m) sum += device.memories[m].on_chip ? e.local[m] : 0;
    return sum;
  };
  // Of those that are as fast the smaller one first: it may dominate the larger one.
  std::stable_sort(kept.begin(), kept.end(), [&](const LayerEntry& a, const LayerEntry& b) {
    return a.ticks != b.ticks ? a.ticks < b.ticks : on_chip(a) < on_chip(b);
  });
  for (const auto& e : kept) {
    const bool dominated = std::any_of(front.entries.begin(), front.entries.end(),
                                       [&](const LayerEntry& f) { return no_larger(f, e, device); });
    if (!dominated) front.entries.push_back(e);
  }
  return front;
}

}  // namespace dse::explore
