// The operators of ONNX that are read.
#include <algorithm>
#include <iterator>

#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {
namespace {

using K = OperatorKind;
constexpr int many = 1024;

// By name; type, kind, conversion, inputs at least and at most, outputs.
constexpr Converter standard[] = {
    {"Abs", K::abs, convert_unary, 1, 1, 1},
    {"Add", K::add, convert_binary, 2, 2, 1},
    {"ArgMax", K::arg_max, convert_arg, 1, 1, 1},
    {"ArgMin", K::arg_min, convert_arg, 1, 1, 1},
    {"AveragePool", K::average_pool_2d, convert_pool, 1, 1, 1},
    {"BatchNormalization", K::batch_normalization, convert_batch_normalization, 5, 5, 1},
    {"Cast", K::identity, convert_cast, 1, 1, 1},
    {"Clip", K::clip, convert_clip, 1, 3, 1},
    {"Concat", K::concatenation, convert_concat, 1, many, 1},
    {"Conv", K::conv_2d, convert_conv, 2, 3, 1},
    {"ConvTranspose", K::transpose_conv, convert_conv_transpose, 2, 3, 1},
    {"DequantizeLinear", K::dequantize, convert_dequantize, 2, 3, 1},
    {"Div", K::div, convert_binary, 2, 2, 1},
    {"Dropout", K::dropout, convert_dropout, 1, 3, 1},
    {"Elu", K::elu, convert_unary, 1, 1, 1},
    {"Expand", K::identity, convert_expand, 2, 2, 1},
    {"Flatten", K::reshape, convert_flatten, 1, 1, 1},
    {"Gather", K::strided_slice, convert_gather, 2, 2, 1},
    {"Gemm", K::gemm, convert_gemm, 2, 3, 1},
    {"GlobalAveragePool", K::global_average_pool, convert_global_pool, 1, 1, 1},
    {"GlobalMaxPool", K::global_max_pool, convert_global_pool, 1, 1, 1},
    {"HardSigmoid", K::hard_sigmoid, convert_unary, 1, 1, 1},
    {"HardSwish", K::hard_swish, convert_unary, 1, 1, 1},
    {"Identity", K::identity, convert_unary, 1, 1, 1},
    {"LRN", K::lrn, convert_lrn, 1, 1, 1},
    {"LeakyRelu", K::leaky_relu, convert_unary, 1, 1, 1},
    {"LogSoftmax", K::log_softmax, convert_softmax, 1, 1, 1},
    {"MatMul", K::batch_matmul, convert_matmul, 2, 2, 1},
    {"Max", K::maximum, convert_extreme, 1, many, 1},
    {"MaxPool", K::max_pool_2d, convert_pool, 1, 1, 1},
    {"Min", K::minimum, convert_extreme, 1, many, 1},
    {"Mul", K::mul, convert_binary, 2, 2, 1},
    {"Neg", K::neg, convert_unary, 1, 1, 1},
    {"PRelu", K::prelu, convert_binary, 2, 2, 1},
    {"Pad", K::pad, convert_pad, 1, 4, 1},
    {"QLinearConv", K::conv_2d, convert_qlinear_conv, 8, 9, 1},
    {"QLinearMatMul", K::batch_matmul, convert_qlinear_matmul, 8, 8, 1},
    {"QuantizeLinear", K::quantize, convert_quantize, 2, 3, 1},
    {"ReduceMax", K::reduce_max, convert_reduce, 1, 2, 1},
    {"ReduceMean", K::mean, convert_reduce, 1, 2, 1},
    {"ReduceMin", K::reduce_min, convert_reduce, 1, 2, 1},
    {"ReduceSum", K::sum, convert_reduce, 1, 2, 1},
    {"Relu", K::relu, convert_unary, 1, 1, 1},
    {"Reshape", K::reshape, convert_reshape, 1, 2, 1},
    {"Resize", K::resize_bilinear, convert_resize, 1, 4, 1},
    {"Sigmoid", K::logistic, convert_unary, 1, 1, 1},
    {"Slice", K::strided_slice, convert_slice, 1, 5, 1},
    {"Softmax", K::softmax, convert_softmax, 1, 1, 1},
    {"Split", K::split, convert_split, 1, 2, many},
    {"Squeeze", K::squeeze, convert_squeeze, 1, 2, 1},
    {"Sub", K::sub, convert_binary, 2, 2, 1},
    {"Sum", K::add_n, convert_extreme, 1, many, 1},
    {"Tanh", K::tanh, convert_unary, 1, 1, 1},
    {"Tile", K::identity, convert_tile, 2, 2, 1},
    {"Transpose", K::transpose, convert_transpose, 1, 1, 1},
    {"Unsqueeze", K::expand_dims, convert_unsqueeze, 1, 2, 1},
    {"Upsample", K::resize_bilinear, convert_upsample, 1, 2, 1},
};

// Domain com.microsoft: quantised operators that the standard has not.
constexpr Converter microsoft[] = {
    {"DequantizeLinear", K::dequantize, convert_dequantize, 2, 3, 1},
    {"QLinearAdd", K::add, convert_qlinear_binary, 7, 8, 1},
    {"QLinearAveragePool", K::average_pool_2d, convert_qlinear_unary, 4, 5, 1},
    {"QLinearConcat", K::concatenation, convert_qlinear_concat, 5, many, 1},
    {"QLinearGlobalAveragePool", K::global_average_pool, convert_qlinear_global_average_pool, 4, 5, 1},
    {"QLinearLeakyRelu", K::leaky_relu, convert_qlinear_unary, 4, 5, 1},
    {"QLinearMul", K::mul, convert_qlinear_binary, 7, 8, 1},
    {"QLinearSigmoid", K::logistic, convert_qlinear_unary, 4, 5, 1},
    {"QuantizeLinear", K::quantize, convert_quantize, 2, 3, 1},
};

template <class Table>
const Converter* find(const Table& table, const std::string& type) {
  const auto* found =
      std::find_if(std::begin(table), std::end(table), [&](const Converter& c) { return type == c.type; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

const Converter* find_converter(const std::string& type, const std::string& domain) {
  if (domain.empty() || domain == "ai.onnx") return find(standard, type);
  return domain == "com.microsoft" ? find(microsoft, type) : nullptr;
}

}  // namespace dse::nn::onnx_import
