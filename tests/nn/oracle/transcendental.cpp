// Fixed-point exponential, reciprocal, square root and logarithm, section 1.10. Sums are plain 32-bit additions.
#include <algorithm>

#include "arithmetic.h"

namespace dse::nn::oracle {
namespace {

constexpr std::int64_t one = 2147483647;  // 1 in Q0

std::int64_t half_sum(std::int64_t u, std::int64_t v) { return static_cast<std::int64_t>(half_away(Wide{u} + v, 2)); }

std::int64_t exp_small(std::int64_t a) {
  const std::int64_t x = a + (std::int64_t{1} << 28), x2 = srdhm(x, x), x3 = srdhm(x2, x), x4 = srdhm(x2, x2);
  const std::int64_t tail = rdp(srdhm(rdp(x4, 2) + x3, 715827883) + x2, 1);
  return 1895147668 + srdhm(1895147668, x + tail);
}

std::int64_t reciprocal_core(std::int64_t a) {
  const std::int64_t h = half_sum(a, one);
  std::int64_t x = 1515870810 + srdhm(h, -1010580540);
  for (int i = 0; i < 3; ++i) x = wrap32(x + satshl(srdhm(x, (std::int64_t{1} << 29) - srdhm(h, x)), 2));
  return x;
}

}  // namespace

std::int32_t exp_negative(std::int64_t a, int bits) {
  if (a == 0) return INT32_MAX;
  const int fraction = 31 - bits;
  const std::int64_t quarter = std::int64_t{1} << (fraction - 2);
  // a mod 1/4, moved to [-1/4, 0); the rest is a sum of powers of two that are looked up.
  const std::int64_t low = a - static_cast<std::int64_t>(floor_div(a, quarter)) * quarter - quarter;
  std::int64_t r = exp_small(satshl(low, bits));
  const std::int64_t rest = low - a;
  constexpr struct {
    int exponent;
    std::int64_t factor;
  } barrel[] = {{-2, 1672461947}, {-1, 1302514674}, {0, 790015084}, {1, 290630308},
                {2, 39332535},    {3, 720401},      {4, 242}};
  for (const auto& b : barrel)
    if (bits > b.exponent && (rest >> (fraction + b.exponent) & 1)) r = srdhm(r, b.factor);
  if (bits > 5 && a < -(std::int64_t{1} << (36 - bits))) r = 0;
  return static_cast<std::int32_t>(r);
}

std::int32_t one_over_one_plus(std::int64_t a) { return satshl(reciprocal_core(a), 1); }

std::int32_t logistic_fixed(std::int64_t a, int bits) {
  if (a == 0) return 1 << 30;
  const std::int64_t p = one_over_one_plus(exp_negative(a > 0 ? -a : a, bits));
  return static_cast<std::int32_t>(a > 0 ? p : one - p);
}

std::int32_t tanh_fixed(std::int64_t a, int bits) {
  if (a == 0) return 0;
  const std::int64_t e = exp_negative(a > 0 ? -a : a, bits + 1);
  const std::int32_t t = satshl(reciprocal_core(e) - (std::int64_t{1} << 29), 2);
  return a < 0 ? -t : t;
}

std::int32_t reciprocal_fixed(std::int64_t x, int bits, int& over) {
  const int headroom = clz32(x);
  over = bits - headroom;
  return one_over_one_plus(wrap32(Wide{x} * power(headroom) - power(31)));
}

Multiplier inverse_square_root(std::int64_t n) {
  if (n <= 1) return {one, 0};
  int right = 11;
  while (n >= 1 << 29) n /= 4, ++right;
  const int pairs = (clz32(n) - 1) / 2 - 1;
  right -= pairs;
  n = wrap32(Wide{n} * power(2 * pairs));
  const std::int64_t half = rdp(n >> 1, 1);
  std::int64_t x = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t cube = satshl(srdhm(srdhm(x, x), x), 6);
    x = satshl(srdhm((1 << 28) + (1 << 27), x) - srdhm(half, cube), 3);
  }
  x = srdhm(x, 1518500250);
  if (right < 0) x = wrap32(Wide{x} * power(-right)), right = 0;
  return {x, -right};
}

std::int32_t log_fixed(std::int64_t x, int bits) {
  // ln x = ln 2 * (exponent of x) + ln r, r in [2^-1/2, 1] around 2^-1/4; a rational approximation of ln r.
  constexpr int accumulator = 6;
  constexpr std::int64_t ln_2 = 1488522236, root_half = 1518500250, fourth_root_half = 1805811301;
  constexpr std::int64_t alpha_n = 117049297, alpha_d = 127690142, alpha_i = 1057819769, alpha_f = 638450708;
  const std::int64_t quarter = rdp(536870912, accumulator);
  const auto saturate = [](Wide v) { return clamp(v, -power(31), power(31) - 1); };
  const int room_a = clz32(x);  // plus one
  const std::int64_t r_a = satshl(srdhm(satshl(x, room_a - 1), root_half), 1);
  const std::int64_t exponent_a = saturate(Wide{satshl(bits - room_a, 31 - accumulator)} + quarter);
  const std::int64_t z_b = srdhm(x, root_half);
  const int room_b = clz32(z_b) - 1;
  const std::int64_t r_b = satshl(x, room_b);
  const std::int64_t exponent_b = saturate(Wide{satshl(bits - room_b, 31 - accumulator)} - quarter);
  const std::int64_t r = std::min(r_a, r_b), exponent = std::max(exponent_a, exponent_b);
  const std::int64_t p = half_sum(r, fourth_root_half), q = 2 * (r - fourth_root_half), square = srdhm(q, q);
  const std::int64_t numerator = srdhm(q, r) + srdhm(srdhm(q, square), alpha_n);
  const std::int64_t denominator = srdhm(p, alpha_i + q + srdhm(alpha_d, square)) + srdhm(alpha_f, q);
  const std::int64_t reciprocal = one_over_one_plus(denominator);
  return satshl(srdhm(exponent, ln_2) + srdhm(rdp(numerator, accumulator), reciprocal), 1);
}

}  // namespace dse::nn::oracle
