#include "models/nn/tflite/codes.h"

#include <algorithm>
#include <iterator>

namespace dse::nn {
namespace {

struct Code {
  std::int32_t code;
  OperatorKind kind;
};

// Codes as in the format's list of builtin operators. Of two codes of one kind the first is written.
constexpr Code codes[] = {
    {0, OperatorKind::add},
    {1, OperatorKind::average_pool_2d},
    {2, OperatorKind::concatenation},
    {3, OperatorKind::conv_2d},
    {4, OperatorKind::depthwise_conv_2d},
    {6, OperatorKind::dequantize},
    {9, OperatorKind::fully_connected},
    {11, OperatorKind::l2_normalization},
    {14, OperatorKind::logistic},
    {17, OperatorKind::max_pool_2d},
    {18, OperatorKind::mul},
    {19, OperatorKind::relu},
    {20, OperatorKind::relu_n1_to_1},
    {21, OperatorKind::relu6},
    {22, OperatorKind::reshape},
    {23, OperatorKind::resize_bilinear},
    {25, OperatorKind::softmax},
    {27, OperatorKind::svdf},
    {28, OperatorKind::tanh},
    {builtin::pad, OperatorKind::pad},
    {39, OperatorKind::transpose},
    {40, OperatorKind::mean},
    {41, OperatorKind::sub},
    {42, OperatorKind::div},
    {43, OperatorKind::squeeze},
    {44, OperatorKind::unidirectional_sequence_lstm},
    {45, OperatorKind::strided_slice},
    {50, OperatorKind::log_softmax},
    {54, OperatorKind::prelu},
    {55, OperatorKind::maximum},
    {56, OperatorKind::arg_max},
    {57, OperatorKind::minimum},
    {59, OperatorKind::neg},
    {builtin::padv2, OperatorKind::pad},
    {65, OperatorKind::slice},
    {67, OperatorKind::transpose_conv},
    {70, OperatorKind::expand_dims},
    {74, OperatorKind::sum},
    {79, OperatorKind::arg_min},
    {82, OperatorKind::reduce_max},
    {83, OperatorKind::pack},
    {88, OperatorKind::unpack},
    {89, OperatorKind::reduce_min},
    {97, OperatorKind::resize_nearest_neighbor},
    {98, OperatorKind::leaky_relu},
    {99, OperatorKind::squared_difference},
    {100, OperatorKind::mirror_pad},
    {101, OperatorKind::abs},
    {builtin::split_v, OperatorKind::split},
    {builtin::split, OperatorKind::split},
    {106, OperatorKind::add_n},
    {111, OperatorKind::elu},
    {114, OperatorKind::quantize},
    {117, OperatorKind::hard_swish},
    {126, OperatorKind::batch_matmul},
    {builtin::read_variable, OperatorKind::read_variable},
    {builtin::assign_variable, OperatorKind::assign_variable},
};

}  // namespace

OperatorKind kind_of_builtin(std::int32_t code) {
  const auto* found = std::find_if(std::begin(codes), std::end(codes), [&](const Code& c) { return c.code == code; });
  return found == std::end(codes) ? OperatorKind::other : found->kind;
}

std::optional<std::int32_t> builtin_of(OperatorKind kind) {
  const auto* found = std::find_if(std::begin(codes), std::end(codes), [&](const Code& c) { return c.kind == kind; });
  if (found == std::end(codes)) return std::nullopt;
  return found->code;
}

}  // namespace dse::nn
