// Networks without a model file: seeded weights, and quantisation chosen from them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// What a layer can be.
inline constexpr OperatorKind layer_kinds[] = {
    OperatorKind::conv_2d, OperatorKind::depthwise_conv_2d, OperatorKind::fully_connected,
    OperatorKind::add,     OperatorKind::average_pool_2d,   OperatorKind::max_pool_2d,
    OperatorKind::reshape, OperatorKind::softmax,           OperatorKind::pad,
    OperatorKind::mean};

/// One layer of a network description, shapes already inferred.
struct LayerSpec {
  OperatorKind kind = OperatorKind::conv_2d;
  std::string name;
  int from = -1;            // layer whose output is read, -1 = the network's input
  int with = -1;            // ADD: the other operand
  OperatorOptions options;  // kernel extents in filter_h and filter_w
  bool bias = true;
  std::vector<std::int64_t> shape;  // of the output
};

struct NetworkSpec {
  std::string name;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> input_shape;
  float input_scale = 0.0078125f;
  std::int64_t input_zero_point = 0;
  std::vector<LayerSpec> layers;  // in execution order, at least one
};

/// Makes tensors, weights and scales. What no layer reads is an output.
///
/// Weights: uniform in [-127, 127] by splitmix64 from `seed` (one stream, layer after layer), less their mean over each
/// filter (rounded), so that constant inputs do not drown differences. Scales follow the estimated mean m and variance
/// v of the real values of every tensor, where inputs count as uniform over int8:
///  * weight scale of a filter (fully connected: mean over filters) = 1 / sqrt(v_in * sum of w^2): pre-activations have
///  v = 1;
///  * bias uniform in [-1/4, 1/4], in units of input scale times weight scale;
///  * output range = m +- 3.5 sqrt(v), widened to hold 0, cut by the activation; scale = range / 255;
///  * average pools and means divide v by the window's size; ADD adds m and v; rectifiers use the moments of a cut
///  normal distribution.
/// So outputs neither all saturate nor vanish. IEEE binary64 with + - * / sqrt only: the same on every machine.
Network seeded_network(const NetworkSpec& spec);

/// The same architecture in float32: the weights are those of with_he_normal_weights(network, spec.seed), as fills, and
/// no tensor is quantised; the input's scale and zero point stand there for those who read inputs of 8 bits.
Network seeded_float_network(const NetworkSpec& spec);

}  // namespace dse::nn
