// Pools in float32.
#include <algorithm>
#include <limits>

#include "models/nn/float/operands.h"

namespace dse::nn::floating {
namespace {

/// Taps of one dimension whose input index lies in [lo, hi): [first, last) and their distance in the input.
struct Taps {
  std::int64_t origin, first, last;
};
Taps taps(std::int64_t out, std::int64_t stride, std::int64_t dilation, std::int64_t kernel, std::int64_t pad,
          std::int64_t lo, std::int64_t hi) {
  const std::int64_t origin = out * stride - pad;
  const std::int64_t first = origin < lo ? (lo - origin + dilation - 1) / dilation : 0;
  const std::int64_t last = hi <= origin ? 0 : (hi - origin + dilation - 1) / dilation;
  return {origin, first, std::min(last, kernel)};
}

}  // namespace

void pool(Call& c) {
  const Geometry g = geometry(c.o, c.shape(), c.out_shape(), c.o.filter_h, c.o.filter_w);
  const bool average = c.op.kind == OperatorKind::average_pool_2d;
  const float* x = c.in();
  float* y = c.out();
  for (std::int64_t n = 0; n < g.batch; ++n, x += g.in_h * g.in_w * g.in_c, y += g.out_h * g.out_w * g.out_c)
    for (std::int64_t oy = 0; oy < g.out_h; ++oy)
      for (std::int64_t ox = 0; ox < g.out_w; ++ox) {
        const Taps h = taps(oy, g.stride_h, g.dilation_h, g.kernel_h, g.pad_top, 0, g.in_h);
        const Taps w = taps(ox, g.stride_w, g.dilation_w, g.kernel_w, g.pad_left, 0, g.in_w);
        std::int64_t count = std::max<std::int64_t>(0, h.last - h.first) * std::max<std::int64_t>(0, w.last - w.first);
        if (c.o.count_include_pad) {  // what lies beyond the padding (ceil_mode) does not count
          const Taps ph = taps(oy, g.stride_h, g.dilation_h, g.kernel_h, g.pad_top, -g.pad_top, g.in_h + g.pad_bottom);
          const Taps pw = taps(ox, g.stride_w, g.dilation_w, g.kernel_w, g.pad_left, -g.pad_left, g.in_w + g.pad_right);
          count = std::max<std::int64_t>(0, ph.last - ph.first) * std::max<std::int64_t>(0, pw.last - pw.first);
        }
        for (std::int64_t ch = 0; ch < g.out_c; ++ch) {
          double sum = 0;
          float best = -std::numeric_limits<float>::infinity();
          for (std::int64_t ky = h.first; ky < h.last; ++ky)
            for (std::int64_t kx = w.first; kx < w.last; ++kx) {
              const float v = x[g.in_index(h.origin + ky * g.dilation_h, w.origin + kx * g.dilation_w, ch)];
              sum += static_cast<double>(v);
              best = std::max(best, v);
            }
          y[g.out_index(oy, ox, ch)] = !average ? best
                                       : count  ? static_cast<float>(sum / static_cast<double>(count))
                                                : 0.0f;
        }
      }
  c.activate();
}

void global_pool(Call& c) {
  const Shape& s = c.shape();
  const std::int64_t channels = s[channel_axis(c.o, s.size())], pixels = c.size() / s[0] / channels;
  const bool average = c.op.kind == OperatorKind::global_average_pool;
  const float* x = c.in();
  float* y = c.out();
  for (std::int64_t n = 0; n < s[0]; ++n, x += channels * pixels)
    for (std::int64_t ch = 0; ch < channels; ++ch) {
      double sum = 0;
      float best = -std::numeric_limits<float>::infinity();
      for (std::int64_t p = 0; p < pixels; ++p) {
        const float v = c.o.channels_first ? x[ch * pixels + p] : x[p * channels + ch];
        sum += static_cast<double>(v);
        best = std::max(best, v);
      }
      y[n * channels + ch] = average ? static_cast<float>(sum / static_cast<double>(pixels)) : best;
    }
  c.activate();
}

}  // namespace dse::nn::floating
