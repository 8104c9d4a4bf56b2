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

/// What an inference takes: `total` is the sum of the other four, cycles of the NPU's clock.
struct SystemTime {
  std::int64_t active = 0;     // of the NPU
  std::int64_t hand_over = 0;  // of all invocations
  std::int64_t control = 0;    // issuing each task, and what an inference takes to begin
  std::int64_t on_cpu = 0;     // operators that the NPU cannot run
  std::int64_t total = 0;
  std::vector<CpuOperator> cpu;
  double cpu_us = 0, total_us = 0;
  std::string error;  // why there is no such system; then nothing else is set
};

/// The system of this NPU and the first CPU of `cpu` as a device: that core and its control beside the NPU, both on the
/// NPU's memories. The core reaches the SRAM as it does the slowest memory on the chip of its own device, and what lies
/// behind the second port as its own constants.
hw::DevicePtr device_of(const hw::ethos_u::Npu& npu, const hw::Device& cpu, std::int64_t hand_over = kHandOverCycles);

/// What the platform takes for the schedule on that device, so that it is the time that a sweep finds; the NPU's
/// invocations are those of `s`, because a system of one's own has latencies that no device can name. Layouts need no
/// copies: what both see lies channels last.
SystemTime time_of(const Compiled& c, const Simulated& s, const hw::Device& cpu,
                   std::int64_t hand_over = kHandOverCycles);

}  // namespace dse::explore::npu
