// Reductions of images: which are computed as pools, and transpositions before them.
#include <fmt/format.h>

#include <algorithm>

#include "models/nn/rewrite/rewrites.h"

namespace dse::nn::rewrite {
namespace {

bool reduces(const Operator& op) { return family_of(op.kind) == OperatorFamily::reduction; }

bool contains(const std::vector<std::int64_t>& list, std::int64_t v) {
  return std::find(list.begin(), list.end(), v) != list.end();
}

/// The dimensions that `op` leaves lie in one order, transposed or not.
bool keeps_what_is_left(const Operator& transpose, const Operator& op, const std::vector<std::int64_t>& shape) {
  auto left = shape;
  for (const auto axis : op.options.axes)
    left[static_cast<std::size_t>(transpose.options.permutation[static_cast<std::size_t>(axis)])] = 1;
  return keeps_order(left, transpose.options.permutation);
}

}  // namespace

bool transposes_into_reductions(Network& n) {
  const Uses uses(n);
  std::vector<bool> dead(n.operators.size());
  std::vector<std::pair<std::size_t, Operator>> reshapes;  // behind which operator
  bool any = false;
  for (std::size_t t = 0; t < n.operators.size(); ++t) {
    const Operator transpose = n.operators[t];
    if (transpose.kind != OperatorKind::transpose || !runs(transpose) || !flows(n, transpose.inputs[0])) continue;
    const int from = transpose.inputs[0], to = transpose.outputs[0];
    const auto& readers = uses.readers[static_cast<std::size_t>(to)];
    const auto& shape = at(n, from).shape;
    const bool all = !readers.empty() && !uses.is_output[static_cast<std::size_t>(to)] &&
                     same_values(at(n, from), at(n, to)) && std::all_of(readers.begin(), readers.end(), [&](int r) {
                       const Operator& op = n.operators[static_cast<std::size_t>(r)];
                       return reduces(op) && runs(op) && keeps_what_is_left(transpose, op, shape);
                     });
    if (!all) continue;
    for (const int r : readers) {
      Operator& op = n.operators[static_cast<std::size_t>(r)];
      op.inputs[0] = from;
      for (auto& axis : op.options.axes) axis = transpose.options.permutation[static_cast<std::size_t>(axis)];
      std::sort(op.options.axes.begin(), op.options.axes.end());
      std::vector<std::int64_t> kept = shape, dropped;
      for (std::size_t d = 0; d < kept.size(); ++d)
        if (contains(op.options.axes, static_cast<std::int64_t>(d)))
          kept[d] = 1;
        else
          dropped.push_back(kept[d]);
      const auto& made = at(n, op.outputs[0]).shape;
      if (made == kept || made == dropped) continue;
      // What it keeps of the dimensions stands elsewhere: the same elements in another shape.
      Tensor between = at(n, op.outputs[0]);
      between.kind = TensorKind::activation;
      between.shape = kept;
      Operator reshape;
      reshape.kind = OperatorKind::reshape;
      reshape.type = "RESHAPE";
      reshape.options.rounding = op.options.rounding;
      reshape.outputs = op.outputs;
      op.options.keep_dims = true;
      op.outputs = {add_tensor(n, between, "_kept")};
      reshape.inputs = op.outputs;
      reshapes.emplace_back(static_cast<std::size_t>(r), std::move(reshape));
    }
    note(n, "transpose", transpose, "went into the axes of the reductions behind it");
    dead[t] = any = true;
  }
  if (!any) return false;
  std::vector<Operator> kept;
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    if (!dead[o]) kept.push_back(n.operators[o]);
    for (auto& [behind, op] : reshapes)
      if (behind == o) kept.push_back(std::move(op));
  }
  n.operators = std::move(kept);
  return true;
}

void note_reductions(Network& n) {
  for (const Operator& op : n.operators) {
    const bool pool = op.kernel.kind == DSE_AVERAGE_POOL_2D || op.kernel.kind == DSE_MAX_POOL_2D;
    if (!reduces(op) || !runs(op) || !pool) continue;
    const auto text = fmt::format("a pool of {} x {} with the arithmetic of {}", op.kernel.kernel_h, op.kernel.kernel_w,
                                  dse::nn::name_of(op.kind));
    note(n, "mean", op, text);
  }
}

}  // namespace dse::nn::rewrite
