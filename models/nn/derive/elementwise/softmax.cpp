// SOFTMAX.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/derive/elementwise/elementwise.h"
#include "models/nn/graph/views.h"

namespace dse::nn {
namespace {

/// The output's quantisation: what the reference demands, or any scale 2^-n in the qformat mode.
bool check_output(Derivation& d) {
  const Tensor& out = d.output();
  const bool wide = d.input().type == DataType::int16;
  if (wide && out.type != DataType::int16)
    return d.fail(fmt::format("input of type INT16, output of type {}", name_of(out.type)));
  const bool free = d.op.options.rounding == Rounding::qformat && !wide;
  const float scale = wide ? 1.0f / 32768 : out.type == DataType::int16 ? 1.0f / 65536 : 1.0f / 256;
  const std::int64_t zero = wide ? 0 : type_range(out.type).min;
  // The reference takes an int16 scale for its own that is off by a thousandth: files have 1/65535.
  const float tolerance = out.type == DataType::int16 ? scale / 1000 : 0;
  const bool fits = std::abs(scale_of(out) - scale) <= tolerance && zero_of(out) == zero;
  if (free ? binary_digits(scale_of(out)) >= 0 : fits) return true;
  return d.fail(fmt::format("output '{}' has scale {} and zero point {}, not {} and {}", out.name, scale_of(out),
                            zero_of(out), scale, zero));
}

/// An int16 output may have zero point -32768 here, and only here.
bool check_types(Derivation& d) {
  if (!d.quantized(d.op.inputs[0], "input", narrow_types)) return false;
  const Tensor& out = d.output();
  const auto& q = out.quantization;
  if (out.type == DataType::int16 && q.scale.size() == 1 && q.zero_point.size() == 1 && q.zero_point[0] == -32768)
    return true;
  return d.quantized(d.op.outputs[0], "output", narrow_types);
}

/// Differences of 8-bit values in Q5.26; beyond -2^5 + 1 exp() is 0 in 8 bits.
bool derive_multiplier8(Derivation& d, std::int64_t channels) {
  // Exponentials reach 1, and the reference's sum of them has 12 integer bits.
  if (channels > 4095) return d.fail(fmt::format("{} channels, at most 4095 are supported", channels));
  dse_op& k = d.op.kernel;
  constexpr int integer_bits = 5;
  const double limit = k.rounding == DSE_ROUND_SINGLE ? 1073741823.0 : 2147483647.0;
  const double real = std::min(
      static_cast<double>(d.op.options.beta) * static_cast<double>(scale_of(d.input())) * (1 << (31 - integer_bits)),
      limit);
  if (!(real > 1.0))
    return d.fail(fmt::format("beta {} times the input scale {} is too small", d.op.options.beta, scale_of(d.input())));
  const Multiplier m = quantize_multiplier(real);
  k.m1 = m.multiplier, k.s1 = m.shift;
  const double least = ((1 << integer_bits) - 1) * static_cast<double>(1 << (31 - integer_bits));
  k.left_shift = -static_cast<std::int32_t>(std::floor(std::ldexp(least, -m.shift)));
  k.arg[0] = binary_digits(scale_of(d.output()));
  if (k.arg[0] < 0) k.arg[0] = 16;  // 1/65535
  return true;
}

bool derive_multiplier16(Derivation& d, std::int64_t channels) {
  if (channels > 65535) return d.fail(fmt::format("{} channels, at most 65535 are supported", channels));
  const double beta = static_cast<double>(d.op.options.beta);
  if (!(beta > 0)) return d.fail(fmt::format("beta is {}", beta));
  d.op.table = softmax16_tables();
  return multiplier_of(d, static_cast<double>(scale_of(d.input())) * beta / (10.0 / 65535.0), d.op.kernel.m1,
                       d.op.kernel.s1);
}

}  // namespace

bool derive_softmax(Derivation& d) {
  if (!check_types(d) || !d.output_is(d.input().shape) || !check_output(d)) return false;
  const auto& shape = d.input().shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0) return d.fail("a scalar has no channels");
  // TensorFlow Lite's is over the last dimension; ONNX names one.
  const bool onnx = d.op.options.rounding == Rounding::onnx;
  const std::int64_t axis = onnx ? d.op.options.axis : rank - 1;
  if (axis < 0 || axis >= rank) return d.fail(fmt::format("axis {} is not within {} dimensions", axis, rank));
  const std::int64_t channels = shape[static_cast<std::size_t>(axis)];
  set_elementwise(d, DSE_SOFTMAX);
  dse_op& k = d.op.kernel;
  if (k.rounding != DSE_ROUND_SINGLE) k.rounding = DSE_ROUND_TFLITE;
  const bool wide = d.input().type == DataType::int16;
  if (!(wide ? derive_multiplier16(d, channels) : derive_multiplier8(d, channels))) return false;
  std::int64_t inner = 1;
  for (std::int64_t i = axis + 1; i < rank; ++i) inner *= shape[static_cast<std::size_t>(i)];
  if (inner > 1) {  // rows are what is outside of the axis, columns what is inside
    const auto i32 = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
    k.in_h = k.out_h = i32(d.input().elements() / (channels * inner)), k.in_w = k.out_w = i32(inner),
    k.in_c = k.out_c = i32(channels);
  } else if (axis != rank - 1) {  // [1, C, 1, 1]
    k.in_h = k.out_h = static_cast<std::int32_t>(d.input().elements() / channels), k.in_w = k.out_w = 1;
    k.in_c = k.out_c = static_cast<std::int32_t>(channels);
  }
  if (wide)
    add_call_with_table(d, static_cast<std::int32_t>(d.op.table.size() / 2), 2);
  else
    add_plain_call(d.network, d.op);
  for (const dse_role role : {DSE_IN0, DSE_OUT}) {
    if (inner == 1) break;
    dse_view& v = d.op.calls.back().operands[role].view;
    v.stride_w = v.elem, v.stride_c = static_cast<std::int32_t>(inner) * v.elem;
    v.stride_h = static_cast<std::int32_t>(channels) * v.stride_c;
  }
  return true;
}

}  // namespace dse::nn
