// LOGISTIC and TANH in 8 and 16 bits: 2.10 to 2.12.
#include <algorithm>
#include <cmath>
#include <set>

#include "families.h"

namespace dse::nn::oracle {
namespace {

/// T[i] = 65536 / (1 + e^(-i/24)), limited to 65535, one more at some places.
std::int64_t entry(std::int64_t i) {
  static const std::set<std::int64_t> one_more = {4,  8,  12, 14, 15, 16, 17, 19, 20,  21,  22,  25,  27,  28, 29,
                                                  30, 31, 33, 34, 35, 37, 39, 40, 41,  43,  44,  45,  46,  49, 50,
                                                  54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255};
  const auto t = std::min(65535L, std::lround(65536.0 / (1.0 + std::exp(-static_cast<double>(i) / 24.0))));
  return t + (one_more.count(i) ? 1 : 0);
}

Wide scaled(std::int64_t x, std::int64_t m, int right) {
  const Wide product = Wide{x} * m;
  return right >= 0 ? half_up(product, power(right)) : product * power(-right);
}

/// 2.10, 2.11: the argument as Q4 and the radius beyond which the result is flat.
void eight_bits(const Call& c, bool tanh) {
  const Tensor &x = c.x(), &y = c.y();
  int left = 0;
  const double fraction = std::frexp(static_cast<double>(x.s()) * 134217728.0, &left);
  const auto m = static_cast<std::int64_t>(std::round(fraction * 2147483648.0));
  const double radius = std::floor(std::ldexp(15.0 * 134217728.0, -left));
  const std::int64_t lo = lowest(y.type), hi = highest(y.type);
  // Digits of the output after the point; Q formats have any number of them and no zero point.
  const bool q_format = c.o.mode == Mode::qformat;
  const int digits = q_format ? fraction_bits(y) : tanh ? 7 : 8;
  const std::int64_t one = std::int64_t{1} << digits, zero = q_format || tanh ? 0 : lo;
  for (const auto q : x.q) {
    const std::int64_t d = q - x.z();
    std::int64_t r;
    if (static_cast<double>(d) <= -radius) {
      r = tanh ? -one : zero;
    } else if (static_cast<double>(d) >= radius) {
      r = one + zero;
    } else {
      const std::int64_t a = mbqm32(d, {m, left}, c.o.mode);
      r = tanh ? rdp(tanh_fixed(a, 4), 31 - digits) : rdp(logistic_fixed(a, 4), 31 - digits) + zero;
    }
    c.y().q.push_back(clamp(r, lo, hi));
  }
}

void sixteen_bits(const Call& c, bool tanh) {
  const Tensor& x = c.x();
  bool exact = false;
  const int shift = 12 + log2_rounded(x.s(), exact);
  std::int64_t m = 0;
  int right = 0;
  if (exact && shift >= 0 && shift <= (tanh ? 1 : 0)) {
    m = std::int64_t{3} << shift;
  } else {
    double real = static_cast<double>(x.s()) * 4096.0 * 3.0;
    while (real <= 16383.5 && right <= 30) ++right, real *= 2;
    m = static_cast<std::int64_t>(real);
  }
  for (const auto q : x.q) c.y().q.push_back(tanh ? tanh16(q - x.z(), m, right) : logistic16(q - x.z(), m, right));
}

}  // namespace

int log2_rounded(float s, bool& exact) {
  const float factor = 1.0f / std::log(2.0f);
  const float log2 = std::log(s) * factor, rounded = std::round(log2);
  exact = std::abs(log2 - rounded) < 1e-3f;
  return static_cast<int>(rounded);
}

std::int64_t logistic16(std::int64_t x, std::int64_t m, int right) {
  const auto d = static_cast<std::int64_t>(scaled(x, m, right));
  const std::int64_t a = std::abs(d), h = a / 512;
  std::int64_t r = h >= 255 ? 0x7FFF << 10 : entry(h) * 512 + (a % 512) * (entry(h + 1) - entry(h));
  r = d >= 0 ? r + 512 : (1 << 25) - r + 511;
  return r >> 10;
}

std::int64_t tanh16(std::int64_t x, std::int64_t m, int right) {
  const auto d = static_cast<std::int64_t>(scaled(x, m, right));
  const std::int64_t a = std::abs(d), h = a / 256;
  std::int64_t r = h >= 255 ? 0xFFFF << 8 : entry(h) * 256 + (a % 256) * (entry(h + 1) - entry(h));
  r = d >= 0 ? r - (1 << 23) + 128 : -r + (1 << 23) + 127;
  return r >> 8;
}

bool run_sigmoid(const Call& c) {
  if (c.kind != "LOGISTIC" && c.kind != "TANH") return false;
  const bool tanh = c.kind == "TANH";
  if (c.x().type == Type::i16) return sixteen_bits(c, tanh), true;
  return eight_bits(c, tanh), true;
}

}  // namespace dse::nn::oracle
