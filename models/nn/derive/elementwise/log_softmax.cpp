// LOG_SOFTMAX and L2_NORMALIZATION: along the channels of each pixel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/graph/calls.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

/// int8 images of one shape, the output with this scale and zero point, in a mode that has the reference's arithmetic.
bool check(Derivation& d, float scale, std::int32_t zero) {
  if (!has_bytes(d, 0) || !d.quantized_int8(d.op.inputs[0], "input") || !d.quantized_int8(d.op.outputs[0], "output"))
    return false;
  if (!d.output_is(d.input(0).shape)) return false;
  const Rounding r = d.op.options.rounding;
  if (r == Rounding::onnx) return d.fail(fmt::format("is not defined in mode {}", name_of(r)));
  if (scale_of(d.output()) != scale || zero_of(d.output()) != zero)
    return d.fail(fmt::format("output '{}' has scale {} and zero point {}, not {} and {}", d.output().name,
                              scale_of(d.output()), zero_of(d.output()), scale, zero));
  return true;
}

void finish(Derivation& d, dse_op_kind kind) {
  dse_op& k = d.op.kernel;
  const Tensor::Image image = d.input(0).image();
  k.kind = kind;
  set_extents(k, image, image);
  const Rounding r = d.op.options.rounding;
  k.rounding = r == Rounding::single ? DSE_ROUND_SINGLE : DSE_ROUND_TFLITE;
  set_types(d, k);
  k.in_zero = zero_of(d.input(0)), k.out_zero = zero_of(d.output());
  KernelCall call;
  call.op = k;
  call.tile = full_tile(d.op);
  const dse_view view = dense_view({image.h, image.w, image.c}, 1);
  call.operands[DSE_IN0] = bound(d.op.inputs[0], view);
  call.operands[DSE_OUT] = bound(d.op.outputs[0], view);
  d.op.calls.push_back(call);
}

}  // namespace

bool derive_log_softmax(Derivation& d) {
  if (!check(d, 1.0f / 16, 127)) return false;
  // The sum of exponentials has 12 integer bits.
  const std::int64_t channels = d.input(0).image().c;
  if (channels > 4095) return d.fail(fmt::format("{} channels, at most 4095 are supported", channels));
  constexpr int integer_bits = 5;
  const double unit = static_cast<double>(1 << (31 - integer_bits));
  const double real = std::min(static_cast<double>(scale_of(d.input(0))) * unit, 2147483647.0);
  if (!(real > 1.0)) return d.fail(fmt::format("the input scale {} is too small", scale_of(d.input(0))));
  const Multiplier m = quantize_multiplier(real);
  const Multiplier back = quantize_multiplier(std::ldexp(1.0, 31 - m.shift) / static_cast<double>(m.multiplier));
  dse_op& k = d.op.kernel;
  k.m1 = m.multiplier, k.s1 = m.shift;
  k.m2 = back.multiplier, k.s2 = back.shift;
  k.left_shift = -static_cast<std::int32_t>(std::floor(((1 << integer_bits) - 1) * unit / std::ldexp(1.0, m.shift)));
  finish(d, DSE_LOG_SOFTMAX);
  return true;
}

bool derive_l2_normalization(Derivation& d) {
  if (!check(d, 1.0f / 128, 0)) return false;
  // The sum of squares has 31 bits, each square up to 255 * 255.
  const std::int64_t channels = d.input(0).image().c;
  if (channels > 33025) return d.fail(fmt::format("{} channels, at most 33025 are supported", channels));
  if (d.op.options.activation != Activation::none) return d.fail("has a fused activation");
  finish(d, DSE_L2_NORMALIZATION);
  return true;
}

}  // namespace dse::nn
