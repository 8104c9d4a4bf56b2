#include "models/nn/derive/elementwise/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/derive/products/weighted.h"
#include "models/nn/graph/views.h"

namespace dse::nn {

std::int32_t kernel_rounding(const Operator& op) {
  switch (op.options.rounding) {
    case Rounding::tflite:
      return DSE_ROUND_TFLITE;
    case Rounding::single:
      return DSE_ROUND_SINGLE;
    case Rounding::onnx:
      return DSE_ROUND_ONNX;
    case Rounding::qformat:
      break;
  }
  return DSE_ROUND_QFORMAT;
}

void set_elementwise(Derivation& d, std::int32_t kind) {
  dse_op& k = d.op.kernel;
  k.kind = kind;
  set_extents(k, d.output().image(), d.output().image());
  k.rounding = kernel_rounding(d.op);
  const auto zero = [](const Tensor& t) { return t.quantization.zero_point.empty() ? 0 : zero_of(t); };
  k.in_type = kernel_type(d.input().type);
  k.in_zero = zero(d.input());
  if (d.has_input(1)) k.in2_type = kernel_type(d.input(1).type), k.in2_zero = zero(d.input(1));
  k.out_type = kernel_type(d.output().type);
  k.out_zero = zero(d.output());
  const ActivationRange all = type_range(d.output().type);
  k.act_min = all.min, k.act_max = all.max;
}

bool multiplier_of(Derivation& d, double real, std::int32_t& multiplier, std::int32_t& shift) {
  const Multiplier m = std::isfinite(real) ? quantize_multiplier(real) : Multiplier{0, 99};
  if (m.shift > 30) return d.fail(fmt::format("the ratio of the scales is {}, above 2^30", real));
  multiplier = m.multiplier, shift = m.shift;
  return true;
}

bool fraction_bits(Derivation& d, const Tensor& t, std::int32_t& n) {
  const auto bits = fraction_bits(scale_of(t));
  n = bits.value_or(0);
  if (bits && n >= -30 && n <= 30 && zero_of(t) == 0) return true;
  return d.fail(
      fmt::format("'{}' has scale {} and zero point {}, which is no Q format", t.name, scale_of(t), zero_of(t)),
      "a Q format has a scale between 2^-30 and 2^30 that is a power of two, and zero point 0");
}

int binary_digits(float scale) {
  const auto bits = fraction_bits(scale);
  return bits && *bits >= 0 && *bits <= 16 ? *bits : -1;
}

bool set_requantization(Derivation& d, dse_op& k, const Tensor& from, const Tensor& to, double real) {
  k.rounding = kernel_rounding(d.op);
  k.in_type = kernel_type(from.type), k.out_type = kernel_type(to.type);
  k.in_zero = zero_of(from), k.out_zero = zero_of(to);
  if (k.rounding != DSE_ROUND_QFORMAT) return multiplier_of(d, real, k.m1, k.s1);
  std::int32_t n_from = 0, n_to = 0;
  if (!fraction_bits(d, from, n_from) || !fraction_bits(d, to, n_to)) return false;
  k.arg[0] = n_from - n_to;
  return true;
}

void add_call_with_table(Derivation& d, std::int32_t elements, std::int32_t bytes) {
  d.op.kernel.arg[DSE_ARGS - 1] = elements;
  add_plain_call(d.network, d.op);
  dse_view v{};
  v.elem = bytes, v.stride_c = bytes, v.stride_w = v.stride_h = elements * bytes;
  d.op.calls.back().operands[DSE_LUT] = {true, -1, 0, v};
}

double round_half_even(double v) {
  const double whole = std::floor(v), rest = v - whole;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0.0)) return whole + 1.0;
  return whole;
}

}  // namespace dse::nn
