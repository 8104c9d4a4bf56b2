#include "explore/layer/bound.h"

#include <algorithm>

#include "models/hw/clocking.h"

namespace dse::explore {
namespace {

/// The least time of one task on its engine.
std::int64_t alone(const program::TaskCost& cost, const hw::DeviceTiming& timing) {
  std::int64_t longest = cost.busy;
  for (int i = 0; i < cost.flow_count; ++i) {
    std::int64_t bytes = 0;
    for (int j = 0; j < cost.flow_count; ++j)
      if (cost.flows[j].memory == cost.flows[i].memory) bytes += cost.flows[j].port_bytes;
    const auto& memory = timing.device().memories[cost.flows[i].memory];
    Ratio rate = timing.rate(cost.flows[i].memory);
    rate.num *= std::max(1, memory.ports);
    longest = std::max(longest, bytes * rate.den / rate.num);
  }
  return cost.fixed + longest;
}

}  // namespace

Costs cost_bound(const program::Program& program, const std::vector<program::ArenaBinding>& binding,
                 const hw::DeviceTiming& timing, std::int64_t enough) {
  const hw::DeviceCostModel model(timing, program, binding);
  const auto& device = timing.device();
  const auto clock = hw::control_clock(device);
  const std::int64_t issue = clock.ticks(device.control.issue), wait = clock.ticks(device.control.wait);
  std::vector<std::vector<std::int64_t>> ends(program.queues.size(), std::vector<std::int64_t>{0});
  std::int64_t control = 0;
  Costs costs{};
  const auto per_tick = costs_per_tick(timing.energy());
  program::Walker walker(program);
  program::TaskInstance t;
  while (walker.next(t)) {
    std::int64_t ready = 0;
    for (int i = 0; i < t.after_count; ++i) ready = std::max(ready, ends[t.after[i].queue][t.after[i].count]);
    if (t.queue == program::kControl) {
      control = std::max(control, ready) + wait;
      continue;
    }
    control += issue;
    auto& queue = ends[t.queue];
    const auto cost = t.task->kind->time(t, model);
    const std::int64_t end = std::max({control, ready, queue.back()}) + alone(cost, timing);
    if (end >= enough) {
      add_ticks(costs, end, per_tick);
      return costs;
    }
    const int engine = program.queues[t.queue].engine;
    for (int c = 0; c < kCosts; ++c)
      if (kCostKinds[c].of_task) costs[c] += kCostKinds[c].of_task(cost, engine, timing);
    queue.push_back(end);
    if (engine == device.control.engine) control = end;
  }
  for (const auto& queue : ends) control = std::max(control, queue.back());
  add_ticks(costs, control, per_tick);
  return costs;
}

}  // namespace dse::explore
