// When transactions end that share memory ports. A transaction is one task's transfers: at most one flow per port
// (reads and writes of a task share one turn) plus a time that its own engine needs. It ends when all its flows have
// and that time is over. Policy "round-robin": equal shares (port_timing.h); "priority": the same, but levels
// (program/cost.h) are engines' priorities, and lower ones stand still. Transactions that end in one tick complete in
// order of their queues.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "models/hw/cost_model.h"
#include "models/hw/ports/port_timing.h"

namespace dse::hw {

constexpr int kMaxMemories = 8, kMaxQueues = 16, kMaxPorts = 4;
/// Queues of engines, then the ports of an NPU.
constexpr int kNpuPorts = 5, kMaxInitiators = kMaxQueues + kNpuPorts;
static_assert(kMaxQueues <= kMaxFlows && kMaxInitiators <= kMaxFlowIds);

class Arbiter {
 public:
  /// @throws InvariantError when the device exceeds the limits above.
  void configure(const DeviceTiming& timing);
  void reset();
  /// Initiator `q` (which has no open transaction) begins `flows` at tick `at` >= `now` and needs until `not_before`
  /// itself.
  void begin(int q, Tick now, Tick at, Tick not_before, const program::TaskCost& cost);
  /// The earliest end; kNever when nothing is open or nothing that is open can end.
  Tick next() const;
  /// Closes the transactions that end at or before `now`. @returns their queues as a bit mask.
  std::uint32_t complete(Tick now);
  std::uint32_t open() const { return open_; }

 private:
  Tick end_of(int q) const;

  struct Open {
    Tick not_before = 0, end = 0;
    int ports = 0;
    std::array<std::int8_t, kMaxMemories> port{};
  };
  std::vector<PortTiming> ports_;
  std::array<int, kMaxMemories> first_port_{}, port_count_{};
  std::array<Open, kMaxInitiators> queues_{};
  std::uint32_t open_ = 0;
};

}  // namespace dse::hw
