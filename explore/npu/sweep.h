// Fronts of several networks on several Ethos-U systems, and what fits into how much SRAM.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "explore/npu/front.h"
#include "explore/npu/whole_system.h"

namespace dse::explore::npu {

struct SweepAxes {
  std::vector<nn::NetworkPtr> networks;
  std::vector<hw::ethos_u::Npu> npus;
  std::vector<std::int64_t> arenas;  // bytes of SRAM; 0: as many as the system has
  const hw::Device* cpu = nullptr;   // runs what the NPU cannot
  std::int64_t hand_over = kHandOverCycles;
  FrontEffort effort;
};

/// One network on one system.
struct SweepCell {
  nn::NetworkPtr network;
  hw::ethos_u::Npu npu;
  std::vector<Point> points;      // none is better in both; ascending in bytes
  std::vector<SystemTime> times;  // of each
  std::vector<int> fits;          // by arena: the fastest point that fits, -1: none does
  std::string reason;             // why there is no point, whatever the arena
};

/// Every network on every system, in this order; `done` is told of each cell. Ends early when effort.stop says so,
/// with the cells that are whole.
std::vector<SweepCell> sweep(const SweepAxes& axes, const std::function<void(const SweepCell&)>& done = {});

}  // namespace dse::explore::npu
