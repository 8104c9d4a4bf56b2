// The kinds of operators and what is known of a kind whatever the network: one row per kind.
#pragma once
#include <cstddef>

namespace dse::nn {

enum class OperatorKind {
  conv_2d,
  depthwise_conv_2d,
  fully_connected,
  add,
  average_pool_2d,
  max_pool_2d,
  reshape,
  softmax,
  // From here on in alphabetical order. The numbers are part of stored files: new kinds go to the end.
  abs,
  add_n,  // ONNX Sum
  arg_max,
  arg_min,
  assign_variable,  // {value} -> {variable}
  batch_matmul,
  batch_normalization,  // {x, scale, bias, mean, variance}
  clip,
  concatenation,
  dequantize,
  div,
  dropout,  // the identity
  elu,
  expand_dims,
  gemm,  // ONNX Gemm: alpha * A' * B' + beta * C
  global_average_pool,
  global_max_pool,
  hard_swish,
  identity,
  l2_normalization,
  leaky_relu,
  log_softmax,
  logistic,
  lrn,
  maximum,
  mean,
  minimum,
  mirror_pad,
  mul,
  pack,
  pad,  // PAD, PADV2
  prelu,
  quantize,
  read_variable,  // {variable} -> {value}
  reduce_max,
  reduce_min,
  relu,
  relu6,
  relu_n1_to_1,
  resize_bilinear,
  resize_nearest_neighbor,
  slice,
  split,  // SPLIT, SPLIT_V
  squared_difference,
  squeeze,
  strided_slice,
  sub,
  sum,
  svdf,
  tanh,
  transpose,
  transpose_conv,                // ifm, weights OHWI, bias or -1; the output tensor gives the output's shape
  unidirectional_sequence_lstm,  // 24 inputs as TFLite lists them
  unpack,
  hard_sigmoid,
  neg,
  normalize,                  // {mantissas, factors} -> {mantissas, one factor}: kernels/dse_factors.h
  circulant_fully_connected,  // weights [p, q, b], bias or -1: models/nn/circulant, kernels/dse_circulant.h
  circulant_conv_2d,          // weights [p, kernel_h, kernel_w, q, b], bias or -1
  other                       // an operator that we can show but not run; Operator::type names it
};
constexpr int operator_kinds = static_cast<int>(OperatorKind::other) + 1;

/// Kinds whose kernel parameters are derived by one function and that one function evaluates in float.
enum class OperatorFamily {
  convolution,  // with depthwise ones; the order of the first five: has_filters, is_product
  transpose_conv,
  fully_connected,
  gemm,
  batch_matmul,
  pool,
  global_pool,
  unary,   // element by element, one operand
  binary,  // element by element, two operands, either of which may be broadcast
  add_n,
  batch_normalization,
  lrn,
  quantize,  // and back
  softmax,
  log_softmax,
  l2_normalization,
  copy,  // the bytes of the operand in another shape, or in a variable
  concatenation,
  split,
  transpose,
  slice,
  pad,
  reduction,
  arg_extreme,
  resize,
  svdf,
  lstm,
  normalize,
  circulant,
  other
};
constexpr int operator_families = static_cast<int>(OperatorFamily::other) + 1;

struct OperatorFacts {
  /// Of inputs and outputs; inputs from `optional` on may be -1.
  struct Arity {
    std::size_t min_inputs, max_inputs, optional, max_outputs;
  };
  OperatorKind kind;
  const char* name;  // upper case, as TensorFlow Lite has it: "CONV_2D"
  const char* key;   // lower case, as the field has it, for YAML keys and names of operators: conv, depthwise, add, ...
  OperatorFamily family;
  Arity arity;
  enum Flag : unsigned { kActivates = 1, kKeepsRows = 2, kMovesValues = 4, kKeepsWidth = 8 };
  unsigned flags;

  /// May have a fused activation.
  bool activates() const { return (flags & kActivates) != 0; }
  /// Each row of the output is computed from the same row of every operand of as many rows.
  bool keeps_rows() const { return (flags & kKeepsRows) != 0; }
  /// Moves or selects raw values, so that operands and results share scale and zero point in TensorFlow Lite.
  bool moves_values() const { return (flags & kMovesValues) != 0; }
  /// Its kernel wants operand and result of one width.
  bool keeps_width() const { return (flags & kKeepsWidth) != 0; }
};
const OperatorFacts& facts_of(OperatorKind k);

inline const char* name_of(OperatorKind k) { return facts_of(k).name; }
inline const char* key_of(OperatorKind k) { return facts_of(k).key; }
inline OperatorFamily family_of(OperatorKind k) { return facts_of(k).family; }
/// Sums of products of the first two operands, the second of which is most often weights.
inline bool is_product(OperatorKind k) { return family_of(k) <= OperatorFamily::batch_matmul; }
/// Convolutions and fully connected layers: weights by output channel, and a bias.
inline bool has_filters(OperatorKind k) { return family_of(k) <= OperatorFamily::fully_connected; }
/// Block-circulant weights, by rows of blocks, and a bias.
inline bool is_circulant(OperatorKind k) { return family_of(k) == OperatorFamily::circulant; }
/// Convolutions and fully connected layers, block-circulant ones among them: weights that the operator owns, and a
/// bias.
inline bool is_weighted(OperatorKind k) { return has_filters(k) || is_circulant(k); }
/// Convolutions and pools: each output is computed from a window of the input.
inline bool slides(OperatorKind k) {
  return family_of(k) == OperatorFamily::convolution || family_of(k) == OperatorFamily::pool;
}
/// The bytes of the operand under another shape or name.
inline bool is_view(OperatorKind k) {
  return family_of(k) == OperatorFamily::copy && k != OperatorKind::assign_variable && k != OperatorKind::read_variable;
}
/// Every output element is computed from the elements at its place, or from broadcast ones.
inline bool is_elementwise(OperatorKind k) {
  return family_of(k) == OperatorFamily::unary || family_of(k) == OperatorFamily::binary;
}

/// The row of `k` in a table whose rows have a `kind`; null where there is none.
template <class Row, std::size_t rows>
constexpr const Row* row_of(const Row (&table)[rows], OperatorKind k) {
  for (const Row& row : table)
    if (row.kind == k) return &row;
  return nullptr;
}

}  // namespace dse::nn
