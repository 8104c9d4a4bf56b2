// Operators that compute something of their operands.
#include "tests/support/large/builder.h"

namespace dse::test::large {
namespace {

Make binary(OperatorKind kind, const std::string& how) {
  return [kind, how](Builder& b) -> Outputs {
    const auto s = b.image();
    const int x = b.source(s);
    Shape small = {1, 1, 1, s[3]};
    if (how == "pixel") small = {1, s[1], s[2], 1};
    if (how == "scalar") small = {1, 1, 1, 1};
    if (how == "row") small = {1, s[1], 1, 1};
    const int y = how == "constant" ? b.constant({s[3]}) : b.source(small);
    const int out = b.made(s, {{kind == OperatorKind::mul ? 0.1f : 0.06f}, {5}, 0, {}});
    b.emit(kind, b.drawn(0, 1) && kind != OperatorKind::prelu ? std::vector<int>{y, x} : std::vector<int>{x, y}, {out});
    return {out};
  };
}

Make resize(OperatorKind kind, std::int64_t num, std::int64_t den) {
  return [=](Builder& b) -> Outputs {
    auto s = b.image();
    if (num > den)
      s[1] = std::max<std::int64_t>(3, s[1] * den / num), s[2] = std::max<std::int64_t>(3, s[2] * den / num);
    nn::OperatorOptions o;
    o.half_pixel_centers = b.drawn(0, 1);
    const int x = b.source(s), out = b.made({1, s[1] * num / den, s[2] * num / den, s[3]});
    b.emit(kind, {x}, {out}, o);
    return {out};
  };
}

Make unary(OperatorKind kind, nn::Quantization q = kPlain) {
  return [=](Builder& b) -> Outputs {
    const auto s = b.image();
    nn::OperatorOptions o;
    o.alpha = 0.2f;
    const int x = b.source(s), out = b.made(s, q);
    b.emit(kind, {x}, {out}, o);
    return {out};
  };
}

/// Over the channels of many pixels of one row.
Make of_pixels(OperatorKind kind, nn::Quantization q) {
  return [=](Builder& b) -> Outputs {
    const auto s = b.image();
    const Shape rows = {1, s[1] * s[2], s[3]};
    const int x = b.source(rows), out = b.made(rows, q);
    nn::OperatorOptions o;
    o.axis = 2;
    b.emit(kind, {x}, {out}, o);
    return {out};
  };
}

Make pool(OperatorKind kind) {
  return [=](Builder& b) -> Outputs {
    const auto s = b.image();
    nn::OperatorOptions o;
    o.filter_h = o.filter_w = 3, o.stride_h = o.stride_w = b.drawn(1, 2), o.same_padding = true;
    const int x = b.source(s);
    const int out = b.made({1, (s[1] + o.stride_h - 1) / o.stride_h, (s[2] + o.stride_w - 1) / o.stride_w, s[3]});
    b.emit(kind, {x}, {out}, o);
    return {out};
  };
}

Make mean(Shape axes) {
  return [=](Builder& b) -> Outputs {
    const auto s = b.image();
    nn::OperatorOptions o;
    o.axes = axes, o.keep_dims = true;
    auto t = s;
    for (const auto a : axes) t[static_cast<std::size_t>(a)] = 1;
    const int x = b.source(s), out = b.made(t);
    b.emit(OperatorKind::mean, {x}, {out}, o);
    return {out};
  };
}

Outputs transpose_conv(Builder& b) {
  auto s = b.image();
  s[1] = std::max<std::int64_t>(3, s[1] / 2), s[2] = std::max<std::int64_t>(3, s[2] / 2), s[3] = 8;
  const int x = b.source(s), w = b.constant({8, 2, 2, 8}, {{0.01f}, {0}, 0, {}}),
            out = b.made({1, 2 * s[1], 2 * s[2], 8});
  nn::OperatorOptions o;
  o.stride_h = o.stride_w = 2;
  b.emit(OperatorKind::transpose_conv, {x, w, -1}, {out}, o);
  return {out};
}

Outputs batch_matmul(Builder& b) {
  const auto s = b.image();
  const int x = b.source({1, s[1] * s[2], s[3]}), y = b.source({1, s[3], 12}),
            out = b.made({1, s[1] * s[2], 12}, {{0.5f}, {0}, 0, {}});
  b.emit(OperatorKind::batch_matmul, {x, y}, {out});
  return {out};
}

Outputs batched_pool(Builder& b) {
  auto s = b.image();
  s[0] = 3, s[1] = std::max<std::int64_t>(3, s[1] / 3);
  nn::OperatorOptions o;
  o.filter_h = o.filter_w = 2, o.stride_h = o.stride_w = 1;
  const int x = b.source(s), out = b.made({3, s[1] - 1, s[2] - 1, s[3]});
  b.emit(OperatorKind::max_pool_2d, {x}, {out}, o);
  return {out};
}

}  // namespace

Makers computations() {
  using K = OperatorKind;
  const nn::Quantization part{{1.0f / 256}, {-128}, 0, {}}, half{{1.0f / 128}, {0}, 0, {}};
  return {
      {"mul by channel", binary(K::mul, "channel")},
      {"mul by pixel", binary(K::mul, "pixel")},
      {"mul by scalar", binary(K::mul, "scalar")},
      {"mul by row", binary(K::mul, "row")},
      {"mul by constant", binary(K::mul, "constant")},
      {"add channel", binary(K::add, "channel")},
      {"add constant", binary(K::add, "constant")},
      {"sub pixel", binary(K::sub, "pixel")},
      {"maximum of scalar", binary(K::maximum, "scalar")},
      {"squared difference of channel", binary(K::squared_difference, "channel")},
      {"prelu", binary(K::prelu, "constant")},
      {"resize bilinear by 2", resize(K::resize_bilinear, 2, 1)},
      {"resize bilinear by 3/2", resize(K::resize_bilinear, 3, 2)},
      {"resize nearest by 2", resize(K::resize_nearest_neighbor, 2, 1)},
      {"hard swish", unary(K::hard_swish)},
      {"leaky relu", unary(K::leaky_relu)},
      {"logistic", unary(K::logistic, part)},
      {"tanh", unary(K::tanh, half)},
      {"elu", unary(K::elu)},
      {"softmax", of_pixels(K::softmax, part)},
      {"log softmax", of_pixels(K::log_softmax, {{16.0f / 256}, {127}, 0, {}})},
      {"l2 normalization", of_pixels(K::l2_normalization, half)},
      {"mean of images", mean({1, 2})},
      {"mean of channels", mean({3})},
      {"average pool", pool(K::average_pool_2d)},
      {"max pool of images", batched_pool},
      {"transpose conv", transpose_conv},
      {"batch matmul", batch_matmul},
  };
}

}  // namespace dse::test::large
