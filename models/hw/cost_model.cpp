#include "models/hw/cost_model.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/diagnostics.h"

namespace dse::hw {

using program::CallWork;
using program::CopyWork;
using program::TaskCost;

DeviceTiming::DeviceTiming(DevicePtr device)
    : device_(std::move(device)), energy_(*device_), npu_(ethos_u::npu_of(*device_)) {
  const Device& d = *device_;
  for (const Engine& e : d.engines) {
    EngineTiming t;
    t.kind = e.kind;
    t.clock = Clock(d, e.clock_hz);
    if (e.kind == EngineKind::dma)
      t.dma = DmaTiming(e);
    else if (e.kind != EngineKind::npu)
      t.compute = ComputeTiming(e, d.kernel_library);
    t.dispatch = t.clock.ticks(e.dispatch), t.dispatch_cycles = e.dispatch;
    t.kernel_switch = t.clock.ticks(e.kernel_switch);
    t.level = d.arbitration == "priority" ? e.priority : 0;
    t.nearest = e.memories.empty() ? -1 : e.memories.front();
    t.cache = e.cache, t.cache_line = e.cache > 0 ? e.cache_line : 0;
    engines_.push_back(t);
  }
  for (const Memory& m : d.memories) latency_.push_back(Clock(d, m.clock_hz).ticks(m.latency));
  for (const Memory& m : d.memories) banks_.emplace_back(m);
  gaps_ = std::any_of(d.memories.begin(), d.memories.end(), [](const Memory& m) { return m.page > 0; }) ||
          std::any_of(banks_.begin(), banks_.end(), [](const BankTiming& b) { return b.conflicts(); });
}

Ratio DeviceTiming::rate(int memory) const {
  const Memory& m = device_->memories[static_cast<std::size_t>(memory)];
  const Clock c(*device_, m.clock_hz);
  if (c.hz == c.tick_hz) return m.width;
  return {m.width.num * c.hz, m.width.den * c.tick_hz};
}

namespace {

/// Blocks (pages, lines of a cache) that bytes lie on, as if they began on one, and so each of their runs; but where
/// several runs share a block, no more than lie between the first byte and the last. Addresses stay out of it: a layer
/// takes the same wherever the arena puts its buffers.
std::int64_t blocks_of(std::int64_t bytes, const program::Spread& spread, std::int64_t block) {
  if (spread.run <= 0) return ceil_div(bytes, block);
  return std::min(bytes / spread.run * ceil_div(spread.run, block) + ceil_div(bytes % spread.run, block),
                  ceil_div(spread.span, block));
}

}  // namespace

Tick DeviceTiming::opening(int memory, std::int64_t bytes, const program::Spread& spread) const {
  const Memory& m = device_->memories[static_cast<std::size_t>(memory)];
  if (m.page == 0 || bytes == 0) return 0;
  return Clock(*device_, m.clock_hz).ticks((blocks_of(bytes, spread, m.page) - 1) * m.page_miss);
}

Tick DeviceTiming::fetching(int memory, std::int64_t lines, std::int64_t bytes_per_line) const {
  const Memory& m = device_->memories[static_cast<std::size_t>(memory)];
  return Clock(*device_, m.clock_hz).ticks(lines * (m.latency + ceil_div(bytes_per_line, m.width)));
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
    const auto cycles = e.compute.copy_cycles(w.bytes);
    cost.busy = e.clock.ticks(cycles), cost.cycles = e.dispatch_cycles + cycles;
  }
  cost.level = e.level;
  if (from >= 0) {
    cost.fixed += timing_->opening(from, w.bytes, w.from_spread);
    cost.add_flow(from, w.bytes, false, accesses(from, w.bytes, w.run),
                  timing_->port_bytes(from, w.bytes, w.from_spread));
  }
  cost.fixed += timing_->opening(to, w.bytes, w.to_spread);
  cost.add_flow(to, w.bytes, true, accesses(to, w.bytes, w.run), timing_->port_bytes(to, w.bytes, w.to_spread));
  return cost;
}

/// As if all runs but the last were of this length.
std::int64_t DeviceCostModel::accesses(int memory, std::int64_t bytes, std::int64_t run) const {
  const auto& rate = timing_->energy().memories[static_cast<std::size_t>(memory)];
  if (rate.access == 0 || bytes == 0) return 0;
  if (run <= 0 || run > bytes) run = bytes;
  return bytes / run * ceil_div(run, rate.width) + ceil_div(bytes % run, rate.width);
}

/// What loops wait for operands that lie farther away than the library's rates are made for.
DeviceCostModel::Waiting DeviceCostModel::waited(const DeviceTiming::EngineTiming& e, const CallWork& w) const {
  Waiting out;
  for (int i = 0; i < w.operand_count; ++i) {
    const auto& o = w.operands[static_cast<std::size_t>(i)];
    const int memory = memory_of(o.arena);
    if (o.write || memory == e.nearest) continue;
    const auto r = e.compute.library().readings(w, i);
    if (r.times == 0) continue;
    if (e.cache_line > 0) {
      const auto lines = blocks_of(o.bytes, o.spread, e.cache_line);
      // Between two readings lie as many more lines than bytes need as the operand has itself.
      const auto apart = scale_up(ceil_div(r.apart, e.cache_line), lines, ceil_div(o.bytes, e.cache_line));
      out.ticks += timing_->fetching(memory, lines * (apart * e.cache_line <= e.cache ? 1 : r.times), e.cache_line);
      out.by_lines |= 1u << memory;
      continue;
    }
    const std::int64_t times = r.apart <= e.cache ? 1 : r.times;
    out.opening += (times - 1) * timing_->opening(memory, o.bytes, o.spread);
    const Ratio rate = timing_->rate(memory);
    out.ticks += scale_up(o.bytes * times, rate.den, rate.num);
  }
  return out;
}

TaskCost DeviceCostModel::stream(int queue, std::span<const std::uint8_t> commands) const {
  const auto& e = engine_of(queue);
  const auto& npu = timing_->npu();
  ensure(e.kind == EngineKind::npu && npu, "only an NPU runs command streams");
  const auto work = ethos_u::work_of(npu->npu, ethos_u::words_of(commands)).all;
  TaskCost cost;
  cost.fixed = e.clock.ticks(timing_->device().engines[static_cast<std::size_t>(npu->engine)].hand_over);
  cost.busy = cost.compute = e.clock.ticks(std::max<std::int64_t>({1, work.mac_cycles, work.output_cycles}));
  cost.level = e.level;
  add_flows(work, true, cost);
  return cost;
}

/// Of a part of a stream, accesses that are not whole are left to the rest.
void DeviceCostModel::add_flows(const ethos_u::Work& work, bool whole, TaskCost& cost) const {
  const auto& npu = *timing_->npu();
  std::vector<std::array<std::int64_t, 2>> bytes(timing_->device().memories.size(), {0, 0});
  for (int a = 0; a < ethos_u::kAreas; ++a) {
    const int memory = npu.memory_of(static_cast<ethos_u::Area>(a));
    if (memory < 0) continue;
    const std::int64_t beat = npu.npu.acc().axi_bits / 8;
    auto& here = bytes[static_cast<std::size_t>(memory)];
    here[0] += work.read[static_cast<std::size_t>(a)] * beat,
        here[1] += work.written[static_cast<std::size_t>(a)] * beat;
  }
  for (std::size_t m = 0; m < bytes.size(); ++m)
    for (const bool write : {false, true}) {
      const std::int64_t n = bytes[m][write ? 1 : 0];
      const auto& rate = timing_->energy().memories;
      const std::int64_t width = m < rate.size() && rate[m].access != 0 ? rate[m].width : 0;
      cost.add_flow(static_cast<int>(m), n, write, width == 0 ? 0 : whole ? ceil_div(n, width) : n / width);
    }
}

std::vector<std::pair<int, TaskCost>> DeviceCostModel::stream_kernels(std::span<const std::uint8_t> commands) const {
  std::vector<std::pair<int, TaskCost>> out;
  for (const auto& [number, work] : ethos_u::work_of(timing_->npu()->npu, ethos_u::words_of(commands)).kernels)
    add_flows(work, false, out.emplace_back(number, TaskCost{}).second);
  return out;
}

TaskCost DeviceCostModel::call(int queue, const CallWork& w) const {
  const auto& e = engine_of(queue);
  ensure(e.kind != EngineKind::dma && e.kind != EngineKind::npu, "a DMA engine or an NPU runs no kernels");
  TaskCost cost;
  const Waiting waiting = e.kind == EngineKind::cpu ? waited(e, w) : Waiting{};
  cost.fixed = e.dispatch + waiting.opening;
  cost.level = e.level;
  std::uint32_t seen = (e.nearest >= 0 ? 1u << e.nearest : 0u) | waiting.by_lines;
  for (int i = 0; i < w.operand_count; ++i) {
    const auto& o = w.operands[static_cast<std::size_t>(i)];
    const int memory = memory_of(o.arena);
    if (!(seen >> memory & 1u)) cost.fixed += timing_->latency(memory);
    seen |= 1u << memory;
    if (memory != e.nearest && !(waiting.by_lines >> memory & 1u))
      cost.fixed += timing_->opening(memory, o.bytes, o.spread);
    int f = 0;
    while (f < cost.flow_count && (cost.flows[static_cast<std::size_t>(f)].memory != memory ||
                                   cost.flows[static_cast<std::size_t>(f)].write != o.write))
      ++f;
    const auto each = accesses(memory, o.bytes, o.bytes), port = timing_->port_bytes(memory, o.bytes, o.spread);
    if (f < cost.flow_count)
      cost.flows[static_cast<std::size_t>(f)].bytes += o.bytes,
          cost.flows[static_cast<std::size_t>(f)].accesses += each,
          cost.flows[static_cast<std::size_t>(f)].port_bytes += port;
    else
      cost.add_flow(memory, o.bytes, o.write, each, port);
  }
  const auto cycles = e.compute.library().cycles(w);
  cost.compute = e.clock.ticks(cycles);
  cost.busy = cost.compute + waiting.ticks;
  cost.cycles = e.dispatch_cycles + cycles + scale_up(waiting.ticks, e.clock.hz, e.clock.tick_hz);
  cost.kernel = e.compute.library().kernel(w);
  cost.switch_cost = e.kernel_switch;
  const auto counted = program::arithmetic_of(w);
  cost.macs = counted.products(), cost.elements = counted.elements, cost.wide = counted.wide;
  return cost;
}

}  // namespace dse::hw
