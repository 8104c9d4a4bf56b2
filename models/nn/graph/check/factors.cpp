#include "models/nn/graph/check/factors.h"

#include <fmt/format.h>

#include "models/nn/graph/sums/factors.h"
#include "models/nn/kernels/dse_factors.h"

namespace dse::nn {
namespace {

/// The tensor at `index` has the type and the size of `entries` factors.
bool holds_factors(Derivation& d, int index, std::int64_t entries) {
  const Tensor& t = d.tensor(index);
  if (t.type != DataType::int32 || t.elements() != entries)
    return d.fail(fmt::format("'{}' of type {} with {} elements is no tensor of {} factors", t.name, name_of(t.type),
                              t.elements(), entries));
  return true;
}

bool check_products(Derivation& d, const std::vector<int>& factors) {
  const Operator& op = d.op;
  const OperatorOptions& o = op.options;
  if (!compensates(op) && !finds_factors(op) && op.outputs.size() == 1) return true;
  if (o.rounding != Rounding::qformat || o.correction != Correction::correct_then_round)
    return d.fail("only products in mode qformat, correct-then-round, have factors");
  if (compensates(op) && factors[static_cast<std::size_t>(op.inputs[0])] != op.inputs[3])
    return d.fail(fmt::format("'{}' are not the factors of '{}'", d.input(3).name, d.input(0).name));
  const bool made = op.outputs.size() == 2;
  if (made != finds_factors(op))
    return d.fail(fmt::format("has {} outputs and output_batches {}", op.outputs.size(), o.output_batches));
  const std::int64_t outputs = d.output().elements();
  if (!made) return true;
  if (outputs < 1 || outputs > max_elements || o.output_batches > outputs)
    return d.fail(fmt::format("{} outputs cannot be made in {} batches", outputs, o.output_batches));
  return holds_factors(d, op.outputs[1], batch_count(outputs, o.output_batches));
}

}  // namespace

bool check_factors(Derivation& d, const std::vector<int>& factors) {
  const Operator& op = d.op;
  const auto of = [&](std::size_t input) { return factors[static_cast<std::size_t>(op.inputs[input])]; };
  if (op.kind == OperatorKind::normalize) {
    if (of(0) != op.inputs[1] || op.outputs.size() != 2)
      return d.fail(fmt::format("'{}' are not the factors of '{}'", d.input(1).name, d.input(0).name));
    return holds_factors(d, op.outputs[1], 1);
  }
  if (has_filters(op.kind) && !check_products(d, factors)) return false;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] < 0 || of(i) < 0 || (i == 0 && compensates(op))) continue;
    const bool one = d.tensor(of(i)).elements() == 1;
    if (carries_factors(d.network, op) && (one || is_view(op.kind))) continue;
    return d.fail(fmt::format("'{}' has factors, which this operator does not take", d.input(i).name),
                  "normalise it first");
  }
  return true;
}

}  // namespace dse::nn
