#include "models/nn/graph/wiring.h"

#include <fmt/format.h>

namespace dse::nn {
namespace {

/// How many inputs and outputs a kind may have; inputs from `optional` on may be -1.
struct Arity {
  std::size_t min_inputs, max_inputs, optional, max_outputs = 1;
};
constexpr std::size_t many = 1024;

Arity arity(OperatorKind k) {
  switch (k) {
    case OperatorKind::conv_2d:
    case OperatorKind::depthwise_conv_2d:
    case OperatorKind::fully_connected:
    case OperatorKind::transpose_conv:
    case OperatorKind::gemm:
      return {2, 3, 2};
    case OperatorKind::add:
    case OperatorKind::sub:
    case OperatorKind::mul:
    case OperatorKind::div:
    case OperatorKind::maximum:
    case OperatorKind::minimum:
    case OperatorKind::squared_difference:
    case OperatorKind::prelu:
    case OperatorKind::batch_matmul:
      return {2, 2, 2};
    case OperatorKind::pad:
      return {1, 2, 1};
    case OperatorKind::batch_normalization:
      return {5, 5, 5};
    case OperatorKind::svdf:
      return {5, 5, 3};
    case OperatorKind::unidirectional_sequence_lstm:
      return {20, 24, 1};
    case OperatorKind::concatenation:
    case OperatorKind::pack:
    case OperatorKind::add_n:
      return {1, many, many};
    case OperatorKind::split:
    case OperatorKind::unpack:
      return {1, 1, 1, many};
    case OperatorKind::other:
      return {0, many, 0, many};
    default:
      return {1, 1, 1};
  }
}

}  // namespace

bool check_wiring(Derivation& d, std::vector<bool>& made, std::vector<bool>& missed) {
  Operator& op = d.op;
  const Arity a = arity(op.kind);
  if (op.inputs.size() < a.min_inputs || op.inputs.size() > a.max_inputs)
    return d.malformed(fmt::format("has {} inputs, expected {}{}", op.inputs.size(), a.min_inputs,
                                   a.min_inputs == a.max_inputs ? "" : fmt::format(" to {}", a.max_inputs)));
  const std::size_t min_outputs = op.kind == OperatorKind::other ? 0 : 1;
  if (op.outputs.size() < min_outputs || op.outputs.size() > a.max_outputs)
    return d.malformed(fmt::format("has {} outputs, expected {}{}", op.outputs.size(), min_outputs,
                                   a.max_outputs == 1 ? "" : " or more"));
  const auto count = static_cast<int>(d.network.tensors.size());
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const int t = op.inputs[i];
    if (t == -1 && i >= a.optional) continue;
    if (t < 0 || t >= count)
      return d.malformed(fmt::format("input {} is tensor {}, but there are {} tensors", i, t, count));
    if (made[static_cast<std::size_t>(t)] || missed[static_cast<std::size_t>(t)]) continue;
    missed[static_cast<std::size_t>(t)] = true;
    return d.malformed(fmt::format("input {} '{}' is read before it is made", i, d.tensor(t).name));
  }
  for (const int out : op.outputs) {
    if (out < 0 || out >= count)
      return d.malformed(fmt::format("output is tensor {}, but there are {} tensors", out, count));
    const bool variable = d.tensor(out).kind == TensorKind::variable;
    if (d.tensor(out).kind != TensorKind::activation && !(variable && op.kind == OperatorKind::assign_variable))
      return d.malformed(fmt::format("output '{}' is not an activation", d.tensor(out).name));
    if (made[static_cast<std::size_t>(out)] && !variable)
      return d.malformed(fmt::format("output '{}' is already made", d.tensor(out).name));
    made[static_cast<std::size_t>(out)] = true;
  }
  if (a.max_inputs == 3) op.inputs.resize(3, -1);
  return true;
}

}  // namespace dse::nn
