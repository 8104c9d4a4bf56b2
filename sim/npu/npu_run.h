// One command stream on the simulated Ethos-U, with what it counted.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "models/hw/ethos_u/pmu.h"
#include "models/hw/ethos_u/system.h"
#include "models/hw/shells/npu/npu_state.h"

namespace dse::sim {

struct NpuResult {
  hw::ethos_u::PmuCounts pmu;
  std::vector<hw::ethos_u::KernelTime> kernels;
  std::string error;  // what the NPU stopped for; empty: it came to STOP
};

/// Runs the stream on the NPU alone, between its memories and on the interconnect of the platform. `bytes` null: timing
/// only.
/// @throws InvariantError when the NPU stands still for ever.
NpuResult run_npu(const hw::ethos_u::Npu& npu, std::span<const std::uint32_t> words,
                  hw::npu::StreamBytes* bytes = nullptr);

}  // namespace dse::sim
