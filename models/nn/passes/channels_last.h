// Parts of to_channels_last.
#pragma once
#include <vector>

#include "models/nn/network.h"

namespace dse::nn::layout {

/// GEMM and BATCH_MATMUL by a constant as FULLY_CONNECTED where that says the same. @returns false if not.
bool matrix_to_fully_connected(Network& n, Operator& op);

/// Weights of a convolution whose kind and options are still those of [N, C, H, W]; sets both for [N, H, W, C].
void convolution_to_last(Network& n, Operator& op, std::int64_t in_channels);

/// TRANSPOSE from [N, H, W, C] -> RESHAPE to rows -> FULLY_CONNECTED: the transposition goes into the weights.
Network fold_transposes_into_weights(Network n);

}  // namespace dse::nn::layout
