// From static to dynamic rescaling (kernels/dse_factors.h): which sums of products find factors for their outputs.
#pragma once
#include <cstdint>

#include "models/nn/network.h"

namespace dse::nn {

/// M, the output batches of a layer: as many as its output has rows, or channels, or a number (no more than outputs).
struct OutputBatches {
  enum class By { rows, channels, number } by = By::rows;
  std::int64_t number = 0;  // By::number: >= 1
  std::int64_t of(const Tensor& output) const;
};

/// A network in mode qformat, correct-then-round, in which every sum of products finds factors for its outputs as long
/// as nothing but sums of products sees them: at the end of a chain of such, where a non-linear operator, a sum of two
/// tensors or the outside reads, the store goes by the Q format. Pools, paddings and the like in between read what
/// NORMALIZE brought to one factor, and pass it on. Factors belong to one image: batches of several stay as they are.
/// Tensors keep their numbers. @param n finished or not. @returns one that is not.
Network rescaled_dynamically(Network n, const OutputBatches& batches);

}  // namespace dse::nn
