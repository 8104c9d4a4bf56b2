// A network as an ordering problem.
#include <algorithm>

#include "base/index.h"
#include "methods/order/order.h"

namespace dse::plan {
namespace {

/// Tensors of the network that are activations -> tensors of the problem; -1 for all others.
std::vector<int> add_tensors(const nn::Network& n, OrderProblem& p) {
  std::vector<int> number(n.tensors.size(), -1);
  const auto add = [&](int t, bool given) {
    if (t < 0 || number[index(t)] >= 0 || n.tensors[index(t)].kind == nn::TensorKind::variable ||
        n.tensors[index(t)].kind == nn::TensorKind::constant)
      return;
    number[index(t)] = static_cast<int>(p.tensors.size());
    p.tensors.push_back({n.tensors[index(t)].name, n.tensors[index(t)].bytes(), given, false, -1, t});
  };
  for (const int t : n.inputs) add(t, true);
  for (const auto& op : n.operators)
    for (const int t : op.outputs) add(t, false);
  for (const int t : n.outputs)
    if (t >= 0 && number[index(t)] >= 0) p.tensors[index(number[index(t)])].kept = true;
  return number;
}

bool touches(const nn::Operator& op, int variable) {
  return std::count(op.inputs.begin(), op.inputs.end(), variable) +
             std::count(op.outputs.begin(), op.outputs.end(), variable) >
         0;
}

}  // namespace

OrderProblem order_problem(const nn::Network& n) {
  OrderProblem p;
  p.name = n.name;
  const auto number = add_tensors(n, p);
  for (const auto& op : n.operators) {
    OrderOperator o;
    o.name = op.name;
    o.type = op.type.empty() ? nn::name_of(op.kind) : op.type;
    for (const int t : op.inputs)
      if (t >= 0 && number[index(t)] >= 0) o.inputs.push_back(number[index(t)]);
    for (const int t : op.outputs)
      if (t >= 0 && number[index(t)] >= 0) o.outputs.push_back(number[index(t)]);
    // Sums of many inputs (add_n) read some of them after the first writes.
    o.elementwise = nn::is_elementwise(op.kind);
    if (nn::is_view(op.kind) && !op.inputs.empty() && o.outputs.size() == 1 && op.inputs[0] >= 0 &&
        number[index(op.inputs[0])] >= 0) {
      const int in = number[index(op.inputs[0])];
      auto& out = p.tensors[index(o.outputs[0])];
      if (p.tensors[index(in)].bytes == out.bytes && !out.given) out.alias = in;
    }
    p.operators.push_back(std::move(o));
  }
  for (std::size_t t = 0; t < n.tensors.size(); ++t) {
    if (n.tensors[t].kind != nn::TensorKind::variable) continue;
    int last = -1;
    for (std::size_t o = 0; o < n.operators.size(); ++o) {
      if (!touches(n.operators[o], static_cast<int>(t))) continue;
      if (last >= 0) p.operators[o].after.push_back(last);
      last = static_cast<int>(o);
    }
  }
  return p;
}

}  // namespace dse::plan
