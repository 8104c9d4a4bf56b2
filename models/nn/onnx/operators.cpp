// The operators of ONNX that are read.
#include <algorithm>
#include <iterator>

#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {
namespace {

constexpr int many = 1024;

// By name; type, conversion, inputs at least and at most, outputs.
constexpr Converter standard[] = {
    {"Abs", convert_unary, 1, 1, 1},
    {"Add", convert_binary, 2, 2, 1},
    {"ArgMax", convert_arg, 1, 1, 1},
    {"ArgMin", convert_arg, 1, 1, 1},
    {"AveragePool", convert_pool, 1, 1, 1},
    {"BatchNormalization", convert_batch_normalization, 5, 5, 1},
    {"Cast", convert_cast, 1, 1, 1},
    {"Clip", convert_clip, 1, 3, 1},
    {"Concat", convert_concat, 1, many, 1},
    {"Conv", convert_conv, 2, 3, 1},
    {"ConvTranspose", convert_conv_transpose, 2, 3, 1},
    {"DequantizeLinear", convert_dequantize, 2, 3, 1},
    {"Div", convert_binary, 2, 2, 1},
    {"Dropout", convert_dropout, 1, 3, 1},
    {"Elu", convert_unary, 1, 1, 1},
    {"Expand", convert_expand, 2, 2, 1},
    {"Flatten", convert_flatten, 1, 1, 1},
    {"Gemm", convert_gemm, 2, 3, 1},
    {"GlobalAveragePool", convert_global_pool, 1, 1, 1},
    {"GlobalMaxPool", convert_global_pool, 1, 1, 1},
    {"HardSigmoid", convert_unary, 1, 1, 1},
    {"HardSwish", convert_unary, 1, 1, 1},
    {"Identity", convert_unary, 1, 1, 1},
    {"LRN", convert_lrn, 1, 1, 1},
    {"LeakyRelu", convert_unary, 1, 1, 1},
    {"LogSoftmax", convert_softmax, 1, 1, 1},
    {"MatMul", convert_matmul, 2, 2, 1},
    {"Max", convert_extreme, 1, many, 1},
    {"MaxPool", convert_pool, 1, 1, 1},
    {"Min", convert_extreme, 1, many, 1},
    {"Mul", convert_binary, 2, 2, 1},
    {"Neg", convert_unary, 1, 1, 1},
    {"PRelu", convert_binary, 2, 2, 1},
    {"Pad", convert_pad, 1, 4, 1},
    {"QLinearConv", convert_qlinear_conv, 8, 9, 1},
    {"QLinearMatMul", convert_qlinear_matmul, 8, 8, 1},
    {"QuantizeLinear", convert_quantize, 2, 3, 1},
    {"ReduceMax", convert_reduce, 1, 2, 1},
    {"ReduceMean", convert_reduce, 1, 2, 1},
    {"ReduceMin", convert_reduce, 1, 2, 1},
    {"ReduceSum", convert_reduce, 1, 2, 1},
    {"Relu", convert_unary, 1, 1, 1},
    {"Reshape", convert_reshape, 1, 2, 1},
    {"Resize", convert_resize, 1, 4, 1},
    {"Sigmoid", convert_unary, 1, 1, 1},
    {"Slice", convert_slice, 1, 5, 1},
    {"Softmax", convert_softmax, 1, 1, 1},
    {"Split", convert_split, 1, 2, many},
    {"Squeeze", convert_squeeze, 1, 2, 1},
    {"Sub", convert_binary, 2, 2, 1},
    {"Sum", convert_extreme, 1, many, 1},
    {"Tanh", convert_unary, 1, 1, 1},
    {"Transpose", convert_transpose, 1, 1, 1},
    {"Unsqueeze", convert_unsqueeze, 1, 2, 1},
    {"Upsample", convert_upsample, 1, 2, 1},
};

// Domain com.microsoft: quantised operators that the standard has not.
constexpr Converter microsoft[] = {
    {"DequantizeLinear", convert_dequantize, 2, 3, 1},
    {"QLinearAdd", convert_qlinear_binary, 7, 8, 1},
    {"QLinearAveragePool", convert_qlinear_unary, 4, 5, 1},
    {"QLinearConcat", convert_qlinear_concat, 5, many, 1},
    {"QLinearGlobalAveragePool", convert_qlinear_global_average_pool, 4, 5, 1},
    {"QLinearLeakyRelu", convert_qlinear_unary, 4, 5, 1},
    {"QLinearMul", convert_qlinear_binary, 7, 8, 1},
    {"QLinearSigmoid", convert_qlinear_unary, 4, 5, 1},
    {"QuantizeLinear", convert_quantize, 2, 3, 1},
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
