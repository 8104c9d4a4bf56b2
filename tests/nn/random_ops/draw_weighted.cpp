// Convolutions, fully connected layers, matrix products.
#include <algorithm>
#include <cmath>

#include "cases.h"

namespace dse::nn::random_ops {
namespace {

/// Types of one weighted operator. Biases of int16 networks are 64 bits wide, or 32.
struct Types {
  Type x, w, bias, y;
};

Types types(Draw& d, const std::string& kind) {
  if (d.mode == Mode::qformat) {
    // 8 or 16 bits, weights and activations separately.
    const Type x = d.one_of({Type::i8, Type::i8, Type::i16}), w = d.chance(75) ? x : d.one_of({Type::i8, Type::i16});
    const bool wide = x == Type::i16 || w == Type::i16;
    return {x, w, wide ? Type::i64 : Type::i32, d.chance(75) ? x : d.one_of({Type::i8, Type::i16})};
  }
  if (d.mode == Mode::onnx) {
    const Type t = d.one_of({Type::i8, Type::u8});
    return {t, d.one_of({Type::i8, Type::u8}), Type::i32, t};
  }
  if (d.chance(30) && kind != "TRANSPOSE_CONV") {
    const bool narrow = kind == "CONV_2D" && d.chance(30);
    return {Type::i16, Type::i8, narrow ? Type::i32 : Type::i64, Type::i16};
  }
  if (d.chance(20) && (kind == "CONV_2D" || kind == "DEPTHWISE_CONV_2D"))
    return {Type::u8, Type::u8, Type::i32, Type::u8};
  return {Type::i8, Type::i8, Type::i32, Type::i8};
}

Tensor weights(Draw& d, Shape shape, Type type, int channel_axis, bool per_channel) {
  Tensor w = d.tensor(std::move(shape), type, 0.01f);
  const bool zero = d.mode == Mode::onnx || type == Type::u8;
  if (!zero) w.zero = {0};
  w.axis = channel_axis;
  if (!per_channel) return w;
  const auto base = w.scale[0];
  w.scale.clear(), w.zero.clear();
  for (std::int64_t c = 0; c < w.shape[static_cast<std::size_t>(channel_axis)]; ++c) {
    w.scale.push_back(d.scale(base));
    w.zero.push_back(zero ? d.zero(type) : 0);
  }
  return w;
}

/// Adds weights, bias and output, their scales such that the output uses its range, and Q formats' correction.
void complete(Draw& d, Case& c, const Types& t, Argument x, Tensor w, const Shape& out, std::int64_t taps) {
  const std::int64_t channels = out.back();
  const float rows = static_cast<float>(std::max<std::int64_t>(1, taps));
  const float typical = x.tensor.s() * w.scale[0] * std::sqrt(rows) * 5000 * (t.x == Type::i16 ? 256.0f : 1.0f) *
                        (t.w == Type::i16 ? 256.0f : 1.0f);
  Tensor y = d.tensor(out, t.y, typical / 60);
  if (w.scale.size() == 1 && d.mode != Mode::qformat && d.chance(3))
    y.scale[0] = d.scale(typical / 1e6f);  // multiplier > 1
  Argument bias = d.absent();
  if (d.chance(75)) {
    Tensor b;
    b.shape = {channels}, b.type = t.bias;
    b.axis = 0;
    for (const auto s : w.scale) b.scale.push_back(x.tensor.s() * s), b.zero.push_back(0);
    // The largest bias that keeps every sum inside 32 bits, in a third of the cases.
    const std::int64_t span = t.x == Type::i16 || t.w == Type::i16 ? 65536 : 256, most = taps * span * 256;
    const std::int64_t room = t.bias == Type::i64 ? std::int64_t{1} << 36 : (std::int64_t{1} << 31) - 1 - most;
    const std::int64_t reach =
        d.chance(33) && room > 0 ? room : std::min<std::int64_t>(20000, std::max<std::int64_t>(room, 1));
    for (std::int64_t i = 0; i < channels; ++i)
      b.q.push_back(d.chance(10) ? (d.chance(50) ? reach : -reach) : d.in(-reach, reach));
    bias = d.constant(b);
  }
  if (d.mode == Mode::qformat) {
    c.o.correct_then_round = d.chance(50);
    if (d.chance(60))
      for (std::int64_t i = 0; i < channels; ++i) c.o.correction.push_back(d.chance(30) ? 1 : d.in(1, 20));
  }
  c.in = {std::move(x), d.constant(std::move(w)), std::move(bias)};
  c.out = {std::move(y)};
  c.o.activation = d.activation();
}

oracle::Padding padding(Draw& d) {
  using oracle::Padding;
  return d.one_of({Padding::same, Padding::valid, Padding::given});
}

void convolution(Draw& d, Case& c, bool depthwise) {
  const Types t = types(d, c.kind);
  c.o.padding = padding(d);
  std::int64_t groups = depthwise ? 1 : d.chance(25) ? d.in(2, 3) : 1;
  Shape x = d.image();
  if (!depthwise) x[3] = groups * d.in(1, 6);
  // Beyond the blocks that kernels work in: long patches, many filters, wide rows.
  const bool long_patch = d.chance(6), many = d.chance(8);
  if (long_patch) x[3] = groups * d.in(20, 70);
  if (d.chance(6)) x[2] = d.in(9, 24);
  const WindowAxis h = draw_axis(d, x[1], c.o.padding, true), w = draw_axis(d, x[2], c.o.padding, true);
  c.o.stride_h = h.stride, c.o.stride_w = w.stride, c.o.dilation_h = h.dilation, c.o.dilation_w = w.dilation;
  c.o.pad_top = h.before, c.o.pad_bottom = h.after, c.o.pad_left = w.before, c.o.pad_right = w.after;
  c.o.depth_multiplier = depthwise ? d.small(1, 3) : 1;
  const std::int64_t out_c = depthwise ? x[3] * c.o.depth_multiplier : groups * (many ? d.in(15, 40) : d.in(1, 5));
  const bool per_channel =
      d.mode != Mode::qformat && t.x != Type::u8 ? d.chance(70) : d.mode == Mode::onnx && d.chance(50);
  const Shape filter =
      depthwise ? Shape{1, h.kernel, w.kernel, out_c} : Shape{out_c, h.kernel, w.kernel, x[3] / groups};
  const std::int64_t taps = std::int64_t{h.kernel} * w.kernel * (depthwise ? 1 : x[3] / groups);
  complete(d, c, t, d.input(d.tensor(x, t.x)), weights(d, filter, t.w, depthwise ? 3 : 0, per_channel),
           {x[0], h.out, w.out, out_c}, taps);
}

void fully_connected(Draw& d, Case& c) {
  const Types t = types(d, c.kind);
  const std::int64_t rows = d.chance(50) ? 1 : d.in(2, 6), depth = d.chance(6) ? d.in(50, 400) : d.in(1, 24),
                     units = d.chance(8) ? d.in(15, 40) : d.in(1, 14);
  const bool per_channel = d.mode != Mode::qformat && d.chance(40);
  complete(d, c, t, d.input(d.tensor({rows, depth}, t.x)), weights(d, {units, depth}, t.w, 0, per_channel),
           {rows, units}, depth);
}

void transpose_convolution(Draw& d, Case& c) {
  const Types t = types(d, c.kind);
  c.o.padding = d.one_of({oracle::Padding::same, oracle::Padding::valid});
  Shape x = d.image();
  if (d.chance(4)) x[3] = d.in(20, 70);
  const bool same = c.o.padding == oracle::Padding::same;
  c.o.stride_h = d.small(1, 3), c.o.stride_w = d.small(1, 3);
  const std::int64_t kh = d.in(1, 4), kw = d.in(1, 4), out_c = d.chance(4) ? d.in(15, 24) : d.in(1, 5);
  const auto extent = [&](std::int64_t in, int stride, std::int64_t kernel) {
    if (same) return (in - 1) * stride + d.in(1, stride);
    return (in - 1) * stride + std::max<std::int64_t>(kernel, stride);
  };
  const Shape out = {x[0], extent(x[1], c.o.stride_h, kh), extent(x[2], c.o.stride_w, kw), out_c};
  const bool per_channel = d.mode != Mode::qformat && d.chance(70);
  complete(d, c, t, d.input(d.tensor(x, t.x)), weights(d, {out_c, kh, kw, x[3]}, t.w, 0, per_channel), out,
           kh * kw * x[3]);
  // TFLite's order: output shape, weights, activations, bias.
  std::swap(c.in[0], c.in[1]);
  c.in.insert(c.in.begin(), d.integers(out));
}

void batch_matmul(Draw& d, Case& c) {
  const std::int64_t rows = d.chance(8) ? d.in(7, 20) : d.in(1, 6), depth = d.chance(6) ? d.in(50, 400) : d.in(1, 16),
                     columns = d.chance(8) ? d.in(7, 40) : d.in(1, 6), batch = d.in(1, 3);
  c.o.adj_x = d.chance(30), c.o.adj_y = d.chance(50);
  const Shape a = c.o.adj_x ? Shape{batch, depth, rows} : Shape{batch, rows, depth};
  const Shape b = c.o.adj_y ? Shape{batch, columns, depth} : Shape{batch, depth, columns};
  Argument u = d.input(d.tensor(a, Type::i8)), v = d.input(d.tensor(b, Type::i8));
  const float typical = u.tensor.s() * v.tensor.s() * std::sqrt(static_cast<float>(depth)) * 5000;
  c.out = {d.tensor({batch, rows, columns}, Type::i8, typical / 25)};
  c.in = {std::move(u), std::move(v)};
}

}  // namespace

bool draw_weighted(Draw& d, Case& c) {
  if (c.kind == "CONV_2D") return convolution(d, c, false), true;
  if (c.kind == "DEPTHWISE_CONV_2D") return convolution(d, c, true), true;
  if (c.kind == "FULLY_CONNECTED") return fully_connected(d, c), true;
  if (c.kind == "TRANSPOSE_CONV") return transpose_convolution(d, c), true;
  if (c.kind == "BATCH_MATMUL") return batch_matmul(d, c), true;
  return false;
}

}  // namespace dse::nn::random_ops
