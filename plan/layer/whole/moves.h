// Operators that move whole tensors, as copies of boxes: what TRANSPOSE, SLICE and PAD are to a layer that is cut into
// pieces, since their own kernels see tensors as one row and cannot tell which part of the input a piece needs.
#pragma once
#include <cstdint>
#include <vector>

#include "models/nn/network.h"

namespace dse::plan {

/// The call as copies (DSE_COPY) of up to three dimensions each, which make the same bytes but for a padding's border;
/// the call itself where that is not possible, or takes too many copies, and for every other kind.
std::vector<nn::KernelCall> moves_of(const nn::KernelCall& call);

/// Bytes of a padding's border: `run` of them from `offset` on in the output, again after each of so many strides.
struct BorderRun {
  std::int64_t offset = 0, run = 0;
  std::int64_t count_h = 1, stride_h = 0, count_w = 1, stride_w = 0;
};
/// The border of a padding that moves_of() takes apart.
std::vector<BorderRun> border_runs(const nn::KernelCall& padding);

}  // namespace dse::plan
