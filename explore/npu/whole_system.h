// An Ethos-U beside a CPU: invocations of the NPU, what handing over takes, and the operators that the CPU runs.
#pragma once
#include <string>
#include <vector>

#include "explore/npu/simulated.h"
#include "models/hw/device.h"

namespace dse::explore::npu {

/// Idle cycles of the NPU per invocation. The counters of Arm's examples read 342 to 1,033 (driver and host); the
/// concurrency thesis saw 113,000 with an operating system between (docs/npu/model.md).
constexpr std::int64_t kHandOverCycles = 500;

struct CpuOperator {
  int source = -1;
  std::string why;
  std::int64_t cycles = 0;  // of the CPU's clock
};

struct SystemTime {
  std::int64_t active = 0, idle = 0;  // of the NPU, its cycles
  std::vector<CpuOperator> cpu;
  double cpu_us = 0, total_us = 0;
  std::int64_t total_cycles = 0;  // of the NPU's clock, all of it
};

/// `cpu`: the first CPU of this device runs what the NPU cannot. Layouts need no copies: what both see lies channels
/// last.
SystemTime time_of(const Compiled& c, const Simulated& s, const hw::Device& cpu,
                   std::int64_t hand_over = kHandOverCycles);

}  // namespace dse::explore::npu
