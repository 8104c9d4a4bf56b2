#include "models/nn/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

ActivationRange type_range(DataType type) {
  switch (type) {
    case DataType::int8:
      return {-128, 127};
    case DataType::uint8:
    case DataType::boolean:
      return {0, 255};
    case DataType::int16:
      return {-32768, 32767};
    default:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  }
}

ActivationRange activation_range(Activation a, float scale, std::int32_t zero_point, DataType type, Rounding rounding) {
  const ActivationRange all = type_range(type);
  const auto quantized = [&](float f) {
    const float q = rounding == Rounding::onnx ? std::nearbyint(f / scale) : std::round(f / scale);
    // Scales below 6/2^31 saturate: the reference would overflow here.
    const double v = std::clamp(static_cast<double>(q), -1e9, 1e9) + zero_point;
    return static_cast<std::int32_t>(std::clamp(v, static_cast<double>(all.min), static_cast<double>(all.max)));
  };
  switch (a) {
    case Activation::relu:
      return {quantized(0.0f), all.max};
    case Activation::relu6:
      return {quantized(0.0f), quantized(6.0f)};
    case Activation::relu_n1_to_1:
      return {quantized(-1.0f), quantized(1.0f)};
    case Activation::none:
      break;
  }
  return all;
}

Window window(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation, bool same) {
  const std::int64_t effective = (kernel - 1) * dilation + 1;
  const std::int64_t room = in + stride - effective;
  const std::int64_t out = same ? (in + stride - 1) / stride : room < 0 ? 0 : room / stride;
  const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * stride + effective - in);
  return {out, total / 2};
}

}  // namespace dse::nn
