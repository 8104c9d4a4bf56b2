// Parts of to_channels_last.
#pragma once
#include <vector>

#include "models/nn/network.h"

namespace dse::nn::layout {

/// result[i] = source[permutation[i]]: from [N, C, H, W] to [N, H, W, C] and back.
inline const std::vector<std::int64_t> to_last{0, 2, 3, 1}, to_first{0, 3, 1, 2};

/// GEMM and BATCH_MATMUL by a constant as FULLY_CONNECTED where that says the same. @returns false if not.
bool matrix_to_fully_connected(Network& n, Operator& op);

/// Weights of a convolution whose kind and options are still those of [N, C, H, W]; sets both for [N, H, W, C].
void convolution_to_last(Network& n, Operator& op, std::int64_t in_channels);

/// TRANSPOSE from [N, H, W, C] -> RESHAPE to rows -> FULLY_CONNECTED: the transposition goes into the weights.
Network fold_transposes_into_weights(Network n);

}  // namespace dse::nn::layout
