// Numbers of 16 bits in files.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

namespace dse::nn {

/// The value of a binary16, which binary32 holds exactly.
inline float float_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float sign = half >> 15 ? -1.0f : 1.0f;
  if (exponent == 31)
    return fraction ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  return sign * std::ldexp(static_cast<float>(exponent ? fraction + 1024 : fraction), (exponent ? exponent : 1) - 25);
}

}  // namespace dse::nn
