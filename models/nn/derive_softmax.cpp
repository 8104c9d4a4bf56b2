// SOFTMAX.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/finish.h"
#include "models/nn/quantize.h"

namespace dse::nn {

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
