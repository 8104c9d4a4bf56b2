#include "models/nn/quantize.h"

#include <algorithm>
#include <cmath>

namespace dse::nn {

Multiplier quantize_multiplier(double real) {
  if (real == 0.0) return {};
  int shift = 0;
  const double q = std::frexp(real, &shift);
  auto m = static_cast<std::int64_t>(std::round(q * static_cast<double>(std::int64_t{1} << 31)));
  if (m == std::int64_t{1} << 31) {
    m /= 2;
    ++shift;
  }
  if (shift < -31) return {};
  return {static_cast<std::int32_t>(m), shift};
}

ActivationRange activation_range(Activation a, float scale, std::int32_t zero_point) {
  const auto quantized = [&](float f) {
    const float q = std::round(f / scale);
    // Scales below 6/2^31 saturate: the reference would overflow here.
    return static_cast<std::int32_t>(std::clamp(static_cast<double>(q), -1e9, 1e9)) + zero_point;
  };
  switch (a) {
    case Activation::relu:
      return {std::clamp(quantized(0.0f), -128, 127), 127};
    case Activation::relu6:
      return {std::clamp(quantized(0.0f), -128, 127), std::clamp(quantized(6.0f), -128, 127)};
    case Activation::relu_n1_to_1:
      return {std::clamp(quantized(-1.0f), -128, 127), std::clamp(quantized(1.0f), -128, 127)};
    case Activation::none:
      break;
  }
  return {-128, 127};
}

Window window(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation, bool same) {
  const std::int64_t effective = (kernel - 1) * dilation + 1;
  const std::int64_t room = in + stride - effective;
  const std::int64_t out = same ? (in + stride - 1) / stride : room < 0 ? 0 : room / stride;
  const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * stride + effective - in);
  return {out, total / 2};
}

}  // namespace dse::nn
