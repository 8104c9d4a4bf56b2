// The graph of a network: each operator as operations of the NPU, or left to the CPU.
#pragma once
#include "plan/npu/graph.h"

namespace dse::plan::npu {

/// The operations for a network on this accelerator.
Graph to_graph(const nn::Network& network, const hw::ethos_u::Accelerator& accelerator);

}  // namespace dse::plan::npu
