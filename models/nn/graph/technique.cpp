#include "models/nn/graph/technique.h"

#include <algorithm>

#include "models/nn/graph/views.h"

namespace dse::nn {
namespace {

bool separable_filters(const Network& network, const Operator& op) {
  auto weights = filter_major_weights(network, op);
  if (weights.empty()) return false;
  const auto view = full_view(network, op, DSE_WEIGHTS, weights.data());
  std::vector<std::int32_t> column(static_cast<std::size_t>(op.kernel.kernel_h));
  std::vector<std::int32_t> row(static_cast<std::size_t>(op.kernel.kernel_w));
  for (int c = 0; c < op.kernel.out_c; ++c)
    if (!dse_separate(&op.kernel, &view, c, column.data(), row.data())) return false;
  return true;
}

bool constant_weights(const Network& network, const Operator& op) {
  const int t = operand_tensor(op, DSE_WEIGHTS);
  return !op.weights.empty() || (t >= 0 && network.tensors[static_cast<std::size_t>(t)].kind == TensorKind::constant);
}

}  // namespace

const std::vector<std::string>& technique_names() {
  static const std::vector<std::string> names = {"direct",         "im2row",    "im2row-by-row", "winograd",
                                                 "zero-insertion", "sub-pixel", "separable"};
  return names;
}

bool computes(const Network& network, const Operator& op, int technique) {
  if (technique == DSE_DIRECT) return true;
  const auto fits = [technique](const dse_op& kernel) { return dse_technique_fits(&kernel, technique) != 0; };
  if (op.calls.empty() || !fits(op.kernel)) return false;
  if (!std::all_of(op.calls.begin(), op.calls.end(), [&](const KernelCall& call) { return fits(call.op); }))
    return false;
  return technique != DSE_SEPARABLE || (constant_weights(network, op) && separable_filters(network, op));
}

std::vector<int> techniques_of(const Network& network, const Operator& op) {
  std::vector<int> out;
  for (int t = DSE_DIRECT; t < DSE_TECHNIQUES; ++t)
    if (computes(network, op, t)) out.push_back(t);
  return out;
}

dse_op by_technique(dse_op op, int technique) {
  if (technique != DSE_DIRECT && dse_technique_fits(&op, technique)) op.arg[DSE_ARG_TECHNIQUE] = technique;
  return op;
}

}  // namespace dse::nn
