#include "models/nn/evaluate_float.h"

#include <array>

#include "base/diagnostics.h"
#include "models/nn/float/operands.h"

namespace dse::nn {

namespace {

using Evaluate = void (*)(floating::Call&);

/// By family; null where nothing is evaluated in float.
constexpr std::array<Evaluate, operator_families> evaluations = [] {
  std::array<Evaluate, operator_families> by{};
  const auto set = [&](OperatorFamily f, Evaluate evaluate) { by[static_cast<std::size_t>(f)] = evaluate; };
  using F = OperatorFamily;
  set(F::convolution, floating::convolution);
  set(F::transpose_conv, floating::transposed_convolution);
  set(F::fully_connected, floating::fully_connected);
  set(F::gemm, floating::gemm);
  set(F::batch_matmul, floating::batch_matmul);
  set(F::pool, floating::pool);
  set(F::global_pool, floating::global_pool);
  set(F::binary, floating::binary);
  set(F::add_n, floating::binary);
  set(F::unary, floating::unary);
  set(F::batch_normalization, floating::batch_normalization);
  set(F::softmax, floating::softmax);
  set(F::log_softmax, floating::softmax);
  set(F::lrn, floating::lrn);
  set(F::l2_normalization, floating::l2_normalization);
  set(F::copy, floating::copy);
  set(F::concatenation, floating::concatenation);
  set(F::split, floating::split);
  set(F::transpose, floating::transpose);
  set(F::slice, floating::slice);
  set(F::pad, floating::pad);
  set(F::reduction, floating::reduction);
  set(F::arg_extreme, floating::arg_extreme);
  set(F::resize, floating::resize);
  set(F::svdf, floating::svdf);
  set(F::circulant, floating::circulant);
  return by;
}();

}  // namespace

void evaluate_float(const Network& n, const Operator& op, TensorBytes& bytes) {
  floating::Call c(n, op, bytes);
  const auto evaluate = evaluations[static_cast<std::size_t>(facts_of(op.kind).family)];
  ensure(evaluate, "operator " + op.name + " is not evaluated in float");
  evaluate(c);
}

}  // namespace dse::nn
