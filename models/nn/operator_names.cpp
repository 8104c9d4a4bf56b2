// Names of operator kinds, in the order of the enumeration.
#include <iterator>

#include "models/nn/network.h"

namespace dse::nn {
namespace {

struct KindName {
  OperatorKind kind;
  const char *name, *key;
};
constexpr KindName kind_names[] = {
    {OperatorKind::conv_2d, "CONV_2D", "conv"},
    {OperatorKind::depthwise_conv_2d, "DEPTHWISE_CONV_2D", "depthwise"},
    {OperatorKind::fully_connected, "FULLY_CONNECTED", "fully_connected"},
    {OperatorKind::add, "ADD", "add"},
    {OperatorKind::average_pool_2d, "AVERAGE_POOL_2D", "average_pool"},
    {OperatorKind::max_pool_2d, "MAX_POOL_2D", "max_pool"},
    {OperatorKind::reshape, "RESHAPE", "reshape"},
    {OperatorKind::softmax, "SOFTMAX", "softmax"},
    {OperatorKind::abs, "ABS", "abs"},
    {OperatorKind::add_n, "ADD_N", "add_n"},
    {OperatorKind::arg_max, "ARG_MAX", "arg_max"},
    {OperatorKind::arg_min, "ARG_MIN", "arg_min"},
    {OperatorKind::assign_variable, "ASSIGN_VARIABLE", "assign_variable"},
    {OperatorKind::batch_matmul, "BATCH_MATMUL", "batch_matmul"},
    {OperatorKind::batch_normalization, "BATCH_NORMALIZATION", "batch_normalization"},
    {OperatorKind::clip, "CLIP", "clip"},
    {OperatorKind::concatenation, "CONCATENATION", "concat"},
    {OperatorKind::dequantize, "DEQUANTIZE", "dequantize"},
    {OperatorKind::div, "DIV", "div"},
    {OperatorKind::dropout, "DROPOUT", "dropout"},
    {OperatorKind::elu, "ELU", "elu"},
    {OperatorKind::expand_dims, "EXPAND_DIMS", "expand_dims"},
    {OperatorKind::gemm, "GEMM", "gemm"},
    {OperatorKind::global_average_pool, "GLOBAL_AVERAGE_POOL", "global_average_pool"},
    {OperatorKind::global_max_pool, "GLOBAL_MAX_POOL", "global_max_pool"},
    {OperatorKind::hard_swish, "HARD_SWISH", "hard_swish"},
    {OperatorKind::identity, "IDENTITY", "identity"},
    {OperatorKind::l2_normalization, "L2_NORMALIZATION", "l2_normalization"},
    {OperatorKind::leaky_relu, "LEAKY_RELU", "leaky_relu"},
    {OperatorKind::log_softmax, "LOG_SOFTMAX", "log_softmax"},
    {OperatorKind::logistic, "LOGISTIC", "logistic"},
    {OperatorKind::lrn, "LRN", "lrn"},
    {OperatorKind::maximum, "MAXIMUM", "maximum"},
    {OperatorKind::mean, "MEAN", "mean"},
    {OperatorKind::minimum, "MINIMUM", "minimum"},
    {OperatorKind::mirror_pad, "MIRROR_PAD", "mirror_pad"},
    {OperatorKind::mul, "MUL", "mul"},
    {OperatorKind::pack, "PACK", "pack"},
    {OperatorKind::pad, "PAD", "pad"},
    {OperatorKind::prelu, "PRELU", "prelu"},
    {OperatorKind::quantize, "QUANTIZE", "quantize"},
    {OperatorKind::read_variable, "READ_VARIABLE", "read_variable"},
    {OperatorKind::reduce_max, "REDUCE_MAX", "reduce_max"},
    {OperatorKind::reduce_min, "REDUCE_MIN", "reduce_min"},
    {OperatorKind::relu, "RELU", "relu"},
    {OperatorKind::relu6, "RELU6", "relu6"},
    {OperatorKind::relu_n1_to_1, "RELU_N1_TO_1", "relu_n1_to_1"},
    {OperatorKind::resize_bilinear, "RESIZE_BILINEAR", "resize_bilinear"},
    {OperatorKind::resize_nearest_neighbor, "RESIZE_NEAREST_NEIGHBOR", "resize_nearest_neighbor"},
    {OperatorKind::slice, "SLICE", "slice"},
    {OperatorKind::split, "SPLIT", "split"},
    {OperatorKind::squared_difference, "SQUARED_DIFFERENCE", "squared_difference"},
    {OperatorKind::squeeze, "SQUEEZE", "squeeze"},
    {OperatorKind::strided_slice, "STRIDED_SLICE", "strided_slice"},
    {OperatorKind::sub, "SUB", "sub"},
    {OperatorKind::sum, "SUM", "sum"},
    {OperatorKind::svdf, "SVDF", "svdf"},
    {OperatorKind::tanh, "TANH", "tanh"},
    {OperatorKind::transpose, "TRANSPOSE", "transpose"},
    {OperatorKind::transpose_conv, "TRANSPOSE_CONV", "transpose_conv"},
    {OperatorKind::unidirectional_sequence_lstm, "UNIDIRECTIONAL_SEQUENCE_LSTM", "lstm"},
    {OperatorKind::unpack, "UNPACK", "unpack"},
    {OperatorKind::hard_sigmoid, "HARD_SIGMOID", "hard_sigmoid"},
    {OperatorKind::neg, "NEG", "neg"},
    {OperatorKind::other, "OTHER", "other"},
};
static_assert(std::size(kind_names) == operator_kinds);

const KindName& entry(OperatorKind k) { return kind_names[static_cast<std::size_t>(k)]; }

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kind_names); ++i)
    if (static_cast<std::size_t>(kind_names[i].kind) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

const char* name_of(OperatorKind k) { return entry(k).name; }
const char* key_of(OperatorKind k) { return entry(k).key; }

const char* name_of(Rounding r) {
  switch (r) {
    case Rounding::tflite:
      return "tflite";
    case Rounding::single:
      return "single";
    case Rounding::onnx:
      return "onnx";
    case Rounding::qformat:
      return "qformat";
  }
  return "?";
}

}  // namespace dse::nn
