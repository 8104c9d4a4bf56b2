// How operators reach the emulation of an NPU: which of them as a whole, and how their weights are coded.
#pragma once
#include <cstddef>

#include "models/hw/ethos_u/shram.h"
#include "models/nn/kernels/dse_npu_stream.h"
#include "plan/npu/graph.h"

namespace dse::plan::npu {

/// Operators that are several operations, or whose kernel sees its tensors in another way than blocks do: they are
/// computed as one. `several`: it is.
bool as_a_whole(nn::OperatorKind kind, bool several);

/// Weights of an operation as the stream has them for these blocks; `zeros` zero points follow.
dse_npu_coded coded_of(const Operation& operation, const nn::Operator& source, const hw::ethos_u::Accelerator& a,
                       const hw::ethos_u::BlockConfig& block, std::size_t zeros);

}  // namespace dse::plan::npu
