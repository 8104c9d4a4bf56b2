// Networks without a model file: seeded weights, and quantisation chosen from them.
#pragma once
#include <vector>

#include "models/nn/made/network_spec.h"
#include "models/nn/network.h"

namespace dse::nn {

/// Layers whose output no layer reads, in order.
std::vector<int> output_layers(const NetworkSpec& spec);

/// Makes tensors, weights and scales.
///
/// Weights: uniform in [-127, 127] by splitmix64 from `seed` (one stream, layer after layer), less their mean over each
/// filter (rounded), so that constant inputs do not drown differences. Scales follow the estimated mean m and variance
/// v of the real values of every tensor, where inputs count as uniform over int8:
///  * weight scale of a filter (fully connected: mean over filters) = 1 / sqrt(v_in * sum of w^2): pre-activations have
///  v = 1;
///  * bias uniform in [-1/4, 1/4], in units of input scale times weight scale;
///  * output range = m +- 3.5 sqrt(v), widened to hold 0, cut by the activation; scale = range / 255;
///  * average pools and means divide v by the window's size; ADD adds m and v; rectifiers use the moments of a cut
///  normal distribution;
///  * what only moves values (reshapes, pads) and pools and means have the quantisation of what they read.
///  CONCATENATION moves bytes, so its parts and its output need one quantisation. All tensors that such layers tie
///  together, directly or over others, are a group: its range is from the least lower to the greatest upper end of its
///  tensors' ranges. A group with the network's input or a SOFTMAX has the scale and zero point of that, and its other
///  tensors saturate where they reach beyond. Moments of a concatenation are those of its parts, weighted by channels;
///  * activations of 16 bits have the ranges of those of 8, made even around 0; biases then have 64 bits.
/// So outputs neither all saturate nor vanish. IEEE binary64 with + - * / sqrt only: the same on every machine.
Network seeded_network(const NetworkSpec& spec);

/// The same architecture in float32: the weights are those of with_he_normal_weights(network, spec.seed), as fills, and
/// no tensor is quantised; the input's scale and zero point stand there for those who read inputs of 8 bits.
Network seeded_float_network(const NetworkSpec& spec);

}  // namespace dse::nn
