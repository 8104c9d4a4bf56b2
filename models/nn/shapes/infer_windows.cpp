// Shapes of operators that move a window over an image.
#include <fmt/format.h>

#include "models/nn/shapes/infer_shapes.h"
#include "models/nn/shapes/infer_shapes_internal.h"

namespace dse::nn {

std::int64_t window_extent(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                           std::int64_t pad_before, std::int64_t pad_after, bool ceil_mode) {
  const std::int64_t room = in + pad_before + pad_after - ((kernel - 1) * dilation + 1);
  if (room < 0) return 0;
  if (!ceil_mode) return room / stride + 1;
  const std::int64_t out = (room + stride - 1) / stride + 1;
  return (out - 1) * stride >= in + pad_before ? out - 1 : out;
}

namespace shapes {
namespace {

/// Positions of H, W and C in an image, and how many of them there are per layout.
struct Layout {
  std::size_t h, w, c;
};
Layout layout(const Inference& f) { return f.op.options.channels_first ? Layout{2, 3, 1} : Layout{1, 2, 3}; }

bool in_window_range(std::int64_t v) { return v >= 1 && v <= max_window; }

/// Strides, dilations, paddings and the kernel's extents.
bool check_window(Inference& f, std::int64_t kernel_h, std::int64_t kernel_w) {
  const auto& o = f.op.options;
  for (const std::int64_t v : {kernel_h, kernel_w, std::int64_t{o.stride_h}, std::int64_t{o.stride_w},
                               std::int64_t{o.dilation_h}, std::int64_t{o.dilation_w}})
    if (!in_window_range(v)) return f.fail(fmt::format("a kernel, stride or dilation of {}", v));
  if (o.explicit_padding)
    for (const int v : {o.pad_top, o.pad_left, o.pad_bottom, o.pad_right})
      if (v < 0 || v > max_window) return f.fail(fmt::format("a padding of {}", v));
  return true;
}

/// Output rows and columns of the window over `h` x `w` elements.
bool slide(Inference& f, std::int64_t h, std::int64_t w, std::int64_t kernel_h, std::int64_t kernel_w,
           std::int64_t& out_h, std::int64_t& out_w) {
  if (!check_window(f, kernel_h, kernel_w)) return false;
  const auto& o = f.op.options;
  if (o.same_padding && !o.explicit_padding) {
    out_h = (h + o.stride_h - 1) / o.stride_h;
    out_w = (w + o.stride_w - 1) / o.stride_w;
    return true;
  }
  const bool e = o.explicit_padding;
  out_h = window_extent(h, kernel_h, o.stride_h, o.dilation_h, e ? o.pad_top : 0, e ? o.pad_bottom : 0, o.ceil_mode);
  out_w = window_extent(w, kernel_w, o.stride_w, o.dilation_w, e ? o.pad_left : 0, e ? o.pad_right : 0, o.ceil_mode);
  if (out_h < 1 || out_w < 1)
    return f.fail(
        fmt::format("a kernel of {} x {} does not fit into {} x {} and its padding", kernel_h, kernel_w, h, w));
  return true;
}

std::vector<std::int64_t> image(const Inference& f, std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) {
  if (f.op.options.channels_first) return {n, c, h, w};
  return {n, h, w, c};
}

bool bias_fits(Inference& f, std::int64_t channels) {
  if (!f.has(2) || f.in(2) == std::vector<std::int64_t>{channels}) return true;
  return f.fail(fmt::format("bias has shape {}, not [{}]", text_of(f.in(2)), channels));
}

}  // namespace

bool convolution(Inference& f) {
  if (!f.rank_is(0, 4, "input") || !f.rank_is(1, 4, "weights")) return false;
  const auto &x = f.in(0), &w = f.in(1);
  const auto& o = f.op.options;
  const bool depthwise = f.op.kind == OperatorKind::depthwise_conv_2d;
  const Layout l = layout(f);
  const std::int64_t in_c = x[l.c];
  const bool last = !o.channels_first;
  const std::int64_t kernel_h = w[last ? 1 : 2], kernel_w = w[last ? 2 : 3];
  const std::int64_t out_c = w[depthwise && last ? 3 : 0];
  const std::int64_t per_group = depthwise ? w[last ? 0 : 1] : w[last ? 3 : 1];
  const std::int64_t groups = depthwise ? in_c : o.groups;
  if (groups < 1 || in_c % groups != 0 || out_c % groups != 0 || per_group != in_c / groups)
    return f.fail(fmt::format("weights {} in {} groups do not fit the input {}", text_of(w), groups, text_of(x)));
  std::int64_t h = 0, width = 0;
  if (!slide(f, x[l.h], x[l.w], kernel_h, kernel_w, h, width) || !bias_fits(f, out_c)) return false;
  return f.make(image(f, x[0], h, width, out_c));
}

bool circulant(Inference& f) {
  const bool conv = f.op.kind == OperatorKind::circulant_conv_2d;
  if (!f.rank_is(1, conv ? 5 : 3, "weights") || (conv && !f.rank_is(0, 4, "input"))) return false;
  const auto &x = f.in(0), &w = f.in(1), &known = f.known(0);
  if (f.op.options.channels_first) return f.fail("circulant layers are computed channels last");
  const std::int64_t b = f.op.options.block, rows = x.size() == 2 ? x[0] : 1;
  const std::int64_t in_c = conv ? x[3] : f.elements(x) / rows;
  const std::int64_t out_c = f.has(2) ? f.elements(f.in(2)) : known.empty() ? w[0] * b : known.back();
  const auto blocks = [&](std::int64_t channels) { return (channels + b - 1) / b; };
  if (b < 1 || w.back() != b || w[w.size() - 2] != blocks(in_c) || w[0] != blocks(out_c))
    return f.fail(fmt::format("weights {} are no blocks of {} for {} and {} channels", text_of(w), b, in_c, out_c));
  if (!conv) {
    if (known.empty()) return f.make({rows, out_c});
    if (f.elements(known) != rows * out_c || known.back() != out_c)
      return f.fail(fmt::format("output {} is not {} rows of {}", text_of(known), rows, out_c));
    return f.make(known);
  }
  std::int64_t h = 0, width = 0;
  if (!slide(f, x[1], x[2], w[1], w[2], h, width)) return false;
  return f.make({x[0], h, width, out_c});
}

bool transposed_convolution(Inference& f) {
  if (!f.rank_is(0, 4, "input") || !f.rank_is(1, 4, "weights")) return false;
  const auto &x = f.in(0), &w = f.in(1), &known = f.known(0);
  const auto& o = f.op.options;
  if (known.size() != 4 || f.elements(known) < 0)
    return f.fail(fmt::format("its output's shape {} is not that of an image", text_of(known)));
  const Layout l = layout(f);
  const bool last = !o.channels_first;
  const std::int64_t groups = o.groups, in_c = x[l.c], out_c = known[l.c];
  const std::int64_t weights_in = w[last ? 3 : 0], weights_out = w[last ? 0 : 1];
  const bool fits = groups >= 1 && in_c % groups == 0 && out_c % groups == 0 &&
                    (last ? weights_in == in_c / groups && weights_out == out_c
                          : weights_in == in_c && weights_out == out_c / groups);
  if (!fits)
    return f.fail(
        fmt::format("weights {} in {} groups do not fit {} and {}", text_of(w), groups, text_of(x), text_of(known)));
  // The forward convolution of the output must be of the input's extents.
  std::int64_t h = 0, width = 0;
  if (!slide(f, known[l.h], known[l.w], w[last ? 1 : 2], w[last ? 2 : 3], h, width) || !bias_fits(f, out_c))
    return false;
  if (known[0] != x[0] || h != x[l.h] || width != x[l.w])
    return f.fail(fmt::format("an output of {} does not belong to an input of {}", text_of(known), text_of(x)));
  return f.make(known);
}

bool pool(Inference& f) {
  if (!f.rank_is(0, 4, "input")) return false;
  const auto& x = f.in(0);
  const Layout l = layout(f);
  const auto& o = f.op.options;
  std::int64_t h = 0, w = 0;
  if (!slide(f, x[l.h], x[l.w], o.filter_h, o.filter_w, h, w)) return false;
  // A window that sees nothing but padding has no maximum and no average.
  const bool dilated = o.dilation_h != 1 || o.dilation_w != 1;
  if (o.explicit_padding && !dilated &&
      (o.pad_top >= o.filter_h || o.pad_left >= o.filter_w || o.pad_bottom >= o.filter_h || o.pad_right >= o.filter_w))
    return f.fail(fmt::format("a padding of {}, {}, {}, {} is not below the window of {} x {}", o.pad_top, o.pad_left,
                              o.pad_bottom, o.pad_right, o.filter_h, o.filter_w));
  return f.make(image(f, x[0], h, w, x[l.c]));
}

bool global_pool(Inference& f) {
  auto out = f.in(0);
  if (out.size() < 3) return f.fail(fmt::format("input {} is no image", text_of(out)));
  const std::size_t first = f.op.options.channels_first ? 2 : 1;
  const std::size_t end = f.op.options.channels_first ? out.size() : out.size() - 1;
  for (std::size_t i = first; i < end; ++i) out[i] = 1;
  return f.make(std::move(out));
}

bool resize(Inference& f) {
  if (!f.rank_is(0, 4, "input")) return false;
  const auto &x = f.in(0), &known = f.known(0);
  const Layout l = layout(f);
  if (known.size() != 4 || known[0] != x[0] || known[l.c] != x[l.c])
    return f.fail(fmt::format("{} cannot be resized to {}", text_of(x), text_of(known)));
  if (f.op.options.align_corners && f.op.options.half_pixel_centers)
    return f.fail("align_corners and half_pixel_centers exclude each other");
  return f.make(known);
}

}  // namespace shapes
}  // namespace dse::nn
