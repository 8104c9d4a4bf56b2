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
      if (cost.flows[j].memory == cost.flows[i].memory) bytes += cost.flows[j].bytes;
    const auto& memory = timing.device().memories[cost.flows[i].memory];
    Ratio rate = timing.rate(cost.flows[i].memory);
    rate.num *= std::max(1, memory.ports);
    longest = std::max(longest, bytes * rate.den / rate.num);
  }
  return cost.fixed + longest;
}

/// What one unit of work on this block adds to each cost.
template <class Rate, class Block>
Costs each(Rate CostKind::*rate, const Block& block) {
  Costs out{};
  for (int c = 0; c < kCosts; ++c)
    if (kCostKinds[c].*rate) out[c] = (kCostKinds[c].*rate)(block);
  return out;
}

void add(Costs& costs, std::int64_t work, const Costs& each) {
  for (int c = 0; c < kCosts; ++c) costs[c] += work * each[c];
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
  std::vector<Costs> per_byte, per_mac;
  for (const auto& m : device.memories) per_byte.push_back(each(&CostKind::per_byte, m));
  for (const auto& q : program.queues) per_mac.push_back(each(&CostKind::per_mac, device.engines[q.engine]));
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
      costs[kTicks] = end;
      return costs;
    }
    add(costs, cost.macs, per_mac[t.queue]);
    for (int i = 0; i < cost.flow_count; ++i) add(costs, cost.flows[i].bytes, per_byte[cost.flows[i].memory]);
    queue.push_back(end);
    if (program.queues[t.queue].engine == device.control.engine) control = end;
  }
  for (const auto& queue : ends) control = std::max(control, queue.back());
  costs[kTicks] = control;
  return costs;
}

}  // namespace dse::explore
