// One function per family of operators derives the kernel parameters from tensors and options.
#pragma once
#include <cstdint>

#include "models/nn/graph/derivation.h"

namespace dse::nn {

/// The derivation of an operator whose operands are integers. @returns false where no kernel computes it.
bool derive_integer(Derivation& d);

// Each fills `op.kernel` (and `calls`, where the operator is more than one plain call), or says why it cannot.
bool derive_convolution(Derivation& d);  // CONV_2D, DEPTHWISE_CONV_2D
bool derive_fully_connected(Derivation& d);
bool derive_transpose_conv(Derivation& d);
bool derive_batch_matmul(Derivation& d);
bool derive_pool(Derivation& d);      // also global pools
bool derive_binary(Derivation& d);    // ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, SQUARED_DIFFERENCE, PRELU
bool derive_unary(Derivation& d);     // RELU and its like, LOGISTIC, TANH, HARD_SWISH, LEAKY_RELU, ELU, ABS, ...
bool derive_quantize(Derivation& d);  // QUANTIZE, DEQUANTIZE
bool derive_softmax(Derivation& d);
bool derive_log_softmax(Derivation& d);
bool derive_l2_normalization(Derivation& d);
bool derive_copy(Derivation& d);       // RESHAPE, SQUEEZE, EXPAND_DIMS, IDENTITY, DROPOUT, READ_ and ASSIGN_VARIABLE
bool derive_parts(Derivation& d);      // CONCATENATION, PACK, SPLIT, UNPACK: one copy (or requantisation) per part
bool derive_gather(Derivation& d);     // TRANSPOSE, SLICE, STRIDED_SLICE
bool derive_pad(Derivation& d);        // PAD, PADV2, MIRROR_PAD
bool derive_reduction(Derivation& d);  // MEAN, SUM, REDUCE_MAX, REDUCE_MIN
bool derive_arg_extreme(Derivation& d);
bool derive_resize(Derivation& d);
bool derive_svdf(Derivation& d);
bool derive_lstm(Derivation& d);
bool derive_normalize(Derivation& d);
bool derive_circulant(Derivation& d);
/// An operator in float32: shapes are checked and macs counted; there is no kernel.
bool derive_float(Derivation& d);

/// Extents of input and output; every window parameter 1; the operator's rounding mode.
void set_extents(dse_op& k, const Tensor::Image& in, const Tensor::Image& out);
/// act_min and act_max of a fused activation at the output's type, scale and zero point.
void set_activation(Derivation& d);

/// Shared by the operators with weights: checks weights and bias, fills `channel_params`, activation range and zero
/// point of the weights; `op.kernel` has its types and extents already. Weights of circulant layers have a scale per
/// row of blocks.
/// @param channel_axis axis of the weights' per-channel scales.
bool derive_channel_params(Derivation& d, std::int64_t channels, int channel_axis);
/// Extents, strides and padding of a window over [N, H, W, C]; checks the output's height and width. Sets `op.kernel`.
bool derive_window(Derivation& d, std::int64_t kernel_h, std::int64_t kernel_w, std::int64_t out_c);

}  // namespace dse::nn
