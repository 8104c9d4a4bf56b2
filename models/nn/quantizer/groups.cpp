#include "models/nn/quantizer/groups.h"

#include <algorithm>
#include <numeric>

namespace dse::nn::quantizer {

bool moves_raw_values(OperatorKind k, Scheme scheme) {
  return facts_of(k).moves_values() || (k == OperatorKind::concatenation && scheme == Scheme::tflite_int8);
}

std::optional<FixedOutput> fixed_output(OperatorKind k) {
  static constexpr struct {
    OperatorKind kind;
    FixedOutput output;
  } fixed[] = {{OperatorKind::softmax, {1.0f / 256, -128}},
               {OperatorKind::logistic, {1.0f / 256, -128}},
               {OperatorKind::tanh, {1.0f / 128, 0}},
               {OperatorKind::l2_normalization, {1.0f / 128, 0}},
               {OperatorKind::log_softmax, {16.0f / 256, 127}}};
  const auto* row = row_of(fixed, k);
  return row ? std::optional(row->output) : std::nullopt;
}

std::vector<int> shared_quantization(const Network& n, Scheme scheme) {
  std::vector<int> root(n.tensors.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int t) {
    while (root[static_cast<std::size_t>(t)] != t) t = root[static_cast<std::size_t>(t)];
    return t;
  };
  for (const auto& op : n.operators) {
    if (!moves_raw_values(op.kind, scheme) || changes_scale(op)) continue;
    const int first = op.outputs[0];
    const auto join = [&](int t) {
      if (t < 0) return;
      const int a = find(first), b = find(t);
      root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    };
    std::for_each(op.inputs.begin(), op.inputs.end(), join);
    std::for_each(op.outputs.begin(), op.outputs.end(), join);
  }
  for (std::size_t t = 0; t < root.size(); ++t) root[t] = find(static_cast<int>(t));
  return root;
}

}  // namespace dse::nn::quantizer
