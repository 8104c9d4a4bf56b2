// A network in words: what the project's own format says.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/nn/operator.h"
#include "models/nn/tensor.h"

namespace dse::nn {

/// What a layer can be.
inline constexpr OperatorKind layer_kinds[] = {
    OperatorKind::conv_2d, OperatorKind::depthwise_conv_2d, OperatorKind::fully_connected,
    OperatorKind::add,     OperatorKind::average_pool_2d,   OperatorKind::max_pool_2d,
    OperatorKind::reshape, OperatorKind::softmax,           OperatorKind::pad,
    OperatorKind::mean,    OperatorKind::concatenation,     OperatorKind::dropout};

/// The word for a kind in a description; what reports call it (key_of) may be shorter.
inline const char* layer_key(OperatorKind kind) {
  return kind == OperatorKind::concatenation ? "concatenation" : key_of(kind);
}

/// One layer of a network description, shapes already inferred.
struct LayerSpec {
  OperatorKind kind = OperatorKind::conv_2d;
  std::string name;
  int from = -1;          // layer whose output is read, -1 = the network's input
  std::vector<int> with;  // ADD: the other operand; CONCATENATION: the parts after `from`; as `from`
  OperatorOptions
      options;  // kernel extents in filter_h and filter_w; `block` above 1: circulant; dropout: alpha = rate
  bool bias = true;
  std::vector<std::int64_t> shape;  // of the output
};

/// The operator that a layer becomes: circulant where it has blocks.
inline OperatorKind operator_of(const LayerSpec& l) {
  if (l.options.block == 1) return l.kind;
  return l.kind == OperatorKind::fully_connected ? OperatorKind::circulant_fully_connected
                                                 : OperatorKind::circulant_conv_2d;
}
/// Shape of the weights of a layer that has filters, which reads a tensor of this shape.
std::vector<std::int64_t> weights_shape(const LayerSpec& l, const std::vector<std::int64_t>& in);

struct NetworkSpec {
  std::string name;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> input_shape;
  /// Of activations: int8, or int16 around 0; filters have 8 bits.
  DataType type = DataType::int8;
  float input_scale = 0.0078125f;  // of 8 bits, whatever the type
  std::int64_t input_zero_point = 0;
  std::vector<LayerSpec> layers;  // in execution order, at least one
};

}  // namespace dse::nn
