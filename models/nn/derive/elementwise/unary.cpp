// Element-wise operators with one operand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/derive/elementwise/elementwise.h"
#include "models/nn/float/operands.h"

namespace dse::nn {
namespace {

bool narrow(DataType t) { return t != DataType::int16; }
bool refuse_wide(Derivation& d) { return d.fail("16-bit inputs of this operator are not supported"); }

/// The raw value of a bound in reals: `z + round(bound / scale)` within the type; ties away from zero, or to even.
std::int32_t limit_of(float value, const Tensor& t, bool even) {
  const float ratio = value / scale_of(t);
  const double q = even ? round_half_even(static_cast<double>(ratio)) : std::round(static_cast<double>(ratio));
  const ActivationRange all = type_range(t.type);
  return static_cast<std::int32_t>(
      std::clamp(q + zero_of(t), static_cast<double>(all.min), static_cast<double>(all.max)));
}

/// RELU, RELU6, RELU_N1_TO_1 and CLIP: a requantisation with narrower limits.
bool derive_clamp(Derivation& d) {
  const float infinity = INFINITY;
  const OperatorOptions& o = d.op.options;
  float lo = 0.0f, hi = infinity;
  if (d.op.kind == OperatorKind::relu6) hi = 6.0f;
  if (d.op.kind == OperatorKind::relu_n1_to_1) lo = -1.0f, hi = 1.0f;
  if (d.op.kind == OperatorKind::clip) lo = o.clip_min, hi = o.clip_max;
  if (std::isnan(lo) || std::isnan(hi)) return d.fail(fmt::format("the limits {} and {} are no numbers", lo, hi));
  set_elementwise(d, DSE_REQUANTIZE);
  dse_op& k = d.op.kernel;
  const bool even = k.rounding == DSE_ROUND_ONNX, reference = !even && k.rounding != DSE_ROUND_QFORMAT;
  if (d.op.kind == OperatorKind::relu6 && reference) {
    // The reference compares raw values of the input and never rescales.
    k.act_min = zero_of(d.input()), k.act_max = limit_of(6.0f, d.input(), false);
    k.in_zero = k.out_zero = 0;
    return multiplier_of(d, 1.0, k.m1, k.s1);
  }
  const float ratio = scale_of(d.input()) / scale_of(d.output());
  const double exact = static_cast<double>(scale_of(d.input())) / static_cast<double>(scale_of(d.output()));
  if (!set_requantization(d, k, d.input(), d.output(), reference ? static_cast<double>(ratio) : exact)) return false;
  k.act_max = limit_of(hi, d.output(), even);
  k.act_min = std::min(limit_of(lo, d.output(), even), k.act_max);
  return true;
}

bool derive_absolute(Derivation& d) {
  set_elementwise(d, d.op.kind == OperatorKind::abs ? DSE_ABS : DSE_REQUANTIZE);
  dse_op& k = d.op.kernel;
  if (d.op.kind == OperatorKind::neg) k.arg[1] = 1;
  const float ratio = scale_of(d.input()) / scale_of(d.output());
  const double exact = static_cast<double>(scale_of(d.input())) / static_cast<double>(scale_of(d.output()));
  return set_requantization(d, k, d.input(), d.output(),
                            k.rounding == DSE_ROUND_ONNX ? exact : static_cast<double>(ratio));
}

/// LOGISTIC and TANH of 8 bits: the input in Q4 with 27 fraction bits.
bool derive_sigmoid8(Derivation& d) {
  const Tensor& out = d.output();
  const bool logistic = d.op.kind == OperatorKind::logistic;
  const ActivationRange all = type_range(out.type);
  const float expected = logistic ? 1.0f / 256 : 1.0f / 128;
  const std::int32_t zero = logistic ? all.min : (all.min + all.max + 1) / 2;
  const bool free = d.op.options.rounding == Rounding::qformat;
  if (!free && (scale_of(out) != expected || zero_of(out) != zero))
    return d.fail(fmt::format("output '{}' has scale {} and zero point {}, not {} and {}", out.name, scale_of(out),
                              zero_of(out), expected, zero));
  const int digits = binary_digits(scale_of(out));
  if (digits < 0) return d.fail(fmt::format("output '{}' has scale {}, not 2^-n", out.name, scale_of(out)));
  constexpr int integer_bits = 4, fraction_bits = 31 - integer_bits;
  int shift = 0;
  const double q = std::frexp(std::ldexp(static_cast<double>(scale_of(d.input())), fraction_bits), &shift);
  if (shift < -31) return d.fail(fmt::format("the input scale {} is too small", scale_of(d.input())));
  set_elementwise(d, logistic ? DSE_LOGISTIC : DSE_TANH);
  dse_op& k = d.op.kernel;
  // The modes without a rounding of their own here compute as the reference does.
  if (free) k.rounding = DSE_ROUND_TFLITE;
  // A scale has 24 bits: the product is exact.
  k.m1 = static_cast<std::int32_t>(std::round(std::ldexp(q, 31)));
  const double radius = std::floor(std::ldexp(((1 << integer_bits) - 1) * std::ldexp(1.0, fraction_bits), -shift));
  k.left_shift = static_cast<std::int32_t>(std::min(radius, 2147483647.0));
  k.s1 = std::min(shift, 30);  // beyond that the radius is 0
  k.arg[0] = digits;
  return true;
}

/// LOGISTIC and TANH of 16 bits: multiplier and shift to the table's argument, three times Q3.12.
bool derive_sigmoid16(Derivation& d) {
  const Tensor& out = d.output();
  if (out.type != DataType::int16 || scale_of(out) != 1.0f / 32768)
    return d.fail(fmt::format("output '{}' of type {} has scale {}, not INT16 and 1/32768", out.name, name_of(out.type),
                              scale_of(out)));
  const float scale = scale_of(d.input());
  const float log2 = std::log(scale) * (1.0f / std::log(2.0f)), rounded = std::round(log2);
  const int shift = 12 + static_cast<int>(rounded);
  const bool logistic = d.op.kind == OperatorKind::logistic;
  const bool special = std::abs(log2 - rounded) < 1e-3f && (shift == 0 || (!logistic && shift == 1));
  set_elementwise(d, logistic ? DSE_LOGISTIC : DSE_TANH);
  dse_op& k = d.op.kernel;
  if (special) {
    k.m1 = 3 << shift;
    return true;
  }
  double multiplier = static_cast<double>(scale) * 4096.0 * 3.0;
  while (multiplier <= 32767.0 / 2.0 && k.s1 <= 30) ++k.s1, multiplier *= 2.0;
  // Above this every input but 0 is at the limit.
  k.m1 = static_cast<std::int32_t>(std::min(multiplier, 1073741824.0));
  return true;
}

bool derive_sigmoid(Derivation& d) {
  const bool tables = narrow(d.input().type);
  if (tables != narrow(d.output().type))
    return d.fail(
        fmt::format("input of type {}, output of type {}", name_of(d.input().type), name_of(d.output().type)));
  if (d.op.options.rounding == Rounding::onnx) return refuse_wide(d);
  return tables ? derive_sigmoid8(d) : derive_sigmoid16(d);
}

bool derive_hard_swish(Derivation& d) {
  if (d.op.options.rounding == Rounding::onnx) return refuse_wide(d);
  if (!narrow(d.input().type) || !narrow(d.output().type)) return d.fail("HARD_SWISH has 8 bits only");
  const float high = (1.0f / 128.0f) * scale_of(d.input());
  const float slope = 3.0f / 32768.0f;
  set_elementwise(d, DSE_HARD_SWISH);
  dse_op& k = d.op.kernel;
  const auto to16 = [](std::int32_t m) { return m >= 2147483647 - (1 << 15) ? 32767 : (m + (1 << 15)) >> 16; };
  if (!multiplier_of(d, static_cast<double>(high / scale_of(d.output())), k.m1, k.s1) ||
      !multiplier_of(d, static_cast<double>(high / slope), k.m2, k.s2))
    return false;
  if (k.s1 > 0)
    return d.fail(fmt::format("the output scale {} is below 1/128 of the input scale {}", scale_of(d.output()),
                              scale_of(d.input())));
  k.m1 = to16(k.m1), k.m2 = to16(k.m2);
  return true;
}

bool derive_leaky_relu(Derivation& d) {
  const float alpha = d.op.options.alpha, in = scale_of(d.input()), out = scale_of(d.output());
  if (!std::isfinite(alpha)) return d.fail(fmt::format("alpha is {}", alpha));
  set_elementwise(d, DSE_LEAKY_RELU);
  dse_op& k = d.op.kernel;
  if (k.rounding == DSE_ROUND_QFORMAT) k.rounding = DSE_ROUND_TFLITE;
  const bool even = k.rounding == DSE_ROUND_ONNX;
  const double wide = static_cast<double>(in), ratio = static_cast<double>(out);
  const double negative = even ? wide * static_cast<double>(alpha) / ratio : static_cast<double>(in * alpha / out);
  if (!multiplier_of(d, even ? wide / ratio : static_cast<double>(in / out), k.m1, k.s1) ||
      !multiplier_of(d, std::abs(negative), k.m2, k.s2))
    return false;
  if (negative < 0) k.m2 = -k.m2;
  return true;
}

bool derive_table(Derivation& d) {
  const OperatorOptions& o = d.op.options;
  if (!narrow(d.input().type)) return refuse_wide(d);
  if (!std::isfinite(o.alpha) || !std::isfinite(o.beta))
    return d.fail(fmt::format("alpha is {}, beta is {}", o.alpha, o.beta));
  const double in = static_cast<double>(scale_of(d.input())), out = static_cast<double>(scale_of(d.output()));
  const double alpha = static_cast<double>(o.alpha), beta = static_cast<double>(o.beta);
  const std::int32_t in_zero = zero_of(d.input()), out_zero = zero_of(d.output());
  const ActivationRange all = type_range(d.output().type);
  add_lookup(d, [&, real = floating::real_function(d.op.kind)](std::int32_t q) {
    const double y = round_half_even(real(in * (q - in_zero), alpha, beta) / out) + out_zero;
    return std::clamp(y, static_cast<double>(all.min), static_cast<double>(all.max));
  });
  return true;
}

bool derive_elu(Derivation& d) { return narrow(d.input().type) ? derive_elu_table(d) : refuse_wide(d); }

using K = OperatorKind;
/// All others have tables of their functions.
constexpr struct {
  OperatorKind kind;
  bool (*derive)(Derivation&);
} unaries[] = {{K::relu, derive_clamp},       {K::relu6, derive_clamp},          {K::relu_n1_to_1, derive_clamp},
               {K::clip, derive_clamp},       {K::abs, derive_absolute},         {K::neg, derive_absolute},
               {K::logistic, derive_sigmoid}, {K::tanh, derive_sigmoid},         {K::leaky_relu, derive_leaky_relu},
               {K::elu, derive_elu},          {K::hard_swish, derive_hard_swish}};

}  // namespace

bool derive_unary(Derivation& d) {
  if (!d.quantized(d.op.inputs[0], "input", narrow_types) || !d.quantized(d.op.outputs[0], "output", narrow_types))
    return false;
  if (!d.output_is(d.input().shape)) return false;
  const auto* row = row_of(unaries, d.op.kind);
  const bool has_table = floating::real_function(d.op.kind) != nullptr;
  // In the onnx mode whatever has a function is a table of it.
  const bool tabled = d.op.options.rounding == Rounding::onnx && has_table && narrow(d.input().type);
  if (row && !tabled) return row->derive(d);
  return has_table ? derive_table(d) : d.fail("this operator has no integer kernel");
}

}  // namespace dse::nn
