// Convolutions in float32: patches are gathered into blocks of a matrix of modest size, which is multiplied by the
// weights.
#include <Eigen/Core>
#include <algorithm>

#include "models/nn/float/patches.h"

namespace dse::nn::floating {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<Eigen::Dynamic>;

constexpr std::int64_t block_elements = 1 << 20;  // 4 MB of gathered patches at a time

void by_matrix_product(const Geometry& g, std::int64_t groups, const float* x, const float* w, float* y) {
  const std::int64_t in_c = g.in_c / groups, out_c = g.out_c / groups, pixels = g.out_h * g.out_w;
  const std::int64_t depth = g.kernel_h * g.kernel_w * in_c;
  const std::int64_t block = std::clamp<std::int64_t>(block_elements / depth, 16, std::max<std::int64_t>(pixels, 16));
  std::vector<float> patches(static_cast<std::size_t>(std::min(block, pixels) * depth));
  for (std::int64_t n = 0; n < g.batch; ++n)
    for (std::int64_t group = 0; group < groups; ++group) {
      const Patches<float> p{g, x + n * g.in_h * g.in_w * g.in_c, group * in_c, in_c};
      float* image = y + n * pixels * g.out_c;
      const Eigen::Map<const RowMajor> filters(w + group * out_c * depth, out_c, depth);
      for (std::int64_t first = 0; first < pixels; first += block) {
        const std::int64_t count = std::min(block, pixels - first);
        if (g.first) {
          p.columns(first, count, patches.data());
          Eigen::Map<RowMajor, 0, Stride> out(image + group * out_c * pixels + first, out_c, count, Stride(pixels));
          out.noalias() = filters * Eigen::Map<const RowMajor>(patches.data(), depth, count);
        } else {
          p.rows(first, count, patches.data());
          Eigen::Map<RowMajor, 0, Stride> out(image + first * g.out_c + group * out_c, count, out_c, Stride(g.out_c));
          out.noalias() = Eigen::Map<const RowMajor>(patches.data(), count, depth) * filters.transpose();
        }
      }
    }
}

/// Every output channel reads one input channel. `tap_stride`, `channel_stride` address the weights.
void depthwise(const Geometry& g, const float* x, const float* w, std::int64_t tap_stride, std::int64_t channel_stride,
               float* y) {
  const std::int64_t multiplier = g.out_c / g.in_c;
  const Patches<float> p{g, nullptr, 0, 0};
  for (std::int64_t n = 0; n < g.batch; ++n, x += g.in_h * g.in_w * g.in_c, y += g.out_h * g.out_w * g.out_c)
    for (std::int64_t oy = 0; oy < g.out_h; ++oy)
      for (std::int64_t ox = 0; ox < g.out_w; ++ox)
        for (std::int64_t ky = 0; ky < g.kernel_h; ++ky)
          for (std::int64_t kx = 0; kx < g.kernel_w; ++kx) {
            const std::int64_t iy = p.row(oy, ky), ix = p.column(ox, kx);
            if (iy < 0 || ix < 0) continue;
            const float* tap = w + (ky * g.kernel_w + kx) * tap_stride;
            for (std::int64_t c = 0; c < g.out_c; ++c)
              y[g.out_index(oy, ox, c)] += x[g.in_index(iy, ix, c / multiplier)] * tap[c * channel_stride];
          }
}

void add_bias(Call& c, const Geometry& g) {
  if (!c.has(2)) return;
  const float* bias = c.in(2);
  float* y = c.out();
  const std::int64_t pixels = g.out_h * g.out_w;
  for (std::int64_t i = 0, n = c.out_size(); i < n; ++i) y[i] += bias[(g.first ? i / pixels : i) % g.out_c];
}

}  // namespace

void convolution(Call& c) {
  const Kernel k = kernel_of(c.op, c.shape(1));
  const Geometry g = geometry(c.o, c.shape(), c.out_shape(), k.h, k.w);
  const bool of_one = c.op.kind == OperatorKind::depthwise_conv_2d;
  std::fill_n(c.out(), c.out_size(), 0.0f);
  if (of_one && !g.first)
    depthwise(g, c.in(), c.in(1), g.out_c, 1, c.out());
  else if (of_one || (c.o.groups > 1 && c.o.groups == g.in_c))
    depthwise(g, c.in(), c.in(1), 1, k.h * k.w, c.out());
  else
    by_matrix_product(g, c.o.groups, c.in(), c.in(1), c.out());
  add_bias(c, g);
  c.activate();
}

void transposed_convolution(Call& c) {
  const Kernel k = kernel_of(c.op, c.shape(1));
  const Geometry g = geometry(c.o, c.shape(), c.out_shape(), k.h, k.w, true);
  const std::int64_t groups = c.o.groups, in_c = g.in_c / groups, out_c = g.out_c / groups;
  const float *x = c.in(), *w = c.in(1);
  float* y = c.out();
  std::fill_n(y, c.out_size(), 0.0f);
  // Weights: [in][out of its group][tap], or [out][tap][in of its group].
  const auto weight = [&](std::int64_t i, std::int64_t o, std::int64_t tap) {
    return g.first ? w[((i * out_c) + o % out_c) * k.h * k.w + tap] : w[(o * k.h * k.w + tap) * in_c + i % in_c];
  };
  for (std::int64_t n = 0; n < g.batch; ++n, x += g.in_h * g.in_w * g.in_c, y += g.out_h * g.out_w * g.out_c)
    for (std::int64_t iy = 0; iy < g.in_h; ++iy)
      for (std::int64_t ix = 0; ix < g.in_w; ++ix)
        for (std::int64_t tap = 0; tap < k.h * k.w; ++tap) {
          const std::int64_t oy = iy * g.stride_h + tap / k.w * g.dilation_h - g.pad_top;
          const std::int64_t ox = ix * g.stride_w + tap % k.w * g.dilation_w - g.pad_left;
          if (oy < 0 || oy >= g.out_h || ox < 0 || ox >= g.out_w) continue;
          for (std::int64_t o = 0; o < g.out_c; ++o) {
            float sum = 0;
            const std::int64_t from = o / out_c * in_c;
            for (std::int64_t i = from; i < from + in_c; ++i) sum += x[g.in_index(iy, ix, i)] * weight(i, o, tap);
            y[g.out_index(oy, ox, o)] += sum;
          }
        }
  add_bias(c, g);
  c.activate();
}

}  // namespace dse::nn::floating
