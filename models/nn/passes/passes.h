// Rewrites of networks: each takes a network, derived or not, and returns an equivalent one that finish_network has yet
// to see. They keep the names of tensors and operators that survive.
#pragma once
#include "models/nn/network.h"

namespace dse::nn {

/// Without what finish_network derives, so that it may be rewritten and finished again. Every pass begins with it.
Network unfinished(Network n);

/// Without DROPOUT and IDENTITY and reshapes to the same shape. One between a network input or constant and a network
/// output stays.
Network remove_identities(Network n);

/// BATCH_NORMALIZATION, and MUL and ADD by one constant per output channel, into the convolution, GEMM or fully
/// connected operator before them, where nothing else reads in between. Weights become w * a[c], biases b * a[c] +
/// d[c], computed in double and rounded to float32 once per fold; fills are materialised only here. Float operators
/// only.
Network fold_batch_norm(Network n);

/// RELU, RELU6, RELU_N1_TO_1 and CLIP to [0, 6], [-1, 1] or [0, highest float] into the convolution, matrix product,
/// pool, ADD, SUB or MUL before them, where nothing else reads in between: `options.activation`.
Network fuse_activations(Network n);

/// From [N, C, H, W] to [N, H, W, C] everywhere, network inputs and outputs of four dimensions included: weights OIHW
/// to OHWI, depthwise convolutions as such with 1HWO, transposed convolutions IOHW to OHWI, GEMM and MATMUL by
/// constants to FULLY_CONNECTED [out, in], axes and paddings renumbered. A TRANSPOSE appears only where an operator
/// sees the order of elements (a reshape of a map of more than one pixel and channel, a reduction that leaves H or W
/// behind C); before a fully connected operator it is folded into the weights. A network that has no operator with
/// `channels_first` only gets its matrix products rewritten.
/// @param matrices also rewrite GEMM and BATCH_MATMUL by constants.
Network to_channels_last(Network n, bool matrices = true);

/// What quantisation and compression begin with: a float network without identities, with batch normalisations and
/// activations folded, channels last.
Network plain_form(Network n);

/// RESHAPE, TRANSPOSE and the like of float32 before a QUANTIZE or behind a DEQUANTIZE, and slices behind a DEQUANTIZE,
/// as moves of integers: the conversion comes first, or last. Exact, since both take every element for itself.
Network moves_on_integers(Network n);

/// DEQUANTIZE -> operators -> QUANTIZE in float32 to integer operators (docs/network/onnx.md lists which), rounding
/// mode onnx.
Network fold_quantize_pairs(Network n);

}  // namespace dse::nn
