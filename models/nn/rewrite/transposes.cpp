// Transpositions that move nothing, and those that follow each other.
#include <algorithm>

#include "models/nn/rewrite/rewrites.h"

namespace dse::nn::rewrite {
namespace {

bool plain(const Network& n, const Operator& op) {
  return op.kind == OperatorKind::transpose && runs(op) && flows(n, op.inputs[0]) &&
         same_values(at(n, op.inputs[0]), at(n, op.outputs[0]));
}

void to_reshape(Operator& op) {
  op.kind = OperatorKind::reshape;
  op.type = "RESHAPE";
  op.options.permutation.clear();
}

}  // namespace

bool transposes_to_reshapes(Network& n) {
  bool any = false;
  for (Operator& op : n.operators) {
    if (!plain(n, op) || !keeps_order(at(n, op.inputs[0]).shape, op.options.permutation)) continue;
    note(n, "transpose", op, "moves no byte: a reshape");
    to_reshape(op);
    any = true;
  }
  return any;
}

namespace {

bool join_one(Network& n) {
  const Uses uses(n);
  std::vector<bool> dead(n.operators.size());
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    Operator& second = n.operators[o];
    if (!plain(n, second)) continue;
    const int maker = uses.maker[static_cast<std::size_t>(second.inputs[0])];
    if (maker < 0) continue;
    const Operator& first = n.operators[static_cast<std::size_t>(maker)];
    if (!plain(n, first)) continue;
    std::vector<std::int64_t> joined;
    for (const auto d : second.options.permutation)
      joined.push_back(first.options.permutation[static_cast<std::size_t>(d)]);
    const int from = first.inputs[0], between = second.inputs[0], to = second.outputs[0];
    // The first transposition goes with its last reader.
    dead[static_cast<std::size_t>(maker)] = uses.only_reader(between) >= 0;
    second.inputs[0] = from;
    second.options.permutation = joined;
    if (!std::is_sorted(joined.begin(), joined.end())) {
      note(n, "transpose", second, "one with " + first.name + " before it");
    } else if (uses.is_output[static_cast<std::size_t>(to)]) {
      note(n, "transpose", second, "undoes " + first.name + ": its input is the output");
      to_reshape(second);
    } else {
      note(n, "transpose", second, "undoes " + first.name + ": both are gone");
      replace_reads(n, to, from);
      dead[o] = true;
    }
    drop_operators(n, dead);
    return true;
  }
  return false;
}

}  // namespace

bool join_transposes(Network& n) {
  int joined = 0;
  while (joined < most_at_once && join_one(n)) ++joined;
  return joined > 0;
}

}  // namespace dse::nn::rewrite
