// ADD, pools, RESHAPE, SOFTMAX: the operators without weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/finish.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

void set_extents(dse_op& k, const Tensor::Image& in, const Tensor::Image& out) {
  k.rounding = DSE_ROUND_TFLITE;
  k.in_h = static_cast<std::int32_t>(in.h), k.in_w = static_cast<std::int32_t>(in.w),
  k.in_c = static_cast<std::int32_t>(in.c);
  k.out_h = static_cast<std::int32_t>(out.h), k.out_w = static_cast<std::int32_t>(out.w),
  k.out_c = static_cast<std::int32_t>(out.c);
  k.kernel_h = k.kernel_w = k.stride_h = k.stride_w = k.dilation_h = k.dilation_w = k.multiplier = 1;
}

void set_activation(Derivation& d) {
  const ActivationRange r = activation_range(d.op.options.activation, scale_of(d.output()), zero_of(d.output()));
  d.op.kernel.act_min = r.min;
  d.op.kernel.act_max = r.max;
}

/// The three multipliers of ADD must lie in (0, 1): the reference aborts otherwise.
bool below_one(double real, Multiplier& m) {
  if (!(real > 0.0 && real < 1.0)) return false;
  m = quantize_multiplier(real);
  return m.shift <= 0;
}

/// `from` can be stretched to `to` in numpy's way, at most four dimensions.
bool broadcasts(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  if (from.size() > to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto f = from[from.size() - 1 - i], t = to[to.size() - 1 - i];
    if (f != t && f != 1) return false;
  }
  return true;
}

}  // namespace

bool derive_add(Derivation& d) {
  for (const int t : {d.op.inputs[0], d.op.inputs[1]})
    if (!d.quantized_int8(t, "input")) return false;
  if (!d.quantized_int8(d.op.outputs[0], "output")) return false;
  const auto &a = d.input(0).shape, &b = d.input(1).shape, &out = d.output().shape;
  if (!broadcasts(a, out) || !broadcasts(b, out))
    return d.fail(fmt::format("inputs {} and {} do not add up to {}", text_of(a), text_of(b), text_of(out)));
  if (a != out && b != out)
    return d.fail(fmt::format("inputs {} and {} are both broadcast", text_of(a), text_of(b)),
                  "only one input may be broadcast");
  const bool stretched = a != out || b != out;
  if (stretched && (out.size() > 4 || (out.size() == 4 && out[0] != 1)))
    return d.fail(fmt::format("broadcasting to {} is not supported", text_of(out)));
  const double sa = static_cast<double>(scale_of(d.input(0))), sb = static_cast<double>(scale_of(d.input(1)));
  const double so = static_cast<double>(scale_of(d.output()));
  const double twice = 2.0 * std::max(sa, sb);
  constexpr int left_shift = 20;
  Multiplier m1, m2, m3;
  if (!below_one(sa / twice, m1) || !below_one(sb / twice, m2) || !below_one(twice / ((1 << left_shift) * so), m3))
    return d.fail(fmt::format("scales {} and {} cannot be added to scale {}", sa, sb, so));
  dse_op& k = d.op.kernel;
  k.kind = DSE_ADD;
  set_extents(k, d.output().image(), d.output().image());
  k.in_zero = zero_of(d.input(0)), k.in2_zero = zero_of(d.input(1)), k.out_zero = zero_of(d.output());
  k.left_shift = left_shift;
  k.m1 = m1.multiplier, k.s1 = m1.shift, k.m2 = m2.multiplier, k.s2 = m2.shift, k.m3 = m3.multiplier, k.s3 = m3.shift;
  set_activation(d);
  return true;
}

bool derive_pool(Derivation& d) {
  if (!d.quantized_int8(d.op.inputs[0], "input") || !d.quantized_int8(d.op.outputs[0], "output")) return false;
  if (!d.image_of_batch_1(d.op.inputs[0], "input") || !d.image_of_batch_1(d.op.outputs[0], "output")) return false;
  const float in = scale_of(d.input(0)), out = scale_of(d.output());
  if (zero_of(d.input(0)) != zero_of(d.output()) || std::abs(in - out) > 1e-6f)
    return d.fail(
        fmt::format("input and output are quantised differently (scale {}, zero point {}; scale {}, zero point {})", in,
                    zero_of(d.input(0)), out, zero_of(d.output())));
  if (d.op.options.dilation_h != 1 || d.op.options.dilation_w != 1) return d.fail("a pool has no dilation");
  if (!derive_window(d, d.op.options.filter_h, d.op.options.filter_w, d.input(0).shape[3])) return false;
  d.op.kernel.kind = d.op.kind == OperatorKind::average_pool_2d ? DSE_AVERAGE_POOL_2D : DSE_MAX_POOL_2D;
  d.op.kernel.in_zero = zero_of(d.input(0));
  d.op.kernel.out_zero = zero_of(d.output());
  set_activation(d);
  return true;
}

bool derive_reshape(Derivation& d) {
  if (!d.quantized_int8(d.op.inputs[0], "input") || !d.quantized_int8(d.op.outputs[0], "output")) return false;
  if (d.input(0).elements() != d.output().elements())
    return d.fail(fmt::format("input {} has not as many elements as output {}", text_of(d.input(0).shape),
                              text_of(d.output().shape)));
  d.op.kernel.kind = DSE_COPY;
  set_extents(d.op.kernel, d.output().image(), d.output().image());
  d.op.kernel.act_min = -128, d.op.kernel.act_max = 127;
  return true;
}

bool derive_softmax(Derivation& d) {
  if (!d.quantized_int8(d.op.inputs[0], "input") || !d.quantized_int8(d.op.outputs[0], "output")) return false;
  if (!d.output_is(d.input(0).shape)) return false;
  if (scale_of(d.output()) != 1.0f / 256 || zero_of(d.output()) != -128)
    return d.fail(fmt::format("output '{}' has scale {} and zero point {}, not 1/256 and -128", d.output().name,
                              scale_of(d.output()), zero_of(d.output())));
  const Tensor::Image image = d.input(0).image();
  // Exponentials reach 1, and the reference's sum of them has 12 integer bits.
  if (image.c > 4095) return d.fail(fmt::format("{} channels, at most 4095 are supported", image.c));
  // Differences in Q5.26; beyond -2^5 + 1 exp() is 0 in 8 bits.
  constexpr int integer_bits = 5;
  const double real = std::min(
      static_cast<double>(d.op.options.beta) * static_cast<double>(scale_of(d.input(0))) * (1 << (31 - integer_bits)),
      2147483647.0);
  if (!(real > 1.0))
    return d.fail(
        fmt::format("beta {} times the input scale {} is too small", d.op.options.beta, scale_of(d.input(0))));
  const Multiplier m = quantize_multiplier(real);
  dse_op& k = d.op.kernel;
  k.kind = DSE_SOFTMAX;
  set_extents(k, image, image);
  k.in_zero = zero_of(d.input(0)), k.out_zero = -128;
  k.act_min = -128, k.act_max = 127;
  k.m1 = m.multiplier, k.s1 = m.shift;
  const double limit =
      ((1 << integer_bits) - 1) * static_cast<double>(1 << (31 - integer_bits)) / std::ldexp(1.0, m.shift);
  k.left_shift = -static_cast<std::int32_t>(std::floor(limit));
  return true;
}

}  // namespace dse::nn
