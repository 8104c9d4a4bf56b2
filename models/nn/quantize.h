// Real scales to fixed-point parameters, by TensorFlow Lite's rules. All sums and products are IEEE binary64 unless
// named float.
#pragma once
#include <cstdint>

#include "models/nn/network.h"

namespace dse::nn {

/// real = multiplier / 2^31 * 2^shift with multiplier in [2^30, 2^31), or (0, 0).
struct Multiplier {
  std::int32_t multiplier = 0;
  std::int32_t shift = 0;
};

/// @param real finite, >= 0. Below 2^-32 it is flushed to (0, 0). Shifts above 30 are for the caller to refuse.
Multiplier quantize_multiplier(double real);

/// The clamp of an output for a fused activation, within the limits of the output's type.
struct ActivationRange {
  std::int32_t min, max;
};
/// Least and greatest value of an integer type of at most 32 bits (others: as int32).
ActivationRange type_range(DataType type);
/// @param rounding onnx: limits are rounded half to even; else half away from zero.
ActivationRange activation_range(Activation a, float scale, std::int32_t zero_point, DataType type = DataType::int8,
                                 Rounding rounding = Rounding::tflite);

/// Output extent and leading padding of one dimension of a window.
struct Window {
  std::int64_t out, pad_before;
};
/// @param in, kernel, stride, dilation all >= 1. `out` <= 0: the window does not fit.
Window window(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation, bool same);

}  // namespace dse::nn
