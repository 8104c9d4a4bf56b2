// SOFTMAX and LOG_SOFTMAX: 2.8, 2.9, 2.31, 2.32.
#include <algorithm>
#include <array>
#include <cmath>

#include "families.h"

namespace dse::nn::oracle {
namespace {

/// Calls f(first, last) for each row of the last dimension.
template <class F>
void rows(const Call& c, F f) {
  const auto& q = c.x().q;
  const auto depth = static_cast<std::ptrdiff_t>(c.x().shape.back());
  for (auto row = q.begin(); row != q.end(); row += depth) f(std::vector<std::int64_t>(row, row + depth));
}

struct Scaling {
  Multiplier m;
  std::int64_t diff_min;
};
Scaling scaling(const Call& c, double beta) {
  const double most = c.o.mode == Mode::single ? 1073741823.0 : 2147483647.0;
  const double real = std::min(beta * static_cast<double>(c.x().s()) * 67108864.0, most);
  if (real <= 1) c.refuse("input scale too small");
  const Multiplier m = quantize_multiplier(real, c.o.mode);
  return {m, -static_cast<std::int64_t>(std::floor(std::ldexp(31.0 * 67108864.0, -m.shift)))};
}
std::int64_t rescaled(const Call& c, std::int64_t d, const Scaling& s) { return mbqm32(d, s.m, c.o.mode); }

void eight_bits(const Call& c) {
  const Scaling s = scaling(c, static_cast<double>(c.o.beta));
  Tensor& y = c.y();
  rows(c, [&](const std::vector<std::int64_t>& row) {
    const std::int64_t most = *std::max_element(row.begin(), row.end());
    Wide sum = 0;
    for (const auto q : row)
      if (q - most >= s.diff_min) sum += rdp(exp_negative(rescaled(c, q - most, s), 5), 12);
    int over = 0;
    const std::int64_t scale = reciprocal_fixed(fits32(sum), 12, over);
    const bool q_format = c.o.mode == Mode::qformat;
    const int digits = q_format ? fraction_bits(y) : bytes_of(y.type) == 1 ? 8 : 16;
    const int exponent = over + 31 - digits;
    const std::int64_t zero = q_format ? 0 : lowest(y.type);
    for (const auto q : row) {
      std::int64_t r = zero;
      if (q - most >= s.diff_min) r += rdp(srdhm(scale, exp_negative(rescaled(c, q - most, s), 5)), exponent);
      y.q.push_back(clamp(r, lowest(y.type), highest(y.type)));
    }
  });
}

/// A function on 16 bits as 513 points, each moved to halve the error of the middle of its segment. All in binary32.
using Points = std::array<std::int64_t, 513>;
template <class F>
Points points(float in_scale, float in_zero, float out_scale, F f) {
  const float in_min = in_scale * (-32768.0f - in_zero), in_max = in_scale * (32767.0f - in_zero);
  const float out_min = out_scale * -32768.0f, out_max = out_scale * 32767.0f;
  const float step = (in_max - in_min) / 512.0f, half = step / 2.0f, inverse = 65536.0f / (out_max - out_min);
  const auto limited = [](float v) { return static_cast<std::int64_t>(std::clamp(v, -32768.0f, 32767.0f)); };
  Points t{};
  for (int i = 0; i < 512; ++i) {
    const float at = in_min + static_cast<float>(i) * step, next = in_min + static_cast<float>(i + 1) * step;
    const float sample = std::round(f(at) * inverse), middle = std::round(f(at + half) * inverse);
    const float between = std::round((f(next) * inverse + std::round(f(at) * inverse)) / 2.0f);
    const float bias = std::round((between - middle) / 2.0f);
    t[static_cast<std::size_t>(i)] = limited(sample - bias);
  }
  t[512] = limited(std::round(f(in_max) * inverse));
  return t;
}
std::int64_t lookup(const Points& t, std::int64_t v) {
  const auto k = static_cast<std::size_t>(256 + (v >> 7));
  const auto slope = static_cast<std::int16_t>(t[k + 1] - t[k]);
  return t[k] + ((slope * (v & 127) + 64) >> 7);
}

void sixteen_bits(const Call& c) {
  static const Points exponential =
      points(10.0f / 65535.0f, 32767.0f, 2.0f / 65535.0f, [](float v) { return std::exp(v); });
  static const Points reciprocal =
      points(1.0f / 65535.0f, -32768.0f, 2.0f / 65535.0f, [](float v) { return 1.0f / (1.0f + v); });
  const float table_scale = 10.0f / 65535.0f;
  const double beta = static_cast<double>(c.o.beta);
  const Multiplier m =
      quantize_multiplier(static_cast<double>(c.x().s()) * beta / static_cast<double>(table_scale), c.o.mode);
  rows(c, [&](const std::vector<std::int64_t>& row) {
    const std::int64_t most = *std::max_element(row.begin(), row.end());
    std::vector<std::int64_t> e;
    Wide sum = 0;
    for (const auto q : row) {
      e.push_back(lookup(exponential, clamp(Wide{mbqm32(q - most, m, c.o.mode)} + 32767, -32768, 32767)));
      sum += e.back();
    }
    const std::int64_t total = fits32(sum);
    const int headroom = clz32(total);
    const auto t = static_cast<std::int64_t>(floor_div(total * power(headroom - 1) + 8192, 16384));
    const std::int64_t r = lookup(reciprocal, clamp(t - (32768 + 65536), -32768, 32767));
    for (const auto v : e) c.y().q.push_back(clamp(half_up(Wide{v} * r, power(31 - headroom)), 0, 32767));
  });
}

/// Not described in the facts: the reference kernels' fixed-point logarithm; output scale 1/16, zero point 127.
void logarithm(const Call& c) {
  const Scaling s = scaling(c, 1.0);
  const double reverse = std::ldexp(1.0, 31 - s.m.shift) / static_cast<double>(s.m.m);
  const Multiplier back = quantize_multiplier(reverse, c.o.mode);
  rows(c, [&](const std::vector<std::int64_t>& row) {
    const std::int64_t most = *std::max_element(row.begin(), row.end());
    Wide sum = 0;
    for (const auto q : row)
      if (q - most >= s.diff_min) sum += rdp(exp_negative(rescaled(c, q - most, s), 5), 12);
    const std::int64_t log_sum = log_fixed(fits32(sum), 12);
    const std::int64_t floor = std::max(s.diff_min - 1, std::int64_t{mbqm32(log_sum + INT32_MIN, back, c.o.mode)});
    for (const auto q : row) {
      std::int64_t r = -128;
      if (q - most > floor) r = clamp(std::int64_t{rdp(rescaled(c, q - most, s) - log_sum, 22)} + 127, -128, 127);
      c.y().q.push_back(r);
    }
  });
}

}  // namespace

bool run_softmax(const Call& c) {
  if (c.kind == "LOG_SOFTMAX") return logarithm(c), true;
  if (c.kind != "SOFTMAX") return false;
  if (c.x().type == Type::i16) return sixteen_bits(c), true;
  return eight_bits(c), true;
}

}  // namespace dse::nn::oracle
