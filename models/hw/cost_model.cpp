#include "models/hw/cost_model.h"

#include <utility>

#include "base/diagnostics.h"

namespace dse::hw {

using program::CallWork;
using program::CopyWork;
using program::TaskCost;

DeviceTiming::DeviceTiming(DevicePtr device) : device_(std::move(device)) {
  const Device& d = *device_;
  for (const Engine& e : d.engines) {
    EngineTiming t;
    t.kind = e.kind;
    t.clock = Clock(d, e.clock_hz);
    if (e.kind == EngineKind::dma)
      t.dma = DmaTiming(e);
    else
      t.compute = ComputeTiming(e, d.kernel_library);
    t.dispatch = t.clock.ticks(e.dispatch);
    t.kernel_switch = t.clock.ticks(e.kernel_switch);
    t.nearest = e.memories.empty() ? -1 : e.memories.front();
    t.cache = e.cache;
    engines_.push_back(t);
  }
  for (const Memory& m : d.memories) latency_.push_back(Clock(d, m.clock_hz).ticks(m.latency));
}

Ratio DeviceTiming::rate(int memory) const {
  const Memory& m = device_->memories[static_cast<std::size_t>(memory)];
  const Clock c(*device_, m.clock_hz);
  if (c.hz == c.tick_hz) return m.width;
  return {m.width.num * c.hz, m.width.den * c.tick_hz};
}

DeviceCostModel::DeviceCostModel(const DeviceTiming& timing, const program::Program& program,
                                 const std::vector<program::ArenaBinding>& binding)
    : timing_(&timing) {
  ensure(binding.size() == program.arenas.size(), "job: every arena needs a binding");
  for (const auto& b : binding) {
    ensure(b.memory >= 0 && b.memory < static_cast<int>(timing.device().memories.size()),
           "job: arena bound to no memory");
    memory_.push_back(b.memory);
  }
  for (const auto& q : program.queues) {
    ensure(q.engine >= 0 && q.engine < static_cast<int>(timing.device().engines.size()),
           "program: queue " + q.name + " names no engine of " + timing.device().name);
    engine_.push_back(&timing.engine(q.engine));
  }
}

TaskCost DeviceCostModel::copy(int queue, const CopyWork& w) const {
  const auto& e = engine_of(queue);
  const int from = w.from_arena < 0 ? -1 : memory_of(w.from_arena), to = memory_of(w.to_arena);
  TaskCost cost;
  if (e.kind == EngineKind::dma) {
    const Tick latency = from < 0 ? 0 : timing_->latency(from);
    cost.fixed = e.clock.ticks(e.dma.setup_cycles(w)) + latency;
    cost.busy = e.clock.ticks(e.dma.row_cycles(w)) + latency * e.dma.extra_round_trips(w.bytes);
  } else {
    cost.fixed = e.dispatch;
    if (from >= 0 && from != e.nearest) cost.fixed += timing_->latency(from);
    if (to != e.nearest && to != from) cost.fixed += timing_->latency(to);
    cost.busy = e.clock.ticks(e.compute.copy_cycles(w.bytes));
  }
  if (from >= 0) cost.add_flow(from, w.bytes, false);
  cost.add_flow(to, w.bytes, true);
  return cost;
}

/// What loops wait for operands that lie farther away than the library's rates are made for.
Tick DeviceCostModel::waited(const DeviceTiming::EngineTiming& e, const CallWork& w) const {
  Tick sum = 0;
  for (int i = 0; i < w.operand_count; ++i) {
    const auto& o = w.operands[static_cast<std::size_t>(i)];
    const int memory = memory_of(o.arena);
    if (o.write || memory == e.nearest) continue;
    const auto r = e.compute.library().readings(w, i);
    if (r.times == 0) continue;
    const Ratio rate = timing_->rate(memory);
    sum += scale_up(o.bytes * (r.apart <= e.cache ? 1 : r.times), rate.den, rate.num);
  }
  return sum;
}

TaskCost DeviceCostModel::call(int queue, const CallWork& w) const {
  const auto& e = engine_of(queue);
  ensure(e.kind != EngineKind::dma, "a DMA engine runs no kernels");
  TaskCost cost;
  cost.fixed = e.dispatch;
  std::uint32_t seen = e.nearest >= 0 ? 1u << e.nearest : 0u;
  for (int i = 0; i < w.operand_count; ++i) {
    const auto& o = w.operands[static_cast<std::size_t>(i)];
    const int memory = memory_of(o.arena);
    if (!(seen >> memory & 1u)) cost.fixed += timing_->latency(memory);
    seen |= 1u << memory;
    int f = 0;
    while (f < cost.flow_count && (cost.flows[static_cast<std::size_t>(f)].memory != memory ||
                                   cost.flows[static_cast<std::size_t>(f)].write != o.write))
      ++f;
    if (f < cost.flow_count)
      cost.flows[static_cast<std::size_t>(f)].bytes += o.bytes;
    else
      cost.add_flow(memory, o.bytes, o.write);
  }
  cost.compute = e.clock.ticks(e.compute.library().cycles(w));
  cost.busy = cost.compute + (e.kind == EngineKind::cpu ? waited(e, w) : 0);
  cost.kernel = e.compute.library().kernel(w);
  cost.switch_cost = e.kernel_switch;
  cost.macs = program::arithmetic_of(w).macs;
  return cost;
}

}  // namespace dse::hw
