// Dynamic rescaling of sums of products: the factors of what they read and make (kernels/dse_factors.h).
#include "models/nn/graph/sums/factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/nn/derive/products/weighted.h"
#include "models/nn/graph/calls.h"
#include "models/nn/kernels/dse_batches.h"
#include "models/nn/kernels/dse_factors.h"

namespace dse::nn {
namespace {

std::int32_t steps(double real, int fraction) {
  const double limit = std::numeric_limits<std::int32_t>::max() - 1;
  return static_cast<std::int32_t>(std::llround(std::clamp(std::ldexp(real, fraction), -limit, limit)));
}

/// The activation in steps of the output's Q format, whether or not its type has room for them.
void set_limits(const Derivation& d, dse_op& k) {
  const int n = fraction_bits(scale_of(d.output())).value_or(0);
  const Activation a = d.op.options.activation;
  k.arg[DSE_ARG_LOW] = a == Activation::none           ? std::numeric_limits<std::int32_t>::min()
                       : a == Activation::relu_n1_to_1 ? steps(-1, n)
                                                       : 0;
  k.arg[DSE_ARG_HIGH] = a == Activation::relu6          ? steps(6, n)
                        : a == Activation::relu_n1_to_1 ? steps(1, n)
                                                        : std::numeric_limits<std::int32_t>::max();
}

}  // namespace

bool derive_factors(Derivation& d) {
  const bool in = compensates(d.op), out = finds_factors(d.op);
  if (!in && !out) return true;
  dse_op& k = d.op.kernel;
  if (d.output().elements() != std::int64_t{k.out_h} * k.out_w * k.out_c)
    return d.fail("factors belong to one image, and this is a batch of several");
  if (in) {
    if (const auto products = products_of(d.network, d.op); !sums_hold(d.input(0).type, d.input(1).type, products))
      return d.fail(fmt::format("sums of {} products with factors may be beyond 64 bits", products));
    k.in2_type = DSE_I32;
    k.arg[DSE_ARG_IN_FACTORS] = static_cast<std::int32_t>(d.input(3).elements());
  }
  if (!out) return true;
  k.arg[DSE_ARG_BATCHES] = static_cast<std::int32_t>(d.op.options.output_batches);
  k.arg[DSE_ARG_BATCH_BUFFERS] = 1;
  k.arg[DSE_ARG_OUT_FACTORS] = static_cast<std::int32_t>(d.output(1).elements());
  set_limits(d, k);
  return true;
}

void bind_factors(Derivation& d) {
  for (KernelCall& call : d.op.calls) {
    if (compensates(d.op)) call.operands[DSE_IN1] = bound(d.op.inputs[3], flat_view(d.input(3).elements(), 4));
    if (finds_factors(d.op)) call.operands[DSE_FACTORS] = bound(d.op.outputs[1], flat_view(d.output(1).elements(), 4));
  }
}

bool derive_normalize(Derivation& d) {
  const Tensor &in = d.input(0), &out = d.output();
  if (!d.quantized(d.op.inputs[0], "input", {DataType::int8, DataType::int16})) return false;
  if (!same_values(in, out) || in.elements() != out.elements())
    return d.fail(fmt::format("'{}' and '{}' differ in size, type or scale", in.name, out.name));
  if (in.elements() > max_elements) return d.fail(fmt::format("'{}' has too many elements", in.name));
  dse_op& k = d.op.kernel;
  set_flat_extents(d, k, in.elements(), out.elements());
  k.kind = DSE_NORMALIZE;
  set_types(d, k);
  k.in2_type = DSE_I32;
  k.arg[DSE_ARG_IN_FACTORS] = static_cast<std::int32_t>(d.input(1).elements());
  k.arg[DSE_ARG_OUT_FACTORS] = 1;
  add_flat_call(d);
  d.op.calls.back().operands[DSE_IN1] = bound(d.op.inputs[1], flat_view(d.input(1).elements(), 4));
  d.op.calls.back().operands[DSE_FACTORS] = bound(d.op.outputs[1], flat_view(1, 4));
  return true;
}

}  // namespace dse::nn
