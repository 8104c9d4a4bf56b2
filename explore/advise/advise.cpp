#include "explore/advise/advise.h"

#include <algorithm>
#include <functional>

#include "explore/measure/point.h"
#include "models/nn/graph/technique.h"

namespace dse::explore {
namespace {

using Change = std::function<void(hw::Device&)>;

class Remedies {
 public:
  explicit Remedies(const hw::Device& device) : device_(device) {}

  std::vector<Remedy> run() {
    for (std::size_t m = 0; m < device_.memories.size(); ++m) memory(m);
    for (std::size_t e = 0; e < device_.engines.size(); ++e)
      device_.engines[e].kind == hw::EngineKind::dma ? dma(e) : compute(e);
    if (device_.control.start > 0) add("inferences that start for nothing", [](hw::Device& d) { d.control.start = 0; });
    if (device_.control.issue + device_.control.wait > 0)
      add("control that issues for nothing", [](hw::Device& d) { d.control.issue = d.control.wait = 0; });
    if (device_.constants != device_.io)
      add(
          "weights in " + name_of(device_.io), [](hw::Device& d) { d.constants = d.io; }, true);
    return std::move(out_);
  }

 private:
  std::string name_of(int memory) const { return device_.memories[static_cast<std::size_t>(memory)].name; }

  void add(const std::string& what, const Change& change, bool another_plan = false) {
    auto better = std::make_shared<hw::Device>(device_);
    change(*better);
    out_.push_back({what, std::move(better), another_plan});
  }

  void memory(std::size_t m) {
    const auto& memory = device_.memories[m];
    add("twice the width of " + memory.name, [m](hw::Device& d) { d.memories[m].width.num *= 2; });
    if (memory.latency > 0) add("no latency of " + memory.name, [m](hw::Device& d) { d.memories[m].latency = 0; });
    if (memory.bank_word > 0)
      add("banks of " + memory.name + " that do not conflict",
          [m](hw::Device& d) { d.memories[m].banks = 1, d.memories[m].bank_word = 0; });
    if (memory.on_chip)
      add(
          "twice the size of " + memory.name, [m](hw::Device& d) { d.memories[m].size *= 2; }, true);
  }

  void compute(std::size_t e) {
    const auto& engine = device_.engines[e];
    if (static_cast<int>(e) != device_.compute_engine() && !engine.partial()) return;
    add("twice the speed of " + engine.name, [e](hw::Device& d) {
      auto& fast = d.engines[e];
      for (auto& [type, rate] : fast.macs_per_cycle) rate.num *= 2;
      for (auto* table : {&fast.cycles_per_mac, &fast.cycles_per_element, &fast.cycles_per_mac_int16,
                          &fast.cycles_per_element_int16, &fast.cycles_per_count, &fast.cycles_per_count_int16})
        for (auto& [key, rate] : *table) rate.den *= 2;
      for (auto& [technique, rate] : fast.techniques) rate.num *= 2;
      fast.rescaled_per_cycle.num *= 2;
      for (auto& row : fast.cycles_by_shape) row.cycles = (row.cycles + 1) / 2;
    });
    if (engine.dispatch > 0)
      add("calls of " + engine.name + " that cost nothing", [e](hw::Device& d) { d.engines[e].dispatch = 0; });
    if (engine.kernel_switch > 0)
      add("changes of kernel on " + engine.name + " that cost nothing",
          [e](hw::Device& d) { d.engines[e].kernel_switch = 0; });
    if (engine.kind != hw::EngineKind::table && engine.cycles_per_count.empty())
      add(
          "all techniques on " + engine.name, [e](hw::Device& d) { add_techniques(d, e); }, true);
    if (engine.sums_in_memory())
      add(
          "registers for the sums of " + engine.name, [e](hw::Device& d) { keep_sums(d.engines[e]); }, true);
    constexpr std::int64_t kLarge = 64 * 1024;
    const bool counted = !engine.cycles_per_count.empty() && engine.kind == hw::EngineKind::cpu;
    if (counted && engine.cache < kLarge)
      add("a data cache of 64 KiB on " + engine.name, [e](hw::Device& d) { d.engines[e].cache = kLarge; });
  }

  /// Those that the engine lacks, arranging at the width of its nearest memory.
  static void add_techniques(hw::Device& d, std::size_t e) {
    const auto& names = nn::technique_names();
    auto& engine = d.engines[e];
    const auto width = d.memories[static_cast<std::size_t>(engine.memories.front())].width;
    for (std::size_t t = 1; t < names.size(); ++t) engine.techniques.try_emplace(names[t], width);
  }

  static void keep_sums(hw::Engine& engine) {
    const hw::Engine none;
    engine.rescaled_per_cycle = none.rescaled_per_cycle, engine.per_batch = none.per_batch;
    engine.rescales_apart = none.rescales_apart;
  }

  void dma(std::size_t e) {
    const auto& engine = device_.engines[e];
    if (engine.setup + engine.per_row > 0 || engine.chained > 0)
      add("descriptors of " + engine.name + " that cost nothing",
          [e](hw::Device& d) { d.engines[e].setup = d.engines[e].per_row = d.engines[e].chained = 0; });
    add("twice the bursts in flight of " + engine.name, [e](hw::Device& d) { d.engines[e].outstanding *= 2; });
  }

  const hw::Device& device_;
  std::vector<Remedy> out_;
};

std::vector<std::int64_t> by_layer(const Point& point, std::size_t operators) {
  std::vector<std::int64_t> out(operators, 0);
  for (const auto& layer : point.run.layers) out[static_cast<std::size_t>(layer.layer)] += layer.total();
  return out;
}

/// The fastest plan of a search that is no larger; no ticks: none.
std::int64_t fastest(const Case& c, std::int64_t memory, const SweepSpec& spec, const ExploreOptions& options,
                     Diagnostics& diagnostics) {
  std::int64_t best = 0;
  const auto sweep = explore(spec, {c}, options, diagnostics);
  for (const auto& front : sweep.fronts)
    for (const auto& p : front.points)
      if (p.memory_bytes <= memory && (best == 0 || p.latency_ticks < best)) best = p.latency_ticks;
  return best;
}

}  // namespace

std::vector<Remedy> remedies_of(const hw::Device& device) { return Remedies(device).run(); }

Advised advise(const Case& c, const plan::Plan& plan, bool search, const SweepSpec& spec, const ExploreOptions& options,
               Diagnostics& diagnostics) {
  const auto operators = c.network->operators.size();
  const auto now = simulate_point(c, plan, false, false);
  Advised out{now.latency_ticks, by_layer(now, operators), {}};
  for (const auto& remedy : remedies_of(*c.device)) {
    if (remedy.another_plan && !search) continue;
    Case better = c;
    better.device = remedy.device;
    Advice advice{remedy.what, remedy.another_plan, 0, {}};
    if (remedy.another_plan) {
      advice.ticks = fastest(better, now.memory_bytes, spec, options, diagnostics);
    } else {
      const auto there = simulate_point(better, plan, false, false);
      advice.ticks = there.latency_ticks, advice.layers = by_layer(there, operators);
    }
    if (advice.ticks > 0 && advice.ticks < now.latency_ticks) out.advice.push_back(std::move(advice));
  }
  std::stable_sort(out.advice.begin(), out.advice.end(),
                   [](const Advice& a, const Advice& b) { return a.ticks < b.ticks; });
  return out;
}

}  // namespace dse::explore
