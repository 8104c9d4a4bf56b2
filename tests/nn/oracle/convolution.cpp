// CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV, BATCH_MATMUL: 2.1 to 2.3, 2.23, 2.27, 2.32.
#include <algorithm>

#include "families.h"

namespace dse::nn::oracle {
namespace {

/// One accumulation: the exact sum; leaving the accumulator the mode has is an error of the caller's data.
class Sum {
 public:
  explicit Sum(bool wide) : wide_(wide), limit_(wide ? power(62) : power(31)) {}
  void add(Wide product) {
    sum_ += product;
    if (sum_ < -limit_ || sum_ >= limit_) throw std::overflow_error("accumulator");
  }
  Wide value() const { return sum_; }
  bool wide() const { return wide_; }

 private:
  bool wide_;
  Wide limit_, sum_ = 0;
};

struct Weighted {
  const Call& c;
  const Tensor &x, &w;
  const Tensor* bias;
  Tensor& y;
  bool per_channel, wide64;

  Weighted(const Call& call, std::size_t x_at, std::size_t w_at, std::size_t bias_at)
      : c(call), x(c.x(x_at)), w(c.x(w_at)), bias(c.has(bias_at) ? c.in[bias_at] : nullptr), y(c.y()) {
    per_channel = w.scale.size() > 1;
    wide64 = x.type == Type::i16 && bias && bias->type == Type::i64;
    if (x.type == Type::i16 && (c.kind == "FULLY_CONNECTED" || c.kind == "DEPTHWISE_CONV_2D")) wide64 = true;
  }

  bool affine() const { return c.o.mode == Mode::tflite || c.o.mode == Mode::single; }
  bool wide() const {
    if (c.o.mode == Mode::qformat) return bytes_of(x.type) > 1 || bytes_of(w.type) > 1;
    return wide64;
  }
  /// TFLite ignores the zero point of int8 weights; only uint8 weights have one.
  std::int64_t weight(std::int64_t q, std::int64_t channel) const {
    if (c.o.mode == Mode::qformat || (affine() && w.type != Type::u8)) return q;
    return q - w.z(channel);
  }
  std::int64_t value(std::int64_t q) const { return q - x.z(); }

  double real(std::int64_t channel) const {
    const bool float_product = affine() && !per_channel && (c.kind == "FULLY_CONNECTED" || x.type == Type::u8);
    if (float_product) {
      const float product = x.s() * w.s();
      return static_cast<double>(product) / static_cast<double>(y.s());
    }
    return static_cast<double>(x.s()) * static_cast<double>(w.s(channel)) / static_cast<double>(y.s());
  }

  std::int64_t store(const Sum& acc, std::int64_t channel) const {
    const Wide v = acc.value();
    if (c.o.mode == Mode::qformat) return store_q(v, channel);
    const Multiplier m = quantize_multiplier(real(channel), c.o.mode);
    if (affine() && wide64) return finish(c, Wide{mbqm64(static_cast<std::int64_t>(v), m)} + y.z());
    return finish(c, Wide{mbqm32(static_cast<std::int64_t>(v), m, c.o.mode)} + y.z());
  }

  std::int64_t store_q(Wide v, std::int64_t channel) const {
    const std::int64_t f = c.o.correction.empty() ? 1 : c.o.correction.at(static_cast<std::size_t>(channel));
    const int t = fraction_bits(x) + fraction_bits(w) - fraction_bits(y);
    if (c.o.correct_then_round) return finish(c, shr(v * f, t));
    return finish(c, Wide{clamp(shr(v, t), lowest(y.type), highest(y.type))} * f);
  }

  Sum start() const { return Sum(wide()); }
  void add_bias(Sum& s, std::int64_t channel) const {
    if (bias) s.add(bias->q.at(static_cast<std::size_t>(channel)));
  }
};

void convolution(const Call& c, bool depthwise) {
  const Weighted k(c, 0, 1, 2);
  const auto& o = c.o;
  const std::int64_t kh = k.w.dim(1), kw = k.w.dim(2), in_c = k.x.dim(3), out_c = k.y.dim(3);
  const int top =
      pad_before(k.x.dim(1), k.y.dim(1), static_cast<int>(kh), o.stride_h, o.dilation_h, o.padding, o.pad_top);
  const int left =
      pad_before(k.x.dim(2), k.y.dim(2), static_cast<int>(kw), o.stride_w, o.dilation_w, o.padding, o.pad_left);
  const std::int64_t filter_c = depthwise ? 1 : k.w.dim(3);
  const std::int64_t per_group = depthwise ? out_c / in_c : out_c / (in_c / filter_c);
  each(k.y.shape, [&](const Index& i) {
    Sum acc = k.start();
    for (std::int64_t ky = 0; ky < kh; ++ky)
      for (std::int64_t kx = 0; kx < kw; ++kx)
        for (std::int64_t ic = 0; ic < filter_c; ++ic) {
          const std::int64_t y = i[1] * o.stride_h - top + ky * o.dilation_h;
          const std::int64_t x = i[2] * o.stride_w - left + kx * o.dilation_w;
          if (y < 0 || x < 0 || y >= k.x.dim(1) || x >= k.x.dim(2)) continue;
          const std::int64_t channel = depthwise ? i[3] / per_group : i[3] / per_group * filter_c + ic;
          const std::int64_t w = depthwise ? at(k.w, 0, ky, kx, i[3]) : at(k.w, i[3], ky, kx, ic);
          acc.add(Wide{k.value(at(k.x, i[0], y, x, channel))} * k.weight(w, i[3]));
        }
    k.add_bias(acc, i[3]);
    k.y.q.push_back(k.store(acc, i[3]));
  });
}

void fully_connected(const Call& c) {
  const Weighted k(c, 0, 1, 2);
  const std::int64_t depth = k.w.dim(1), units = k.w.dim(0), rows = k.x.elements() / depth;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t u = 0; u < units; ++u) {
      Sum acc = k.start();
      for (std::int64_t d = 0; d < depth; ++d)
        acc.add(Wide{k.value(k.x.q.at(static_cast<std::size_t>(r * depth + d)))} * k.weight(at(k.w, u, d), u));
      k.add_bias(acc, u);
      k.y.q.push_back(k.store(acc, u));
    }
}

/// inputs: output shape, weights OHWI, activations, bias. As a scatter: every input pixel adds a filter's worth.
void transpose_convolution(const Call& c) {
  const Weighted k(c, 2, 1, 3);
  const auto& o = c.o;
  const std::int64_t kh = k.w.dim(1), kw = k.w.dim(2), out_c = k.y.dim(3);
  const int top = pad_before(k.y.dim(1), k.x.dim(1), static_cast<int>(kh), o.stride_h, 1, o.padding, o.pad_top);
  const int left = pad_before(k.y.dim(2), k.x.dim(2), static_cast<int>(kw), o.stride_w, 1, o.padding, o.pad_left);
  std::vector<Sum> acc(static_cast<std::size_t>(k.y.elements()), k.start());
  each(k.x.shape, [&](const Index& i) {
    for (std::int64_t ky = 0; ky < kh; ++ky)
      for (std::int64_t kx = 0; kx < kw; ++kx)
        for (std::int64_t oc = 0; oc < out_c; ++oc) {
          const std::int64_t y = i[1] * o.stride_h - top + ky, x = i[2] * o.stride_w - left + kx;
          if (y < 0 || x < 0 || y >= k.y.dim(1) || x >= k.y.dim(2)) continue;
          acc[static_cast<std::size_t>(offset(k.y.shape, {i[0], y, x, oc}))].add(
              Wide{k.value(at(k.x, i))} * k.weight(at(k.w, oc, ky, kx, i[3]), oc));
        }
  });
  for (std::size_t i = 0; i < acc.size(); ++i) {
    const auto channel = static_cast<std::int64_t>(i) % out_c;
    k.add_bias(acc[i], channel);
    k.y.q.push_back(k.store(acc[i], channel));
  }
}

void batch_matmul(const Call& c) {
  const Tensor &a = c.x(0), &b = c.x(1);
  Tensor& y = c.y();
  const std::size_t r = y.shape.size();
  const std::int64_t depth = a.shape[a.shape.size() - (c.o.adj_x ? 2 : 1)];
  const float product = a.s() * b.s();
  const bool exact = c.o.mode == Mode::onnx;
  const double real = (exact ? static_cast<double>(a.s()) * static_cast<double>(b.s()) : static_cast<double>(product)) /
                      static_cast<double>(y.s());
  // Broadcast over the leading dimensions: pick the operand's own index, then replace the last two.
  const auto pick = [&](const Tensor& t, const Index& i, std::int64_t row, std::int64_t column) {
    Index own = i;
    own[r - 2] = row, own[r - 1] = column;
    return broadcast_at(t, own);
  };
  each(y.shape, [&](const Index& i) {
    const std::int64_t row = i[r - 2], column = i[r - 1];
    Sum acc(a.type == Type::i16);
    for (std::int64_t d = 0; d < depth; ++d) {
      const std::int64_t u = c.o.adj_x ? pick(a, i, d, row) : pick(a, i, row, d);
      const std::int64_t v = c.o.adj_y ? pick(b, i, column, d) : pick(b, i, d, column);
      acc.add(Wide{u - a.z()} * (v - b.z()));
    }
    if (c.o.mode == Mode::qformat) {
      y.q.push_back(finish(c, shr(acc.value(), fraction_bits(a) + fraction_bits(b) - fraction_bits(y))));
      return;
    }
    const Multiplier m = quantize_multiplier(real, c.o.mode);
    const auto v = static_cast<std::int64_t>(acc.value());
    y.q.push_back(finish(c, Wide{acc.wide() && !exact ? mbqm64(v, m) : mbqm32(v, m, c.o.mode)} + y.z()));
  });
}

}  // namespace

bool run_convolution(const Call& c) {
  if (c.kind == "CONV_2D") return convolution(c, false), true;
  if (c.kind == "DEPTHWISE_CONV_2D") return convolution(c, true), true;
  if (c.kind == "FULLY_CONNECTED") return fully_connected(c), true;
  if (c.kind == "TRANSPOSE_CONV") return transpose_convolution(c), true;
  if (c.kind == "BATCH_MATMUL") return batch_matmul(c), true;
  return false;
}

}  // namespace dse::nn::oracle
