#include "models/nn/quantizer/worst_case.h"

#include <algorithm>
#include <cmath>

#include "models/nn/quantizer/schemes.h"

namespace dse::nn::quantizer {

Range worst_case(const Operator& op, const Tensor& weights, const std::vector<float>& values,
                 const std::vector<float>& bias, Range in, int bits) {
  const ChannelLayout l = channel_layout(op, weights);
  std::vector<double> sums(l.channels);
  std::vector<double> largest(l.channels);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const double w = std::abs(static_cast<double>(values[e]));
    const std::size_t c = e / l.inner % l.channels;
    sums[c] += w, largest[c] = std::max(largest[c], w);
  }
  // Half a step of a weight is at most 2^-bits of the least power of two above the largest, or of one.
  const double taps = static_cast<double>(values.size()) / static_cast<double>(l.channels);
  const double most = in.largest(), all = *std::max_element(largest.begin(), largest.end());
  const double half_step = std::ldexp(std::max(1.0, 2 * all), -bits);
  double bound = 0;
  for (std::size_t c = 0; c < l.channels; ++c) {
    const double b = bias.empty() ? 0 : std::abs(static_cast<double>(bias[bias.size() == 1 ? 0 : c]));
    bound = std::max(bound, (sums[c] + taps * half_step) * most + b);
  }
  bound *= 1 + std::ldexp(1.0, 1 - bits);  // the bias in steps, and the store's rounding
  const Activation a = op.options.activation;
  const double low = a == Activation::relu || a == Activation::relu6 ? 0 : a == Activation::relu_n1_to_1 ? -1 : -bound;
  const double high = a == Activation::relu6 ? std::min(6.0, bound) : a == Activation::relu_n1_to_1 ? 1 : bound;
  return {std::max(low, -bound), std::min(high, bound)};
}

}  // namespace dse::nn::quantizer
