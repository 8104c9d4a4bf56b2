// Turns the work of tasks into the costs of a device (program::TaskCost), all in ticks. The formulae, per engine kind:
//
//   DMA copy    fixed = setup * descriptors + latency(source)             latency in ticks of the source memory's clock
//               busy  = per_row * rows after the first of a descriptor + latency(source) * extra round trips
//               (dma_timing.h) flows = bytes read at the source, bytes written at the destination
//   CPU copy    fixed = dispatch + latency(m) for each memory m touched that is not the CPU's nearest
//               busy  = ceil(bytes / copy_bytes_per_cycle);               flows as above
//   call        fixed = dispatch + latency(m) for each memory m touched that is not the engine's nearest, once per call
//               busy  = cycles of arithmetic (compute_timing.h);          flows = operand bytes, per memory and
//               direction; plus, where a cpu's library tells how often its loops read an operand that is not in
//               the nearest memory: ceil(bytes * readings / width), once per byte if the cache holds what lies
//               between two readings; with cache lines (latency + ceil(line / width)) * lines * readings, and
//               the latency of that memory not once more. switch_cost = kernel_switch, when the engine's previous
//               kernel was of another kind, and at a section's first call
//
// Pages: fixed grows by page_miss for each page that a copy opens at either side, or a call in a memory that is not the
// engine's nearest, beyond the first there; what a cpu's loops read several times and no cache holds is opened as
// often. Lines of a cache pay the latency each, which opens the page.
//
// Banks: a port is kept longer than its bytes need where runs with gaps between meet in a bank (ports/bank_timing.h).
//
// For energy: accesses = those of a copy's runs, or of each operand; cycles = those of dispatch, arithmetic or copying,
// and waiting for operands, without switch_cost.
//
//   stream      fixed = hand_over; busy = the most of what its multipliers and its output unit need. The rest of its
//   time
//               is the NPU's own, block by block (shells/npu)
//
// A fill reads nothing and pays no source latency. Nearest = the first of the engine's `memories`: its latency is part
// of the library's cycles per multiply-accumulate.
#pragma once
#include <vector>

#include "models/hw/clocking.h"
#include "models/hw/compute_timing.h"
#include "models/hw/dma_timing.h"
#include "models/hw/energy/energy_rates.h"
#include "models/hw/ethos_u/of_device.h"
#include "models/hw/ethos_u/stream/stream_work.h"
#include "models/hw/ports/bank_timing.h"
#include "program/program.h"

namespace dse::hw {

/// The part that depends on the device only: resolved once per device, shared by all programs.
class DeviceTiming {
 public:
  DeviceTiming() = default;
  explicit DeviceTiming(DevicePtr device);
  const Device& device() const { return *device_; }

  struct EngineTiming {
    EngineKind kind = EngineKind::cpu;
    Clock clock;
    DmaTiming dma;
    ComputeTiming compute;
    Tick dispatch = 0, kernel_switch = 0;
    std::int64_t dispatch_cycles = 0;
    int nearest = -1;
    int level = 0;                           // of its flows: the priority, where the device arbitrates by it
    std::int64_t cache = 0, cache_line = 0;  // bytes; no line without a cache
  };
  const EngineTiming& engine(int e) const { return engines_[static_cast<std::size_t>(e)]; }
  Tick latency(int memory) const { return latency_[static_cast<std::size_t>(memory)]; }
  /// Bytes per tick through one port of a memory.
  Ratio rate(int memory) const;
  /// Of opening the pages that `bytes` lie on but the first.
  Tick opening(int memory, std::int64_t bytes, const program::Spread& spread) const;
  /// Bytes that the port of a memory could have moved while it moves these.
  std::int64_t port_bytes(int memory, std::int64_t bytes, const program::Spread& spread) const {
    return banks_[static_cast<std::size_t>(memory)].port_bytes(bytes, spread);
  }
  /// How operands with gaps lie matters: some memory has pages, or banks whose strides conflict.
  bool gaps() const { return gaps_; }
  /// Of fetching so many lines of a cache, one after the other.
  Tick fetching(int memory, std::int64_t lines, std::int64_t bytes_per_line) const;
  const EnergyRates& energy() const { return energy_; }
  /// Null: the device has none.
  const ethos_u::DeviceNpuPtr& npu() const { return npu_; }

 private:
  DevicePtr device_;
  std::vector<EngineTiming> engines_;
  std::vector<Tick> latency_;
  std::vector<BankTiming> banks_;
  bool gaps_ = false;
  EnergyRates energy_;
  ethos_u::DeviceNpuPtr npu_;
};

/// Costs of one program whose arenas are bound to memories. Cheap to make; keeps references.
class DeviceCostModel final : public program::CostModel {
 public:
  /// @throws InvariantError when a queue names no engine of the device or an arena is bound to no memory.
  DeviceCostModel(const DeviceTiming& timing, const program::Program& program,
                  const std::vector<program::ArenaBinding>& binding);
  program::TaskCost copy(int queue, const program::CopyWork& work) const override;
  program::TaskCost call(int queue, const program::CallWork& work) const override;
  /// Least that the NPU takes: its multipliers' cycles, or its output unit's. Flows: all that its kernels and copies
  /// move, and its commands.
  program::TaskCost stream(int queue, std::span<const std::uint8_t> commands) const override;
  /// What of it each kernel does, by its number: flows only. What is left is that of copies and commands.
  std::vector<std::pair<int, program::TaskCost>> stream_kernels(std::span<const std::uint8_t> commands) const;
  bool asks_for_gaps(int queue) const override { return timing_->gaps() || engine_of(queue).cache_line > 0; }

 private:
  struct Waiting {
    Tick ticks = 0;
    Tick opening = 0;            // pages
    std::uint32_t by_lines = 0;  // memories whose latency each line has paid, by their bits
  };
  Waiting waited(const DeviceTiming::EngineTiming& engine, const program::CallWork& work) const;
  void add_flows(const ethos_u::Work& work, bool whole, program::TaskCost& cost) const;
  std::int64_t accesses(int memory, std::int64_t bytes, std::int64_t run) const;
  int memory_of(int arena) const { return memory_[static_cast<std::size_t>(arena)]; }
  const DeviceTiming::EngineTiming& engine_of(int queue) const { return *engine_[static_cast<std::size_t>(queue)]; }

  const DeviceTiming* timing_;
  std::vector<int> memory_;                                // per arena
  std::vector<const DeviceTiming::EngineTiming*> engine_;  // per queue
};

}  // namespace dse::hw
