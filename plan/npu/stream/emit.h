// The command streams of a schedule: one per invocation of the NPU, between operators of the CPU.
#pragma once
#include <cstdint>
#include <vector>

#include "models/hw/ethos_u/stream/commands.h"
#include "plan/npu/stream/part.h"
#include "plan/npu/stream/places.h"

namespace dse::plan::npu {

struct Stream {
  std::vector<std::uint32_t> words;
  std::vector<Part> kernels;  // by the parameter of KERNEL
};

/// Of segment `segment` of the graph.
Stream emit(const Costs& costs, const Schedule& schedule, const Places& places, int segment);

}  // namespace dse::plan::npu
