// What lies under the window of a convolution.
#pragma once
#include <algorithm>

#include "models/nn/float/operands.h"

namespace dse::nn::floating {

/// One input element of a patch, 0 outside of the image.
template <class T>
struct Patches {
  const Geometry& g;
  const T* image;
  std::int64_t first_channel, channels;

  /// Input row (column) of an output row (column) and tap, -1 outside.
  std::int64_t row(std::int64_t y, std::int64_t ky) const {
    const std::int64_t r = y * g.stride_h + ky * g.dilation_h - g.pad_top;
    return r < g.in_h ? std::max<std::int64_t>(r, -1) : -1;
  }
  std::int64_t column(std::int64_t x, std::int64_t kx) const {
    const std::int64_t r = x * g.stride_w + kx * g.dilation_w - g.pad_left;
    return r < g.in_w ? std::max<std::int64_t>(r, -1) : -1;
  }

  /// Channels last: a row per output pixel, [tap][channel].
  void rows(std::int64_t first, std::int64_t count, T* to) const {
    for (std::int64_t p = first; p < first + count; ++p) {
      const std::int64_t out_y = p / g.out_w, out_x = p % g.out_w;
      for (std::int64_t ky = 0; ky < g.kernel_h; ++ky)
        for (std::int64_t kx = 0; kx < g.kernel_w; ++kx, to += channels) {
          const std::int64_t y = row(out_y, ky), x = column(out_x, kx);
          if (y < 0 || x < 0)
            std::fill_n(to, channels, T{});
          else
            std::copy_n(image + g.in_index(y, x, first_channel), channels, to);
        }
    }
  }
  /// Channels first: a row per [channel][tap], one element per output pixel.
  void columns(std::int64_t first, std::int64_t count, T* to) const {
    for (std::int64_t c = first_channel; c < first_channel + channels; ++c)
      for (std::int64_t ky = 0; ky < g.kernel_h; ++ky)
        for (std::int64_t kx = 0; kx < g.kernel_w; ++kx)
          for (std::int64_t p = first; p < first + count; ++p, ++to) {
            const std::int64_t y = row(p / g.out_w, ky), x = column(p % g.out_w, kx);
            *to = y < 0 || x < 0 ? T{} : image[g.in_index(y, x, c)];
          }
  }
};

}  // namespace dse::nn::floating
