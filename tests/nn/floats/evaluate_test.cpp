// Float operators: windows against plain loops over random shapes, the rest at worked-out values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "models/nn/made/fill.h"

namespace dse::nn::floats_evaluate_test {
namespace {

using Shape = std::vector<std::int64_t>;
using Values = std::vector<float>;

/// One float operator: input 0 is the network's, the others are constants.
struct One {
  Operator op;
  Shape in, out;
  std::vector<std::pair<Shape, Values>> constants;

  Values run(const Values& x) const {
    Network n;
    n.name = "one";
    const auto add = [&](const Shape& shape, TensorKind kind, const Values& v) {
      Tensor t;
      t.name = "t" + std::to_string(n.tensors.size()), t.shape = shape, t.kind = kind, t.type = DataType::float32;
      t.data.resize(4 * v.size());
      if (!v.empty()) std::memcpy(t.data.data(), v.data(), t.data.size());
      n.tensors.push_back(std::move(t));
      return static_cast<int>(n.tensors.size()) - 1;
    };
    Operator o = op;
    o.inputs = {add(in, TensorKind::input, {})};
    for (const auto& [shape, values] : constants) o.inputs.push_back(add(shape, TensorKind::constant, values));
    o.outputs = {add(out, TensorKind::activation, {})};
    n.operators = {o};
    n.inputs = {0}, n.outputs = o.outputs;
    Diagnostics d;
    LoadOptions options;
    options.allow_float = true;
    const auto network = finish_network(n, d, "one", options);
    EXPECT_TRUE(network) << d.text();
    if (!network) return {};
    std::vector<std::uint8_t> bytes(4 * x.size());
    std::memcpy(bytes.data(), x.data(), bytes.size());
    const auto result = interpret(*network, {bytes})[static_cast<std::size_t>(network->outputs[0])];
    Values y(result.size() / 4);
    std::memcpy(y.data(), result.data(), result.size());
    return y;
  }
};

One simple(OperatorKind kind, const Shape& in, const Shape& out) {
  One one;
  one.op.kind = kind, one.in = in, one.out = out;
  return one;
}

std::int64_t elements(const Shape& s) {
  std::int64_t n = 1;
  for (const auto d : s) n *= d;
  return n;
}

class Random {
 public:
  std::int64_t between(std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(hi - lo + 1));
  }
  Values values(const Shape& s) {
    Values v(static_cast<std::size_t>(elements(s)));
    for (auto& f : v) f = static_cast<float>(between(-1000, 1000)) / 256;
    return v;
  }

 private:
  std::mt19937_64 engine_{1};
};

/// Element (n, y, x, c) of an image in either layout.
std::size_t at(const Shape& s, bool first, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) {
  return static_cast<std::size_t>(first ? ((n * s[1] + c) * s[2] + y) * s[3] + x
                                        : ((n * s[1] + y) * s[2] + x) * s[3] + c);
}

struct Window {
  bool first;
  std::int64_t n, h, w, c, kh, kw, sh, sw, dh, dw, top, left, bottom, right, oh, ow;
  Shape in() const { return first ? Shape{n, c, h, w} : Shape{n, h, w, c}; }
  Shape out(std::int64_t channels) const { return first ? Shape{n, channels, oh, ow} : Shape{n, oh, ow, channels}; }
  void apply(OperatorOptions& o) const {
    o.channels_first = first, o.explicit_padding = true;
    o.stride_h = static_cast<int>(sh), o.stride_w = static_cast<int>(sw), o.dilation_h = static_cast<int>(dh),
    o.dilation_w = static_cast<int>(dw), o.pad_top = static_cast<int>(top), o.pad_left = static_cast<int>(left);
    o.pad_bottom = static_cast<int>(bottom), o.pad_right = static_cast<int>(right);
  }
};

/// A window that fits; `pool`: no dilation, less padding than window.
Window draw(Random& r, bool pool) {
  for (;;) {
    Window w{r.between(0, 1) == 1,
             r.between(1, 2),
             r.between(1, 9),
             r.between(1, 9),
             r.between(1, 6),
             r.between(1, 4),
             r.between(1, 4),
             r.between(1, 3),
             r.between(1, 3),
             r.between(1, 2),
             r.between(1, 2),
             r.between(0, 2),
             r.between(0, 2),
             r.between(0, 2),
             r.between(0, 2),
             0,
             0};
    if (pool) {
      w.dh = w.dw = 1;
      if (w.top >= w.kh || w.bottom >= w.kh || w.left >= w.kw || w.right >= w.kw) continue;
    }
    const std::int64_t room_h = w.h + w.top + w.bottom - (w.kh - 1) * w.dh - 1;
    const std::int64_t room_w = w.w + w.left + w.right - (w.kw - 1) * w.dw - 1;
    if (room_h < 0 || room_w < 0) continue;
    w.oh = room_h / w.sh + 1, w.ow = room_w / w.sw + 1;
    return w;
  }
}

/// f(n, oy, ox, ky, kx, iy, ix) for every tap inside the image.
template <class F>
void each_tap(const Window& w, F&& f) {
  for (std::int64_t n = 0; n < w.n; ++n)
    for (std::int64_t oy = 0; oy < w.oh; ++oy)
      for (std::int64_t ox = 0; ox < w.ow; ++ox)
        for (std::int64_t ky = 0; ky < w.kh; ++ky)
          for (std::int64_t kx = 0; kx < w.kw; ++kx) {
            const std::int64_t iy = oy * w.sh - w.top + ky * w.dh, ix = ox * w.sw - w.left + kx * w.dw;
            if (iy >= 0 && iy < w.h && ix >= 0 && ix < w.w) f(n, oy, ox, ky, kx, iy, ix);
          }
}

void expect_close(const Values& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  double scale = 1;
  for (const double v : expected) scale = std::max(scale, std::abs(v));
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(static_cast<double>(got[i]), expected[i], 1e-5 * scale) << i;
}

TEST(EvaluateFloat, ConvolutionsOfAnyShapeGroupAndLayout) {
  Random r;
  for (int round = 0; round < 400; ++round) {
    const Window w = draw(r, false);
    const bool depthwise = round % 4 == 0;
    std::int64_t groups = depthwise ? w.c : r.between(1, w.c);
    if (w.c % groups != 0) groups = 1;
    const std::int64_t out_c = groups * r.between(1, 3), per_group = w.c / groups;
    One one = simple(depthwise ? OperatorKind::depthwise_conv_2d : OperatorKind::conv_2d, w.in(), w.out(out_c));
    w.apply(one.op.options);
    one.op.options.groups = depthwise ? 1 : static_cast<int>(groups);
    const bool last_depthwise = depthwise && !w.first;
    const Shape weights = last_depthwise ? Shape{1, w.kh, w.kw, out_c}
                          : w.first      ? Shape{out_c, per_group, w.kh, w.kw}
                                         : Shape{out_c, w.kh, w.kw, per_group};
    one.constants = {{weights, r.values(weights)}, {{out_c}, r.values({out_c})}};
    const auto& wv = one.constants[0].second;
    const Values x = r.values(one.in);
    std::vector<double> y(static_cast<std::size_t>(elements(one.out)));
    for (std::int64_t n = 0; n < w.n; ++n)
      for (std::int64_t oy = 0; oy < w.oh; ++oy)
        for (std::int64_t ox = 0; ox < w.ow; ++ox)
          for (std::int64_t c = 0; c < out_c; ++c)
            y[at(one.out, w.first, n, oy, ox, c)] =
                static_cast<double>(one.constants[1].second[static_cast<std::size_t>(c)]);
    each_tap(w, [&](auto n, auto oy, auto ox, auto ky, auto kx, auto iy, auto ix) {
      for (std::int64_t o = 0; o < out_c; ++o)
        for (std::int64_t i = 0; i < per_group; ++i) {
          const std::int64_t tap = ky * w.kw + kx;
          const std::int64_t index = last_depthwise ? tap * out_c + o
                                     : w.first      ? (o * per_group + i) * w.kh * w.kw + tap
                                                    : (o * w.kh * w.kw + tap) * per_group + i;
          const std::int64_t in_channel = o / (out_c / groups) * per_group + i;
          y[at(one.out, w.first, n, oy, ox, o)] += static_cast<double>(x[at(one.in, w.first, n, iy, ix, in_channel)]) *
                                                   static_cast<double>(wv[static_cast<std::size_t>(index)]);
        }
    });
    expect_close(one.run(x), y);
    if (HasFatalFailure()) return;
  }
}

TEST(EvaluateFloat, PoolsOfAnyShapeAndLayout) {
  Random r;
  for (int round = 0; round < 400; ++round) {
    const Window w = draw(r, true);
    const bool average = round % 2 == 0, include = r.between(0, 1) == 1;
    One one = simple(average ? OperatorKind::average_pool_2d : OperatorKind::max_pool_2d, w.in(), w.out(w.c));
    w.apply(one.op.options);
    one.op.options.filter_h = static_cast<int>(w.kh), one.op.options.filter_w = static_cast<int>(w.kw);
    one.op.options.count_include_pad = include;
    const Values x = r.values(one.in);
    const auto size = static_cast<std::size_t>(elements(one.out));
    std::vector<double> sum(size), best(size, -1e30), count(size);
    each_tap(w, [&](auto n, auto oy, auto ox, auto, auto, auto iy, auto ix) {
      for (std::int64_t c = 0; c < w.c; ++c) {
        const auto to = at(one.out, w.first, n, oy, ox, c);
        const auto v = static_cast<double>(x[at(one.in, w.first, n, iy, ix, c)]);
        sum[to] += v, count[to] += 1, best[to] = std::max(best[to], v);
      }
    });
    for (std::size_t i = 0; i < size; ++i) sum[i] /= include ? static_cast<double>(w.kh * w.kw) : count[i];
    expect_close(one.run(x), average ? sum : best);
    if (HasFatalFailure()) return;
  }
}

/// A transposed convolution is the adjoint of the convolution with the same weights: <conv(x), y> = <x, transposed(y)>.
TEST(EvaluateFloat, TransposedConvolutionIsTheAdjoint) {
  Random r;
  for (int round = 0; round < 100; ++round) {
    const Window w = draw(r, false);
    const std::int64_t out_c = r.between(1, 4);
    One forward = simple(OperatorKind::conv_2d, w.in(), w.out(out_c));
    w.apply(forward.op.options);
    // Channels first, both kinds read [out_c][c][tap]. Last: forward [out_c][tap][c], transposed [c][tap][out_c].
    const Shape shape = w.first ? Shape{out_c, w.c, w.kh, w.kw} : Shape{out_c, w.kh, w.kw, w.c};
    forward.constants = {{shape, r.values(shape)}};
    One back = simple(OperatorKind::transpose_conv, w.out(out_c), w.in());
    w.apply(back.op.options);
    const Values& fw = forward.constants[0].second;
    Values bw = fw;
    const std::int64_t taps = w.kh * w.kw;
    if (!w.first)
      for (std::int64_t o = 0; o < out_c; ++o)
        for (std::int64_t tap = 0; tap < taps; ++tap)
          for (std::int64_t i = 0; i < w.c; ++i)
            bw[static_cast<std::size_t>((i * taps + tap) * out_c + o)] =
                fw[static_cast<std::size_t>((o * taps + tap) * w.c + i)];
    back.constants = {{w.first ? shape : Shape{w.c, w.kh, w.kw, out_c}, bw}};
    const Values x = r.values(forward.in), y = r.values(back.in);
    const Values cx = forward.run(x), ty = back.run(y);
    double a = 0, b = 0, size = 1;
    for (std::size_t i = 0; i < y.size(); ++i) a += static_cast<double>(cx[i]) * static_cast<double>(y[i]);
    for (std::size_t i = 0; i < x.size(); ++i) {
      b += static_cast<double>(x[i]) * static_cast<double>(ty[i]);
      size += std::abs(static_cast<double>(x[i]) * static_cast<double>(ty[i]));
    }
    ASSERT_NEAR(a, b, 1e-5 * size);
  }
}

TEST(EvaluateFloat, MovesElements) {
  One transpose = simple(OperatorKind::transpose, {2, 3}, {3, 2});
  transpose.op.options.permutation = {1, 0};
  EXPECT_EQ(transpose.run({1, 2, 3, 4, 5, 6}), (Values{1, 4, 2, 5, 3, 6}));
  One slice = simple(OperatorKind::strided_slice, {5}, {3});
  slice.op.options.begin = {4}, slice.op.options.end = {-1}, slice.op.options.strides = {-2};
  EXPECT_EQ(slice.run({1, 2, 3, 4, 5}), (Values{5, 3, 1}));
  One pad = simple(OperatorKind::pad, {2}, {5});
  pad.op.options.pad_before = {1}, pad.op.options.pad_after = {2}, pad.op.options.clip_min = 7;
  EXPECT_EQ(pad.run({1, 2}), (Values{7, 1, 2, 7, 7}));
  One mirror = simple(OperatorKind::mirror_pad, {3}, {7});
  mirror.op.options.pad_before = {2}, mirror.op.options.pad_after = {2};
  EXPECT_EQ(mirror.run({1, 2, 3}), (Values{3, 2, 1, 2, 3, 2, 1}));
  mirror.op.options.mirror_symmetric = true;
  EXPECT_EQ(mirror.run({1, 2, 3}), (Values{2, 1, 1, 2, 3, 3, 2}));
  One join = simple(OperatorKind::concatenation, {2, 1}, {2, 3});
  join.op.options.axis = 1, join.constants = {{{2, 2}, {10, 20, 30, 40}}};
  EXPECT_EQ(join.run({1, 2}), (Values{1, 10, 20, 2, 30, 40}));
}

TEST(EvaluateFloat, ReducesAndNormalises) {
  One mean = simple(OperatorKind::mean, {2, 3}, {2});
  mean.op.options.axes = {1};
  EXPECT_EQ(mean.run({1, 2, 6, 0, 0, -3}), (Values{3, -1}));
  One largest = simple(OperatorKind::reduce_max, {2, 3}, {1, 3});
  largest.op.options.axes = {0}, largest.op.options.keep_dims = true;
  EXPECT_EQ(largest.run({1, 2, 6, 4, 0, -3}), (Values{4, 2, 6}));
  // The last axis, unless the operator comes from a format that names one.
  One softmax = simple(OperatorKind::softmax, {2, 2}, {2, 2});
  const float third = 1.0f / 3;
  const float log2 = std::log(2.0f);
  const Values last = softmax.run({0, log2, log2, log2});
  EXPECT_NEAR(last[0], third, 1e-6f);
  EXPECT_NEAR(last[2], 0.5f, 1e-6f);
  softmax.op.type = "Softmax", softmax.op.options.axis = 0;
  const Values first = softmax.run({0, log2, log2, log2});
  EXPECT_NEAR(first[0], third, 1e-6f);
  EXPECT_NEAR(first[1], 0.5f, 1e-6f);
  EXPECT_NEAR(first[2], 2 * third, 1e-6f);
  One norm = simple(OperatorKind::batch_normalization, {1, 2, 1, 1}, {1, 2, 1, 1});
  norm.op.options.channels_first = true, norm.op.options.epsilon = 1;
  norm.constants = {{{2}, {2, 1}}, {{2}, {1, 0}}, {{2}, {3, 0}}, {{2}, {3, 0}}};
  EXPECT_EQ(norm.run({7, 5}), (Values{5, 5}));
}

TEST(EvaluateFloat, BroadcastsAndMultipliesMatrices) {
  One add = simple(OperatorKind::add, {2, 2}, {2, 2});
  add.constants = {{{2, 1}, {10, 20}}};
  EXPECT_EQ(add.run({1, 2, 3, 4}), (Values{11, 12, 23, 24}));
  add.op.options.activation = Activation::relu6;
  EXPECT_EQ(add.run({-11, -5, -19, -30}), (Values{0, 5, 1, 0}));
  One gemm = simple(OperatorKind::gemm, {1, 2}, {1, 2});
  gemm.op.options.alpha = 2, gemm.op.options.beta = 3, gemm.op.options.adj_y = true;
  gemm.constants = {{{2, 2}, {1, 2, 3, 4}}, {{1}, {1}}};
  EXPECT_EQ(gemm.run({1, 10}), (Values{2 * 21 + 3, 2 * 43 + 3}));
  One resize = simple(OperatorKind::resize_bilinear, {1, 1, 2, 1}, {1, 1, 4, 1});
  EXPECT_EQ(resize.run({0, 4}), (Values{0, 2, 4, 4}));
  resize.op.options.half_pixel_centers = true;
  EXPECT_EQ(resize.run({0, 4}), (Values{0, 1, 3, 4}));
}

TEST(Fill, ElementsDependOnTheirIndexAlone) {
  const Fill fill{Fill::Kind::he_normal, 0, 42, 8};
  Values whole(1000), part(10);
  fill_values(fill, 0, whole);
  fill_values(fill, 500, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 500));
  double sum = 0, squares = 0;
  for (const float v : whole) sum += static_cast<double>(v), squares += static_cast<double>(v) * static_cast<double>(v);
  EXPECT_NEAR(sum / 1000, 0, 0.06);
  EXPECT_NEAR(squares / 1000, 2.0 / 8, 0.03);
}

}  // namespace
}  // namespace dse::nn::floats_evaluate_test
