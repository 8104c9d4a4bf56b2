// What a task costs, in terms an engine understands. Kinds describe their work (program/work.h); the device's timing
// classes (models/hw) turn that into a TaskCost. So program/ knows no hardware and hw knows no tasks.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "program/work.h"

namespace dse::program {

/// Times are ticks (cycles of the device's fastest clock). A task on an engine takes: `fixed`, then max(`busy`, its
/// flows), where a flow moves `bytes` through a port of `memory` in fair share with all other active flows there. The
/// port is kept as long as `port_bytes` need, which are more where banks conflict.
struct TaskCost {
  std::int64_t fixed = 0;
  std::int64_t busy = 0;
  struct Flow {
    int memory;
    std::int64_t bytes;
    bool write;
    std::int64_t accesses = 0;  // of the memory's width; counted where they have an energy
    std::int64_t port_bytes = 0;
  };
  std::array<Flow, 16> flows;  // the first flow_count
  int level = 0;               // of all of them: at a port only flows of the highest level move
  int flow_count = 0;
  int kernel =
      0;  // != 0: the engine pays `switch_cost` when its previous kernel differs, and at a section's first call
  std::int64_t switch_cost = 0;
  std::int64_t macs = 0;
  std::int64_t compute = 0;  // part of `busy` that is arithmetic (0 for copies)
  // For energy: output elements; cycles of the engine's own, undisturbed (0 for a DMA); an operand has 16 bits.
  std::int64_t elements = 0, cycles = 0;
  bool wide = false;
  /// Copies what is used of `o`.
  void assign(const TaskCost& o) {
    fixed = o.fixed, busy = o.busy, level = o.level, flow_count = o.flow_count, kernel = o.kernel,
    switch_cost = o.switch_cost;
    macs = o.macs, compute = o.compute, elements = o.elements, cycles = o.cycles, wide = o.wide;
    for (int i = 0; i < o.flow_count; ++i) flows[static_cast<std::size_t>(i)] = o.flows[static_cast<std::size_t>(i)];
  }
  void add_flow(int memory, std::int64_t bytes, bool write, std::int64_t accesses = 0) {
    add_flow(memory, bytes, write, accesses, bytes);
  }
  void add_flow(int memory, std::int64_t bytes, bool write, std::int64_t accesses, std::int64_t port_bytes) {
    if (bytes > 0) flows[flow_count++] = {memory, bytes, write, accesses, port_bytes};
  }
};

/// Implemented by models/hw for a device and a binding of arenas to memories.
class CostModel {
 public:
  virtual ~CostModel() = default;
  virtual TaskCost copy(int queue, const CopyWork& work) const = 0;
  virtual TaskCost call(int queue, const CallWork& work) const = 0;
  /// Whether copy() and call() look at how operands with gaps are spread, which takes time to find.
  virtual bool asks_for_gaps(int /*queue*/) const { return true; }
  /// Commands of an NPU. @throws InvariantError unless the model knows an NPU.
  virtual TaskCost stream(int queue, std::span<const std::uint8_t> commands) const;
};

}  // namespace dse::program
