// The two schemes: how ranges become scales, and real constants integers.
#pragma once
#include <vector>

#include "models/nn/quantizer/quantizer.h"

namespace dse::nn::quantizer {

/// A weight tensor or its like in integers.
struct EncodedWeights {
  Tensor tensor;
  std::string format;
  Fidelity fidelity;
};

/// Output channels and where they lie in the weights of an operator: element e belongs to channel (e / inner) %
/// channels.
struct ChannelLayout {
  std::size_t channels, inner;
  int axis;
};
ChannelLayout channel_layout(const Operator& op, const Tensor& weights);

/// @name tflite-int8
/// Asymmetric int8 for a range, widened to hold 0, with the zero point nudged to an integer.
Quantization affine_quantization(Range range);
/// Symmetric int8 in [-127, 127]. `least_scales`: per channel, what the scale must not go below (0: nothing).
EncodedWeights affine_weights(const Operator& op, const Tensor& weights, const std::vector<float>& values,
                              const QuantizeOptions& options, const std::vector<double>& least_scales);
/// int32 at scale s_in * s_w.
Tensor affine_bias(const Operator& op, const Tensor& bias, const std::vector<float>& values, float in_scale,
                   const Quantization& weights);

/// @name q-format
/// Scale 2^-n and zero point 0.
Quantization q_quantization(const QFormat& format);
/// Weights divided by a factor per layer or channel until they are fully fractional, then encoded.
EncodedWeights q_weights(const Operator& op, const Tensor& weights, const std::vector<float>& values, int bits,
                         const QuantizeOptions& options);
/// round((bias / factor) * 2^(n_x + n_w)), half away from zero, cut to int32, or int64 where `wide`.
Tensor q_bias(const Operator& op, const Tensor& bias, const std::vector<float>& values, double in_scale,
              const Quantization& weights, bool wide);

/// Writes integers of the tensor's type.
void put(Tensor& t, std::size_t element, std::int64_t value);

}  // namespace dse::nn::quantizer
