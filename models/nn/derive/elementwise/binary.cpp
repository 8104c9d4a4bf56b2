// Element-wise operators with two operands.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/derive/elementwise/elementwise.h"
#include "models/nn/graph/broadcast.h"
#include "models/nn/graph/check/apart.h"

namespace dse::nn {
namespace {

/// The multipliers of ADD, SUB and SQUARED_DIFFERENCE must lie in (0, 1): the reference aborts otherwise.
bool below_one(double real, std::int32_t& multiplier, std::int32_t& shift) {
  if (!(real > 0.0 && real < 1.0)) return false;
  const Multiplier m = quantize_multiplier(real);
  multiplier = m.multiplier, shift = m.shift;
  return m.shift <= 0;
}

struct Scales {
  float a, b, out;
};
Scales scales_of(const Derivation& d) { return {scale_of(d.input(0)), scale_of(d.input(1)), scale_of(d.output())}; }

bool refuse(Derivation& d) {
  const Scales s = scales_of(d);
  return d.fail(fmt::format("scales {} and {} cannot be {} to scale {}", s.a, s.b,
                            d.op.kernel.kind == DSE_ADD ? "added" : "combined", s.out));
}

/// Both operands in units of twice the larger scale, with as many extra bits as 32 bits have room for. ADD computes its
/// multipliers in binary64, SUB in binary32.
bool derive_sum(Derivation& d) {
  dse_op& k = d.op.kernel;
  const bool wide = d.input(0).type == DataType::int16 || d.input(1).type == DataType::int16;
  k.left_shift = wide ? 15 : 20;
  const Scales s = scales_of(d);
  bool ok = false;
  if (k.kind == DSE_ADD) {
    const double a = static_cast<double>(s.a), b = static_cast<double>(s.b), twice = 2.0 * std::max(a, b);
    ok = below_one(a / twice, k.m1, k.s1) && below_one(b / twice, k.m2, k.s2) &&
         below_one(twice / ((1 << k.left_shift) * static_cast<double>(s.out)), k.m3, k.s3);
  } else {
    const float twice = 2.0f * std::max(s.a, s.b), unit = static_cast<float>(1 << k.left_shift) * s.out;
    ok = below_one(static_cast<double>(s.a / twice), k.m1, k.s1) &&
         below_one(static_cast<double>(s.b / twice), k.m2, k.s2) &&
         below_one(static_cast<double>(twice / unit), k.m3, k.s3);
  }
  return ok || refuse(d);
}

bool derive_squared_difference(Derivation& d) {
  dse_op& k = d.op.kernel;
  const bool wide = d.input(0).type == DataType::int16 || d.input(1).type == DataType::int16;
  k.left_shift = wide ? 0 : 7;  // the square still fits 32 bits
  const Scales s = scales_of(d);
  const double a = static_cast<double>(s.a), b = static_cast<double>(s.b), twice = 2.0 * std::max(a, b);
  const float unit = static_cast<float>(1 << (2 * k.left_shift)) * s.out;
  if (!below_one(a / twice, k.m1, k.s1) || !below_one(b / twice, k.m2, k.s2)) return refuse(d);
  return multiplier_of(d, twice * twice / static_cast<double>(unit), k.m3, k.s3);
}

/// MUL, DIV, PRELU: one or two ratios of scales.
bool derive_product(Derivation& d) {
  dse_op& k = d.op.kernel;
  const Scales s = scales_of(d);
  const double a = static_cast<double>(s.a), b = static_cast<double>(s.b), out = static_cast<double>(s.out);
  if (k.kind == DSE_MUL) return multiplier_of(d, a * b / out, k.m3, k.s3);
  if (k.kind == DSE_DIV) {
    // The reference divides in binary32.
    const float real = s.a / (s.b * s.out);
    return multiplier_of(d, k.rounding == DSE_ROUND_ONNX ? a / (b * out) : static_cast<double>(real), k.m3, k.s3);
  }
  return multiplier_of(d, a / out, k.m1, k.s1) && multiplier_of(d, a * b / out, k.m2, k.s2);
}

/// ADD and SUB of the onnx mode: both operands in units of s_y / 2^k, k as large as 30 bits of multiplier allow.
bool derive_onnx_sum(Derivation& d) {
  dse_op& op = d.op.kernel;
  const Scales s = scales_of(d);
  const double a = static_cast<double>(s.a) / static_cast<double>(s.out),
               b = static_cast<double>(s.b) / static_cast<double>(s.out);
  int k = 40;
  while (k >= 0 && std::ldexp(std::max(a, b), k) >= 1073741824.0) --k;
  if (k < 0) return refuse(d);
  op.m1 = static_cast<std::int32_t>(std::round(std::ldexp(a, k)));
  op.m2 = static_cast<std::int32_t>(std::round(std::ldexp(b, k)));
  op.arg[0] = k;
  return true;
}

/// ADD, SUB, MUL, MAXIMUM, MINIMUM of Q formats.
bool derive_formats(Derivation& d) {
  dse_op& k = d.op.kernel;
  std::int32_t a = 0, b = 0, out = 0;
  if (!fraction_bits(d, d.input(0), a) || !fraction_bits(d, d.input(1), b) || !fraction_bits(d, d.output(), out))
    return false;
  if (k.kind == DSE_MUL) {
    k.arg[0] = a + b - out;
    return true;
  }
  const std::int32_t common = std::max(a, b);
  k.s1 = common - a, k.s2 = common - b, k.arg[0] = common - out;
  if (k.s1 <= 30 && k.s2 <= 30) return true;
  return d.fail(fmt::format("Q formats with {} and {} fraction bits are too far apart", a, b));
}

constexpr struct {
  OperatorKind kind;
  std::int32_t kernel;
} binaries[] = {{OperatorKind::add, DSE_ADD},
                {OperatorKind::sub, DSE_SUB},
                {OperatorKind::mul, DSE_MUL},
                {OperatorKind::div, DSE_DIV},
                {OperatorKind::maximum, DSE_MAXIMUM},
                {OperatorKind::minimum, DSE_MINIMUM},
                {OperatorKind::squared_difference, DSE_SQUARED_DIFFERENCE},
                {OperatorKind::prelu, DSE_PRELU}};

bool same_parameters(const Tensor& a, const Tensor& b) {
  return a.type == b.type && scale_of(a) == scale_of(b) && zero_of(a) == zero_of(b);
}

bool derive_parameters(Derivation& d) {
  dse_op& k = d.op.kernel;
  const bool extreme = k.kind == DSE_MAXIMUM || k.kind == DSE_MINIMUM, sum = k.kind == DSE_ADD || k.kind == DSE_SUB;
  if (k.rounding == DSE_ROUND_QFORMAT) {
    if (extreme || sum || k.kind == DSE_MUL) return derive_formats(d);
    k.rounding = DSE_ROUND_TFLITE;  // the others compute as the reference does
  }
  const bool onnx = k.rounding == DSE_ROUND_ONNX;
  if (!onnx && (d.input(0).type != d.output().type || d.input(1).type != d.output().type))
    return d.fail(fmt::format("inputs of type {} and {}, output of type {}", name_of(d.input(0).type),
                              name_of(d.input(1).type), name_of(d.output().type)));
  if (extreme) {
    // The reference compares raw values without a check.
    if (onnx && (!same_parameters(d.input(0), d.output()) || !same_parameters(d.input(1), d.output())))
      return d.fail(
          fmt::format("inputs and output are quantised differently ({})",
                      apart_text(same_parameters(d.input(0), d.output()) ? d.input(1) : d.input(0), d.output())));
    return true;
  }
  if (sum) return onnx ? derive_onnx_sum(d) : derive_sum(d);
  if (k.kind != DSE_SQUARED_DIFFERENCE) return derive_product(d);
  return onnx ? d.fail("the onnx mode has no squared difference") : derive_squared_difference(d);
}

}  // namespace

bool derive_binary(Derivation& d) {
  for (const int t : {d.op.inputs[0], d.op.inputs[1]}) {
    if (!d.quantized(t, "input", narrow_types)) return false;
    if (d.tensor(t).fill) return d.fail(fmt::format("input '{}' has a rule instead of values", d.tensor(t).name));
  }
  if (!d.quantized(d.op.outputs[0], "output", narrow_types)) return false;
  const auto &a = d.input(0).shape, &b = d.input(1).shape, &out = d.output().shape;
  if (!broadcasts(a, out) || !broadcasts(b, out))
    return d.fail(fmt::format("inputs {} and {} are not broadcast to {}", text_of(a), text_of(b), text_of(out)));
  set_elementwise(d, row_of(binaries, d.op.kind)->kernel);
  set_activation(d);
  return derive_parameters(d) && add_broadcast_calls(d);
}

}  // namespace dse::nn
