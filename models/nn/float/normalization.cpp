// Normalisations in float32, with sums in binary64.
#include <algorithm>
#include <cmath>

#include "models/nn/float/operands.h"

namespace dse::nn::floating {

void batch_normalization(Call& c) {
  const Around a = around(c.shape(), static_cast<std::int64_t>(channel_axis(c.o, c.shape().size())));
  const float *x = c.in(0), *scale = c.in(1), *bias = c.in(2), *mean = c.in(3), *variance = c.in(4);
  float* y = c.out();
  for (std::int64_t o = 0; o < a.outer; ++o)
    for (std::int64_t ch = 0; ch < a.extent; ++ch, x += a.inner, y += a.inner) {
      const double factor = static_cast<double>(scale[ch]) /
                            std::sqrt(static_cast<double>(variance[ch]) + static_cast<double>(c.o.epsilon));
      const double offset = static_cast<double>(bias[ch]) - factor * static_cast<double>(mean[ch]);
      for (std::int64_t i = 0; i < a.inner; ++i) y[i] = static_cast<float>(factor * static_cast<double>(x[i]) + offset);
    }
  c.activate();
}

void softmax(Call& c) {
  const Around a = around(c.shape(), static_cast<std::int64_t>(softmax_axis(c.op, c.shape().size())));
  const bool log = c.op.kind == OperatorKind::log_softmax;
  const float* x = c.in();
  float* y = c.out();
  for (std::int64_t o = 0; o < a.outer; ++o)
    for (std::int64_t i = 0; i < a.inner; ++i) {
      const auto at = [&](std::int64_t e) { return (o * a.extent + e) * a.inner + i; };
      double largest = static_cast<double>(x[at(0)]), sum = 0;
      for (std::int64_t e = 1; e < a.extent; ++e) largest = std::max(largest, static_cast<double>(x[at(e)]));
      const auto shifted = [&](std::int64_t e) {
        return (static_cast<double>(x[at(e)]) - largest) * (log ? 1.0 : static_cast<double>(c.o.beta));
      };
      for (std::int64_t e = 0; e < a.extent; ++e) sum += std::exp(shifted(e));
      for (std::int64_t e = 0; e < a.extent; ++e)
        y[at(e)] = static_cast<float>(log ? shifted(e) - std::log(sum) : std::exp(shifted(e)) / sum);
    }
}

void lrn(Call& c) {
  const Around a = around(c.shape(), static_cast<std::int64_t>(channel_axis(c.o, c.shape().size())));
  const float* x = c.in();
  float* y = c.out();
  // ONNX: channels c - floor((size - 1) / 2) to c + ceil((size - 1) / 2).
  const std::int64_t before = (c.o.size - 1) / 2, after = c.o.size / 2;
  for (std::int64_t o = 0; o < a.outer; ++o)
    for (std::int64_t ch = 0; ch < a.extent; ++ch)
      for (std::int64_t i = 0; i < a.inner; ++i) {
        const auto at = [&](std::int64_t e) { return (o * a.extent + e) * a.inner + i; };
        double squares = 0;
        for (std::int64_t e = std::max<std::int64_t>(0, ch - before); e <= std::min(a.extent - 1, ch + after); ++e)
          squares += static_cast<double>(x[at(e)]) * static_cast<double>(x[at(e)]);
        const double base =
            static_cast<double>(c.o.bias) + static_cast<double>(c.o.alpha) / static_cast<double>(c.o.size) * squares;
        y[at(ch)] = static_cast<float>(static_cast<double>(x[at(ch)]) / std::pow(base, static_cast<double>(c.o.beta)));
      }
}

void l2_normalization(Call& c) {
  const std::int64_t channels = c.shape().back();
  const float* x = c.in();
  float* y = c.out();
  for (std::int64_t row = 0; row < c.out_size() / channels; ++row, x += channels, y += channels) {
    double squares = 0;
    for (std::int64_t i = 0; i < channels; ++i) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    // TensorFlow Lite's guard against division by zero.
    const double norm = std::max(std::sqrt(squares), 1e-6);
    for (std::int64_t i = 0; i < channels; ++i) y[i] = static_cast<float>(static_cast<double>(x[i]) / norm);
  }
  c.activate();
}

}  // namespace dse::nn::floating
