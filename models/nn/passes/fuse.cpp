// Passes that take operators out by telling the ones before them.
#include <algorithm>
#include <limits>

#include "models/nn/passes/passes.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn {
namespace {

/// The operator's output is its input.
bool is_identity(const Network& n, const Operator& op) {
  if (!op.unsupported.empty() || op.inputs.size() != 1 || op.inputs[0] < 0 || op.outputs.size() != 1) return false;
  const Tensor &in = at(n, op.inputs[0]), &out = at(n, op.outputs[0]);
  if (in.type != out.type || in.shape != out.shape || in.kind == TensorKind::variable) return false;
  return op.kind == OperatorKind::dropout || op.kind == OperatorKind::identity || op.kind == OperatorKind::reshape;
}

Activation activation_of(const Operator& op) {
  const float lo = op.options.clip_min, hi = op.options.clip_max;
  switch (op.kind) {
    case OperatorKind::relu:
      return Activation::relu;
    case OperatorKind::relu6:
      return Activation::relu6;
    case OperatorKind::relu_n1_to_1:
      return Activation::relu_n1_to_1;
    case OperatorKind::clip:
      if (lo == 0 && hi == 6) return Activation::relu6;
      if (lo == -1 && hi == 1) return Activation::relu_n1_to_1;
      if (lo == 0 && hi == std::numeric_limits<float>::max()) return Activation::relu;
      return Activation::none;
    default:
      return Activation::none;
  }
}

}  // namespace

Network remove_identities(Network n) {
  n = unfinished(std::move(n));
  std::vector<bool> dead(n.operators.size());
  const Uses uses(n);
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    const Operator& op = n.operators[o];
    if (!is_identity(n, op)) continue;
    const int from = op.inputs[0], to = op.outputs[0];
    const bool made = at(n, from).kind == TensorKind::activation;
    const bool is_output = std::find(n.outputs.begin(), n.outputs.end(), to) != n.outputs.end();
    const bool twice = std::find(n.outputs.begin(), n.outputs.end(), from) != n.outputs.end();
    if (is_output && (!made || twice)) continue;  // an output of the network must be made, once
    if (is_output) {
      // The network's output keeps its name: its maker makes it directly.
      const int maker = uses.maker[static_cast<std::size_t>(from)];
      auto& outputs = n.operators[static_cast<std::size_t>(maker)].outputs;
      std::swap(at(n, from).name, at(n, to).name);
      if (std::find(outputs.begin(), outputs.end(), from) == outputs.end()) continue;
    }
    dead[o] = true;
    replace_reads(n, to, from);
  }
  remove_dead(n, dead);
  return n;
}

Network fuse_activations(Network n) {
  n = unfinished(std::move(n));
  const Uses uses(n);
  std::vector<bool> dead(n.operators.size());
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    Operator& op = n.operators[o];
    const Activation a = activation_of(op);
    if (a == Activation::none || !op.unsupported.empty() || op.options.activation != Activation::none) continue;
    // An operator that took an activation already is not among these: its output has another maker by now.
    const int maker = uses.maker[static_cast<std::size_t>(op.inputs[0])];
    if (maker < 0 || dead[static_cast<std::size_t>(maker)] || uses.only_reader(op.inputs[0]) < 0) continue;
    Operator& before = n.operators[static_cast<std::size_t>(maker)];
    if (!facts_of(before.kind).activates() || before.options.activation != Activation::none ||
        !before.unsupported.empty())
      continue;
    if (at(n, op.inputs[0]).type != at(n, op.outputs[0]).type) continue;
    if (at(n, op.inputs[0]).type != DataType::float32) continue;  // integers: the scales would have to be equal
    before.options.activation = a;
    before.outputs = op.outputs;
    dead[o] = true;
  }
  remove_dead(n, dead);
  return n;
}

}  // namespace dse::nn
