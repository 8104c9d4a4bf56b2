// RELU and its kin, LEAKY_RELU, PRELU, HARD_SWISH, ELU, ABS, L2_NORMALIZATION: 2.19 to 2.22, 2.28, 2.29.
#include <algorithm>
#include <cmath>

#include "families.h"

namespace dse::nn::oracle {
namespace {

template <class F>
void map(const Call& c, F f) {
  for (const auto q : c.x().q) c.y().q.push_back(clamp(f(q), lowest(c.y().type), highest(c.y().type)));
}

double wide(float v) { return static_cast<double>(v); }

/// onnx: f in binary64, rounded once to even.
template <class F>
void table(const Call& c, F f) {
  const Tensor &x = c.x(), &y = c.y();
  map(c, [&](std::int64_t q) {
    const double real = f(wide(x.s()) * static_cast<double>(q - x.z())) / wide(y.s());
    return Wide{static_cast<std::int64_t>(std::nearbyint(std::clamp(real, -1e9, 1e9)))} + y.z();
  });
}

void relu(const Call& c, Activation kind) {
  const Tensor &x = c.x(), &y = c.y();
  if (kind == Activation::relu6 && (c.o.mode == Mode::tflite || c.o.mode == Mode::single)) {
    // Raw: the output is taken to have the input's quantisation.
    const float six = 6.0f / x.s();
    const auto top = clamp(static_cast<std::int64_t>(std::round(six)) + x.z(), lowest(x.type), highest(x.type));
    return map(c, [&](std::int64_t q) { return clamp(q, x.z(), std::max(top, x.z())); });
  }
  const auto range = activation_range(y, kind, c.o.mode);
  if (c.o.mode == Mode::qformat) {
    const int t = fraction_bits(x) - fraction_bits(y);
    return map(c, [&](std::int64_t q) { return clamp(shr(q, t), range.lo, range.hi); });
  }
  const float quotient = x.s() / y.s();
  const double real = c.o.mode == Mode::onnx ? wide(x.s()) / wide(y.s()) : wide(quotient);
  const Multiplier m = quantize_multiplier(real, c.o.mode);
  map(c, [&](std::int64_t q) { return clamp(Wide{mbqm32(q - x.z(), m, c.o.mode)} + y.z(), range.lo, range.hi); });
}

/// onnx: a change of quantisation between two limits.
void clip(const Call& c) {
  const Tensor &x = c.x(), &y = c.y();
  if (c.o.mode != Mode::onnx) c.refuse("not defined in this mode");
  const auto limit = [&](float v) {
    const float units = v / y.s();
    return clamp(static_cast<std::int64_t>(std::nearbyint(std::clamp(units, -1e6f, 1e6f))) + y.z(), lowest(y.type),
                 highest(y.type));
  };
  const Multiplier m = quantize_multiplier(wide(x.s()) / wide(y.s()), c.o.mode);
  map(c, [&](std::int64_t q) {
    return clamp(Wide{mbqm32(q - x.z(), m, c.o.mode)} + y.z(), limit(c.o.clip_min), limit(c.o.clip_max));
  });
}

void leaky(const Call& c) {
  const Tensor &x = c.x(), &y = c.y();
  if (c.o.mode == Mode::onnx) return table(c, [&](double v) { return v < 0 ? wide(c.o.alpha) * v : v; });
  const float identity = x.s() / y.s(), product = x.s() * c.o.alpha, slope = product / y.s();
  const Multiplier mi = quantize_multiplier(wide(identity), c.o.mode);
  // A negative slope is the negative of the positive one's result.
  const Multiplier ma = quantize_multiplier(std::abs(wide(slope)), c.o.mode);
  const int sign = slope < 0 ? -1 : 1;
  map(c, [&](std::int64_t q) {
    const std::int64_t d = q - x.z();
    return y.z() + (d >= 0 ? Wide{mbqm32(d, mi, c.o.mode)} : sign * Wide{mbqm32(d, ma, c.o.mode)});
  });
}

void prelu(const Call& c) {
  const Tensor &x = c.x(), &alpha = c.x(1), &y = c.y();
  if (c.o.mode == Mode::onnx || c.o.mode == Mode::qformat) c.refuse("not defined in this mode");
  const Multiplier mi = quantize_multiplier(wide(x.s()) / wide(y.s()), c.o.mode);
  const Multiplier ma = quantize_multiplier(wide(x.s()) * wide(alpha.s()) / wide(y.s()), c.o.mode);
  each(y.shape, [&](const Index& i) {
    const std::int64_t d = broadcast_at(x, i) - x.z(), slope = broadcast_at(alpha, i) - alpha.z();
    const std::int32_t r = d >= 0 ? mbqm32(d, mi, c.o.mode) : mbqm32(d * slope, ma, c.o.mode);
    c.y().q.push_back(clamp(Wide{r} + y.z(), lowest(y.type), highest(y.type)));
  });
}

std::int64_t to_16_bits(std::int64_t m) {
  return m >= 2147483647 - 32768 ? 32767 : static_cast<std::int64_t>(floor_div(m + 32768, 65536));
}

void hard_swish(const Call& c) {
  const Tensor &x = c.x(), &y = c.y();
  if (c.o.mode == Mode::onnx) return table(c, [](double v) { return v * std::clamp(v + 3, 0.0, 6.0) / 6; });
  const float high_scale = (1.0f / 128.0f) * x.s(), relu_scale = 3.0f / 32768.0f;
  const float out_ratio = high_scale / y.s(), relu_ratio = high_scale / relu_scale;
  const Multiplier mo = quantize_multiplier(wide(out_ratio)), mr = quantize_multiplier(wide(relu_ratio));
  if (mo.shift > 0) c.refuse("output scale too small");
  const std::int64_t om = to_16_bits(mo.m), rm = to_16_bits(mr.m);
  map(c, [&](std::int64_t q) {
    const std::int64_t high = (q - x.z()) * 128;
    const std::int64_t before = srdhm16(high, om);
    std::int64_t r = high;
    if (mr.shift > 0) r = clamp(r * power(mr.shift - 1), -32768, 32767);
    r = srdhm16(r, rm);
    if (mr.shift > 0) r = clamp(r * 2, -32768, 32767);
    if (mr.shift < 0) r = rdp(r, -mr.shift);
    r = static_cast<std::int64_t>(floor_div(r + 32768, 2));
    const std::int64_t product = clamp(r * before / 32768, -32768, 32767);  // towards zero
    return Wide{rdp(product, -mo.shift)} + y.z();
  });
}

void elu(const Call& c) {
  const Tensor &x = c.x(), &y = c.y();
  if (c.o.mode == Mode::onnx) return table(c, [&](double v) { return v < 0 ? wide(c.o.alpha) * std::expm1(v) : v; });
  const float inverse = 1.0f / y.s();
  map(c, [&](std::int64_t q) {
    const float v = x.s() * static_cast<float>(q - x.z()), t = v < 0 ? std::expm1(v) : v, scaled = t * inverse;
    const float shifted = std::round(scaled) + static_cast<float>(y.z());
    return Wide{static_cast<std::int64_t>(shifted)};
  });
}

void absolute(const Call& c) {
  const Tensor &x = c.x(), &y = c.y();
  if (c.o.mode == Mode::onnx) return table(c, [](double v) { return std::abs(v); });
  const float quotient = x.s() / y.s();
  const Multiplier m = quantize_multiplier(wide(quotient), c.o.mode);
  const bool same = x.s() == y.s();
  map(c, [&](std::int64_t q) {
    const std::int64_t d = std::abs(q - x.z());
    return Wide{same ? d : mbqm32(d, m, c.o.mode)} + y.z();
  });
}

void l2_normalization(const Call& c) {
  const Tensor& x = c.x();
  const auto depth = static_cast<std::size_t>(x.shape.back());
  for (std::size_t row = 0; row < x.q.size(); row += depth) {
    Wide squares = 0;
    for (std::size_t i = row; i < row + depth; ++i) squares += Wide{x.q[i] - x.z()} * (x.q[i] - x.z());
    const Multiplier m = inverse_square_root(fits32(squares));
    for (std::size_t i = row; i < row + depth; ++i)
      c.y().q.push_back(clamp(mbqm32(x.q[i] - x.z(), {m.m, m.shift + 7}, c.o.mode), -128, 127));
  }
}

}  // namespace

bool run_unary(const Call& c) {
  if (c.kind == "RELU") return relu(c, Activation::relu), true;
  if (c.kind == "RELU6") return relu(c, Activation::relu6), true;
  if (c.kind == "RELU_N1_TO_1") return relu(c, Activation::relu_n1_to_1), true;
  if (c.kind == "CLIP") return clip(c), true;
  if (c.kind == "LEAKY_RELU") return leaky(c), true;
  if (c.kind == "PRELU") return prelu(c), true;
  if (c.kind == "HARD_SWISH") return hard_swish(c), true;
  if (c.kind == "ELU") return elu(c), true;
  if (c.kind == "ABS") return absolute(c), true;
  if (c.kind == "L2_NORMALIZATION") return l2_normalization(c), true;
  if (c.o.mode == Mode::onnx && c.kind == "LOGISTIC")
    return table(c, [](double v) { return 1 / (1 + std::exp(-v)); }), true;
  if (c.o.mode == Mode::onnx && c.kind == "TANH") return table(c, [](double v) { return std::tanh(v); }), true;
  if (c.o.mode == Mode::onnx && c.kind == "NEG") return table(c, [](double v) { return -v; }), true;
  if (c.o.mode == Mode::onnx && c.kind == "HARD_SIGMOID")
    return table(c, [&](double v) { return std::clamp(wide(c.o.alpha) * v + wide(c.o.beta), 0.0, 1.0); }), true;
  return false;
}

}  // namespace dse::nn::oracle
