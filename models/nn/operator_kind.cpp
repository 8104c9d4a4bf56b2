// The table of operators, in the order of the enumeration.
#include "models/nn/operator_kind.h"

#include <iterator>

namespace dse::nn {
namespace {

using K = OperatorKind;
using F = OperatorFamily;
constexpr std::size_t many = 1024;
constexpr unsigned activates = OperatorFacts::kActivates, keeps_rows = OperatorFacts::kKeepsRows,
                   moves_values = OperatorFacts::kMovesValues, keeps_width = OperatorFacts::kKeepsWidth;

// clang-format off
constexpr OperatorFacts table[] = {
    // kind, name, key, family, {fewest inputs, most, optional from, most outputs}, flags
    {K::conv_2d, "CONV_2D", "conv", F::convolution, {2, 4, 2, 2}, activates},
    {K::depthwise_conv_2d, "DEPTHWISE_CONV_2D", "depthwise", F::convolution, {2, 4, 2, 2}, activates},
    {K::fully_connected, "FULLY_CONNECTED", "fully_connected", F::fully_connected, {2, 4, 2, 2}, activates},
    {K::add, "ADD", "add", F::binary, {2, 2, 2, 1}, activates | keeps_rows},
    {K::average_pool_2d, "AVERAGE_POOL_2D", "average_pool", F::pool, {1, 1, 1, 1}, activates | moves_values},
    {K::max_pool_2d, "MAX_POOL_2D", "max_pool", F::pool, {1, 1, 1, 1}, activates | moves_values},
    {K::reshape, "RESHAPE", "reshape", F::copy, {1, 1, 1, 1}, moves_values},
    {K::softmax, "SOFTMAX", "softmax", F::softmax, {1, 1, 1, 1}, keeps_rows | keeps_width},
    {K::abs, "ABS", "abs", F::unary, {1, 1, 1, 1}, keeps_rows},
    {K::add_n, "ADD_N", "add_n", F::add_n, {1, many, many, 1}, keeps_rows},
    {K::arg_max, "ARG_MAX", "arg_max", F::arg_extreme, {1, 1, 1, 1}, 0},
    {K::arg_min, "ARG_MIN", "arg_min", F::arg_extreme, {1, 1, 1, 1}, 0},
    {K::assign_variable, "ASSIGN_VARIABLE", "assign_variable", F::copy, {1, 1, 1, 1}, moves_values},
    {K::batch_matmul, "BATCH_MATMUL", "batch_matmul", F::batch_matmul, {2, 2, 2, 1}, activates},
    {K::batch_normalization, "BATCH_NORMALIZATION", "batch_normalization", F::batch_normalization, {5, 5, 5, 1}, keeps_rows},
    {K::clip, "CLIP", "clip", F::unary, {1, 1, 1, 1}, keeps_rows},
    {K::concatenation, "CONCATENATION", "concat", F::concatenation, {1, many, many, 1}, 0},
    {K::dequantize, "DEQUANTIZE", "dequantize", F::quantize, {1, 1, 1, 1}, keeps_rows},
    {K::div, "DIV", "div", F::binary, {2, 2, 2, 1}, keeps_rows},
    {K::dropout, "DROPOUT", "dropout", F::copy, {1, 1, 1, 1}, keeps_rows | moves_values},
    {K::elu, "ELU", "elu", F::unary, {1, 1, 1, 1}, keeps_rows | keeps_width},
    {K::expand_dims, "EXPAND_DIMS", "expand_dims", F::copy, {1, 1, 1, 1}, moves_values},
    {K::gemm, "GEMM", "gemm", F::gemm, {2, 3, 2, 1}, activates},
    {K::global_average_pool, "GLOBAL_AVERAGE_POOL", "global_average_pool", F::global_pool, {1, 1, 1, 1}, moves_values},
    {K::global_max_pool, "GLOBAL_MAX_POOL", "global_max_pool", F::global_pool, {1, 1, 1, 1}, moves_values},
    {K::hard_swish, "HARD_SWISH", "hard_swish", F::unary, {1, 1, 1, 1}, keeps_rows | keeps_width},
    {K::identity, "IDENTITY", "identity", F::copy, {1, 1, 1, 1}, keeps_rows | moves_values},
    {K::l2_normalization, "L2_NORMALIZATION", "l2_normalization", F::l2_normalization, {1, 1, 1, 1}, keeps_rows | keeps_width},
    {K::leaky_relu, "LEAKY_RELU", "leaky_relu", F::unary, {1, 1, 1, 1}, keeps_rows | keeps_width},
    {K::log_softmax, "LOG_SOFTMAX", "log_softmax", F::log_softmax, {1, 1, 1, 1}, keeps_rows | keeps_width},
    {K::logistic, "LOGISTIC", "logistic", F::unary, {1, 1, 1, 1}, keeps_rows | keeps_width},
    {K::lrn, "LRN", "lrn", F::lrn, {1, 1, 1, 1}, keeps_rows},
    {K::maximum, "MAXIMUM", "maximum", F::binary, {2, 2, 2, 1}, keeps_rows | moves_values},
    {K::mean, "MEAN", "mean", F::reduction, {1, 1, 1, 1}, keeps_width},
    {K::minimum, "MINIMUM", "minimum", F::binary, {2, 2, 2, 1}, keeps_rows | moves_values},
    {K::mirror_pad, "MIRROR_PAD", "mirror_pad", F::pad, {1, 1, 1, 1}, moves_values},
    {K::mul, "MUL", "mul", F::binary, {2, 2, 2, 1}, activates | keeps_rows},
    {K::pack, "PACK", "pack", F::concatenation, {1, many, many, 1}, moves_values},
    {K::pad, "PAD", "pad", F::pad, {1, 2, 1, 1}, moves_values},
    {K::prelu, "PRELU", "prelu", F::binary, {2, 2, 2, 1}, keeps_rows | keeps_width},
    {K::quantize, "QUANTIZE", "quantize", F::quantize, {1, 1, 1, 1}, keeps_rows},
    {K::read_variable, "READ_VARIABLE", "read_variable", F::copy, {1, 1, 1, 1}, moves_values},
    {K::reduce_max, "REDUCE_MAX", "reduce_max", F::reduction, {1, 1, 1, 1}, moves_values},
    {K::reduce_min, "REDUCE_MIN", "reduce_min", F::reduction, {1, 1, 1, 1}, moves_values},
    {K::relu, "RELU", "relu", F::unary, {1, 1, 1, 1}, keeps_rows},
    {K::relu6, "RELU6", "relu6", F::unary, {1, 1, 1, 1}, keeps_rows},
    {K::relu_n1_to_1, "RELU_N1_TO_1", "relu_n1_to_1", F::unary, {1, 1, 1, 1}, keeps_rows},
    {K::resize_bilinear, "RESIZE_BILINEAR", "resize_bilinear", F::resize, {1, 1, 1, 1}, moves_values},
    {K::resize_nearest_neighbor, "RESIZE_NEAREST_NEIGHBOR", "resize_nearest_neighbor", F::resize, {1, 1, 1, 1}, moves_values},
    {K::slice, "SLICE", "slice", F::slice, {1, 1, 1, 1}, moves_values},
    {K::split, "SPLIT", "split", F::split, {1, 1, 1, many}, moves_values},
    {K::squared_difference, "SQUARED_DIFFERENCE", "squared_difference", F::binary, {2, 2, 2, 1}, keeps_rows},
    {K::squeeze, "SQUEEZE", "squeeze", F::copy, {1, 1, 1, 1}, moves_values},
    {K::strided_slice, "STRIDED_SLICE", "strided_slice", F::slice, {1, 1, 1, 1}, moves_values},
    {K::sub, "SUB", "sub", F::binary, {2, 2, 2, 1}, activates | keeps_rows},
    {K::sum, "SUM", "sum", F::reduction, {1, 1, 1, 1}, keeps_width},
    {K::svdf, "SVDF", "svdf", F::svdf, {5, 5, 3, 1}, 0},
    {K::tanh, "TANH", "tanh", F::unary, {1, 1, 1, 1}, keeps_rows | keeps_width},
    {K::transpose, "TRANSPOSE", "transpose", F::transpose, {1, 1, 1, 1}, moves_values},
    {K::transpose_conv, "TRANSPOSE_CONV", "transpose_conv", F::transpose_conv, {2, 3, 2, 1}, activates},
    {K::unidirectional_sequence_lstm, "UNIDIRECTIONAL_SEQUENCE_LSTM", "lstm", F::lstm, {20, 24, 1, 1}, 0},
    {K::unpack, "UNPACK", "unpack", F::split, {1, 1, 1, many}, moves_values},
    {K::hard_sigmoid, "HARD_SIGMOID", "hard_sigmoid", F::unary, {1, 1, 1, 1}, keeps_rows | keeps_width},
    {K::neg, "NEG", "neg", F::unary, {1, 1, 1, 1}, keeps_rows},
    {K::normalize, "NORMALIZE", "normalize", F::normalize, {2, 2, 2, 2}, 0},
    {K::circulant_fully_connected, "CIRCULANT_FULLY_CONNECTED", "circulant_fully_connected", F::circulant, {2, 3, 2, 1}, activates},
    {K::circulant_conv_2d, "CIRCULANT_CONV_2D", "circulant_conv", F::circulant, {2, 3, 2, 1}, activates},
    {K::other, "OTHER", "other", F::other, {0, many, 0, many}, 0},
};
// clang-format on
static_assert(std::size(table) == operator_kinds);

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(table); ++i)
    if (static_cast<std::size_t>(table[i].kind) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

const OperatorFacts& facts_of(OperatorKind k) { return table[static_cast<std::size_t>(k)]; }

}  // namespace dse::nn
