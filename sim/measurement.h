// What one simulation of a program measured. Times are ticks (cycles of the device's fastest clock).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/program.h"
#include "sim/energy.h"

namespace dse::sim {

/// Causes that a tick of a compute engine's time is charged to. `compute`: the engine is busy on this layer.
/// `dispatch`: its fixed cost per task. Otherwise it stands still, and the cause is what the next task to start there
/// waits for at that moment.
enum class Cause { compute, dispatch, memory, dma_weights, dma_input, dma_output, issue, wait, other };
constexpr int kCauses = 9;
const char* name_of(Cause c);

/// One line of the per-layer account of the compute engine: the causes add up to the layer's ticks, and the layers to
/// the total.
struct LayerAccount {
  int section = 0;  // of its job's program
  std::array<std::int64_t, kCauses> ticks{};
  std::int64_t hidden_dma = 0;  // DMA busy while the engine computes: beside the sum, not in it
  int layer = 0;                // operator of the network; a section that runs by phases has several
  std::int64_t total() const;
};

struct EngineUse {
  int queue = 0;
  std::int64_t tasks = 0, busy = 0, stalled = 0;  // busy + stalled + idle = total
};

struct MemoryUse {
  int memory = 0;
  std::int64_t read = 0, written = 0;  // bytes through its ports
  std::int64_t arena = 0;              // highest address used + 1 - base, over all jobs
};

/// One task as it ran: issued by control, ready (dependencies complete), started, ended.
struct TaskRecord {
  std::int32_t section, tile, template_index;
  std::int16_t queue;
  std::int64_t issued, ready, start, end;
  std::int32_t row = 0;  // its layer's place in RunResult::layers (as they are with accounts on)
};

/// What a task's time is made of.
struct TaskDetail {
  std::int32_t ready_by = -1;  // place in the trace of the task whose end made it ready; -1 = none
  /// From `start` on: its fixed cost, then what it takes at its own pace; the rest until `end` is what ports add.
  std::int64_t fixed = 0, busy = 0;
  Cause cause = Cause::other;  // of a copy, with accounts on: what an engine that waits for it is charged to
};

/// Control stood at a Wait from `from` until `until`, and went on at `end`.
struct WaitRecord {
  std::int32_t section;
  std::int64_t from, until, end;
};

/// Ticks [from, to) that the account gives to one layer and one cause.
struct ChargeRecord {
  std::int32_t row;  // place in RunResult::layers
  Cause cause;
  std::int64_t from, to;
};

/// A kernel of a command stream as it ran.
struct StreamRecord {
  std::int32_t section, number;
  std::int64_t end;
};

struct Failure {
  enum class Kind { deadlock, out_of_range, uninitialised_read, conflict, overlap, execution } kind;
  std::string what;  // names tasks, layers, memories, addresses
};

struct RunResult {
  std::int64_t ticks = 0;
  std::int64_t energy_fj = 0;  // femtojoules: all energies are rounded to them, so that layers add up exactly
  Energy energy;  // the same by cause; empty where one figure per block says it all (EnergyRates::by_cause)
  std::int64_t macs = 0, tasks = 0;
  std::vector<LayerAccount> layers;                // per (section, layer), in order (accounts on)
  std::vector<std::int64_t> section_end;           // tick at which each section had quiesced
  std::vector<EngineUse> engines;                  // per queue
  std::vector<MemoryUse> memories;                 // per memory of the device
  std::vector<TaskRecord> trace;                   // trace on: in issue order
  std::vector<TaskDetail> details;                 // trace on: of the same tasks
  std::vector<StreamRecord> kernels;               // trace on: of streams, by section in order of their ends
  std::vector<WaitRecord> waits;                   // trace on: in order
  std::vector<ChargeRecord> charges;               // trace and accounts on: every tick once, in order
  std::vector<std::vector<std::uint8_t>> outputs;  // data on: bytes of each network output
  std::int64_t startup_bytes = 0;                  // preloads: shown, not in `ticks`
  std::optional<Failure> failure;
};

}  // namespace dse::sim
