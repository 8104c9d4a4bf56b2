#include "models/nn/graph/sums/factors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/nn/kernels/dse_factors.h"

namespace dse::nn {

bool compensates(const Operator& op) { return has_filters(op.kind) && op.inputs.size() > 3 && op.inputs[3] >= 0; }

bool finds_factors(const Operator& op) { return has_filters(op.kind) && op.options.output_batches > 0; }

bool carries_factors(const Network& n, const Operator& op) {
  if (!facts_of(op.kind).moves_values() || op.inputs.size() != 1 || op.outputs.size() != 1) return false;
  if (op.kind == OperatorKind::read_variable || op.kind == OperatorKind::assign_variable) return false;
  if (op.kind == OperatorKind::pad && op.options.clip_min != 0) return false;
  if (op.options.activation != Activation::none && op.options.activation != Activation::relu) return false;
  return same_values(n.tensors[static_cast<std::size_t>(op.inputs[0])],
                     n.tensors[static_cast<std::size_t>(op.outputs[0])]);
}

bool sums_hold(DataType in, DataType weights, std::int64_t products) {
  std::int64_t bits = 8 * (size_of(in) + size_of(weights)) - 2 + DSE_FACTOR_DIGITS + DSE_FACTOR_MOST;
  for (; products > 0; products /= 2) ++bits;  // ceil(log2(products + 1))
  return bits <= 62;                           // and the bias doubles it at most
}

std::int64_t products_of(const Network& n, const Operator& op) {
  const Tensor& w = n.tensors[static_cast<std::size_t>(op.inputs[1])];
  const std::int64_t channels = op.kind == OperatorKind::depthwise_conv_2d ? w.shape.back() : w.shape.front();
  return w.elements() / channels;
}

std::int64_t batch_count(std::int64_t outputs, std::int64_t batches) {
  const std::int64_t each = (outputs + batches - 1) / batches;
  return (outputs + each - 1) / each;
}

void follow_factors(const Network& n, const Operator& op, std::vector<int>& factors) {
  const auto of = [&](int tensor) -> int& { return factors[static_cast<std::size_t>(tensor)]; };
  if ((finds_factors(op) || op.kind == OperatorKind::normalize) && op.outputs.size() == 2)
    of(op.outputs[0]) = op.outputs[1];
  else if (carries_factors(n, op))
    of(op.outputs[0]) = of(op.inputs[0]);
}

std::vector<int> factors_by_tensor(const Network& n) {
  std::vector<int> out(n.tensors.size(), -1);
  for (const auto& op : n.operators) follow_factors(n, op, out);
  return out;
}

std::vector<double> powers_of(const std::vector<std::uint8_t>& entries, std::size_t elements) {
  std::vector<double> out;
  for (std::size_t at = 0; at + 4 <= entries.size(); at += 4) {
    std::int32_t entry = 0;
    std::memcpy(&entry, &entries[at], 4);
    const auto end = at + 8 <= entries.size() ? static_cast<std::size_t>(dse_factor_end(entry)) : elements;
    out.resize(std::clamp(end, out.size(), elements), std::ldexp(1.0, dse_factor_of(entry)));
  }
  return out;
}

}  // namespace dse::nn
