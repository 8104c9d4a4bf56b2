// Static rescaling by the proven worst case: ranges that no input leaves.
#pragma once
#include <vector>

#include "models/nn/quantizer/quantizer.h"

namespace dse::nn::quantizer {

/// What the outputs of a sum of products can be at most, whatever its input is within `in`: over all channels, the
/// largest sum of magnitudes of weights times inputs, and the bias. Weights and biases are those before they become
/// integers of `bits`, which may add half a step to each, and so may the store.
/// @param in that the input's format holds, not only what was seen of it.
Range worst_case(const Operator& op, const Tensor& weights, const std::vector<float>& values,
                 const std::vector<float>& bias, Range in, int bits);

}  // namespace dse::nn::quantizer
