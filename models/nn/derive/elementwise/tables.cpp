// Tables in binary32, made as TensorFlow Lite makes them: every intermediate result is rounded to float.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/derive/elementwise/elementwise.h"

namespace dse::nn {
namespace {

/// 513 samples of f over the whole range of an int16, each moved by half of what linear interpolation errs at the
/// middle of its segment.
template <class F>
void sample(std::vector<std::uint8_t>& table, float in_scale, int in_zero, float out_scale, F f) {
  constexpr int segments = 512;
  const float in_min = in_scale * static_cast<float>(-32768 - in_zero),
              in_max = in_scale * static_cast<float>(32767 - in_zero);
  const float out_min = out_scale * -32768.0f, out_max = out_scale * 32767.0f;
  const float step = (in_max - in_min) / static_cast<float>(segments), half = step / 2.0f;
  const float inverse = 65536.0f / (out_max - out_min);
  const auto push = [&](float v) {
    const auto q = static_cast<std::uint16_t>(static_cast<std::int32_t>(std::clamp(v, -32768.0f, 32767.0f)));
    table.push_back(static_cast<std::uint8_t>(q & 255u));
    table.push_back(static_cast<std::uint8_t>(q >> 8));
  };
  for (int i = 0; i < segments; ++i) {
    const float at = in_min + static_cast<float>(i) * step;
    const float value = f(at), middle = f(at + half), next = f(in_min + static_cast<float>(i + 1) * step);
    const float scaled = std::round(value * inverse);
    const float interpolated = std::round((next * inverse + scaled) / 2.0f);
    const float error = interpolated - std::round(middle * inverse);
    push(scaled - std::round(error / 2.0f));
  }
  push(std::round(f(in_max) * inverse));
}

}  // namespace

std::vector<std::uint8_t> softmax16_tables() {
  std::vector<std::uint8_t> table;
  table.reserve(std::size_t{2} * 513 * 2);
  const float out = 2.0f / 65535.0f;
  sample(table, 10.0f / 65535.0f, 32767, out, [](float x) { return std::exp(x); });
  sample(table, 1.0f / 65535.0f, -32768, out, [](float x) { return 1.0f / (1.0f + x); });
  return table;
}

bool derive_elu_table(Derivation& d) {
  const float in = scale_of(d.input()), inverse = 1.0f / scale_of(d.output());
  if (!std::isfinite(inverse) || !std::isfinite(in * 256.0f))
    return d.fail(fmt::format("scales {} and {} are beyond binary32", in, scale_of(d.output())));
  const std::int32_t in_zero = zero_of(d.input()), out_zero = zero_of(d.output());
  const ActivationRange all = type_range(d.output().type);
  add_lookup(d, [&](std::int32_t q) {
    const float v = in * static_cast<float>(q - in_zero);
    const float t = v < 0.0f ? std::expm1(v) : v;
    const float r = std::round(t * inverse) + static_cast<float>(out_zero);
    return std::clamp(r, static_cast<float>(all.min), static_cast<float>(all.max));
  });
  return true;
}

}  // namespace dse::nn
