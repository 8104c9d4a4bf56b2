#include "models/nn/graph/check/wiring.h"

#include <fmt/format.h>

#include <algorithm>

namespace dse::nn {

bool check_wiring(Derivation& d, std::vector<bool>& made, std::vector<bool>& missed) {
  Operator& op = d.op;
  const OperatorFacts::Arity& a = facts_of(op.kind).arity;
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
  if (a.max_inputs == 3 || is_weighted(op.kind)) op.inputs.resize(std::max<std::size_t>(op.inputs.size(), 3), -1);
  return true;
}

}  // namespace dse::nn
