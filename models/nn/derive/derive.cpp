#include "models/nn/derive/derive.h"

#include <array>

namespace dse::nn {
namespace {

/// By family; null where no integer kernel is.
constexpr std::array<bool (*)(Derivation&), operator_families> derivations = [] {
  std::array<bool (*)(Derivation&), operator_families> by{};
  const auto set = [&](OperatorFamily f, bool (*derive)(Derivation&)) { by[static_cast<std::size_t>(f)] = derive; };
  using F = OperatorFamily;
  set(F::convolution, derive_convolution);
  set(F::transpose_conv, derive_transpose_conv);
  set(F::fully_connected, derive_fully_connected);
  set(F::batch_matmul, derive_batch_matmul);
  set(F::pool, derive_pool);
  set(F::global_pool, derive_pool);
  set(F::unary, derive_unary);
  set(F::binary, derive_binary);
  set(F::quantize, derive_quantize);
  set(F::softmax, derive_softmax);
  set(F::log_softmax, derive_log_softmax);
  set(F::l2_normalization, derive_l2_normalization);
  set(F::copy, derive_copy);
  set(F::concatenation, derive_parts);
  set(F::split, derive_parts);
  set(F::transpose, derive_gather);
  set(F::slice, derive_gather);
  set(F::pad, derive_pad);
  set(F::reduction, derive_reduction);
  set(F::arg_extreme, derive_arg_extreme);
  set(F::resize, derive_resize);
  set(F::svdf, derive_svdf);
  set(F::lstm, derive_lstm);
  set(F::normalize, derive_normalize);
  set(F::circulant, derive_circulant);
  return by;
}();

}  // namespace

bool derive_integer(Derivation& d) {
  const auto derive = derivations[static_cast<std::size_t>(facts_of(d.op.kind).family)];
  return derive ? derive(d) : d.fail("this operator has no integer kernel");
}

}  // namespace dse::nn
