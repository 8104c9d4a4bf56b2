// Operators that move elements, in float32.
#include <algorithm>
#include <cmath>

#include "models/nn/float/operands.h"

namespace dse::nn::floating {

void copy(Call& c) {
  const float* x = c.in();
  std::copy_n(x, c.out_size(), c.out());
}

void concatenation(Call& c) {
  const bool pack = c.op.kind == OperatorKind::pack;
  const Around out = around(c.out_shape(), c.o.axis);
  const std::int64_t row = out.extent * out.inner;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < c.op.inputs.size(); ++i) {
    const std::int64_t part = pack ? out.inner : c.shape(i)[static_cast<std::size_t>(c.o.axis)] * out.inner;
    const float* x = c.in(i);
    for (std::int64_t o = 0; o < out.outer; ++o) std::copy_n(x + o * part, part, c.out() + o * row + offset);
    offset += part;
  }
  c.activate();
}

void split(Call& c) {
  const bool unpack = c.op.kind == OperatorKind::unpack;
  const Around in = around(c.shape(), c.o.axis);
  const float* x = c.in();
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < c.op.outputs.size(); ++i) {
    const std::int64_t part = unpack ? in.inner : c.out_shape(i)[static_cast<std::size_t>(c.o.axis)] * in.inner;
    for (std::int64_t o = 0; o < in.outer; ++o)
      std::copy_n(x + o * in.extent * in.inner + offset, part, c.out(i) + o * part);
    offset += part;
  }
}

void transpose(Call& c) {
  const Shape own = strides_of(c.shape());
  Shape strides(own.size());
  for (std::size_t d = 0; d < own.size(); ++d) strides[d] = own[static_cast<std::size_t>(c.o.permutation[d])];
  Walk walk(c.out_shape(), strides);
  const float* x = c.in();
  float* y = c.out();
  for (std::int64_t i = 0, n = c.out_size(); i < n; ++i, walk.next()) y[i] = x[walk.a];
}

void slice(Call& c) {
  Shape strides = strides_of(c.shape()), counts(strides.size());
  std::int64_t origin = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const std::int64_t step = c.o.strides.empty() ? 1 : c.o.strides[d];
    counts[d] = slice_count(c.o.begin[d], c.o.end[d], step);
    origin += c.o.begin[d] * strides[d];
    strides[d] *= step;
  }
  Walk walk(counts, strides);
  const float* x = c.in();
  float* y = c.out();
  for (std::int64_t i = 0, n = c.out_size(); i < n; ++i, walk.next()) y[i] = x[origin + walk.a];
}

void pad(Call& c) {
  const Shape &in = c.shape(), &out = c.out_shape(), strides = strides_of(in);
  const bool mirror = c.op.kind == OperatorKind::mirror_pad;
  const float fill = mirror ? 0.0f : c.has(1) ? c.in(1)[0] : c.o.clip_min;
  const float* x = c.in();
  float* y = c.out();
  Shape index(out.size());
  for (std::int64_t i = 0, n = c.out_size(); i < n; ++i) {
    std::int64_t from = 0;
    bool inside = true;
    for (std::size_t d = 0; d < out.size(); ++d) {
      std::int64_t at = index[d] - c.o.pad_before[d];
      const std::int64_t edge = c.o.mirror_symmetric ? 1 : 0;
      if (mirror && at < 0) at = -at - edge;
      if (mirror && at >= in[d]) at = 2 * in[d] - 2 - at + edge;
      inside = inside && at >= 0 && at < in[d];
      from += at * strides[d];
    }
    y[i] = inside ? x[from] : fill;
    for (std::size_t d = out.size(); d-- > 0 && ++index[d] == out[d];) index[d] = 0;
  }
}

void resize(Call& c) {
  const Geometry g = geometry(c.o, c.shape(), c.out_shape(), 1, 1);
  const bool half = c.o.half_pixel_centers, nearest = c.op.kind == OperatorKind::resize_nearest_neighbor;
  const auto scale = [&](std::int64_t in, std::int64_t out) {
    return c.o.align_corners && out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1)
                                        : static_cast<double>(in) / static_cast<double>(out);
  };
  const double scale_h = scale(g.in_h, g.out_h), scale_w = scale(g.in_w, g.out_w);
  /// The two input indices around an output index, and the weight of the second.
  struct Source {
    std::int64_t lower, upper;
    double weight;
  };
  const auto source = [&](std::int64_t out, double s, std::int64_t in) -> Source {
    const double at = static_cast<double>(out) + (half ? 0.5 : 0.0);
    if (nearest) {
      const double v = c.o.align_corners ? std::round(at * s) : std::floor(at * s);
      const auto i = std::clamp<std::int64_t>(static_cast<std::int64_t>(v), 0, in - 1);
      return {i, i, 0};
    }
    const double v = at * s - (half ? 0.5 : 0.0);
    const auto floor = static_cast<std::int64_t>(std::floor(v));
    return {std::clamp<std::int64_t>(floor, 0, in - 1), std::clamp<std::int64_t>(floor + 1, 0, in - 1),
            v - std::floor(v)};
  };
  const float* x = c.in();
  float* y = c.out();
  for (std::int64_t n = 0; n < g.batch; ++n, x += g.in_h * g.in_w * g.in_c, y += g.out_h * g.out_w * g.out_c)
    for (std::int64_t oy = 0; oy < g.out_h; ++oy)
      for (std::int64_t ox = 0; ox < g.out_w; ++ox) {
        const Source h = source(oy, scale_h, g.in_h), w = source(ox, scale_w, g.in_w);
        for (std::int64_t ch = 0; ch < g.out_c; ++ch) {
          const auto at = [&](std::int64_t iy, std::int64_t ix) {
            return static_cast<double>(x[g.in_index(iy, ix, ch)]);
          };
          const double upper = at(h.lower, w.lower) * (1 - w.weight) + at(h.lower, w.upper) * w.weight;
          const double lower = at(h.upper, w.lower) * (1 - w.weight) + at(h.upper, w.upper) * w.weight;
          y[g.out_index(oy, ox, ch)] = static_cast<float>(upper * (1 - h.weight) + lower * h.weight);
        }
      }
}

}  // namespace dse::nn::floating
