#include "arithmetic.h"

#include <cmath>
#include <stdexcept>

namespace dse::nn::oracle {

Wide floor_div(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }
Wide half_up(Wide a, Wide b) { return floor_div(2 * a + b, 2 * b); }
Wide half_away(Wide a, Wide b) { return a < 0 ? -half_up(-a, b) : half_up(a, b); }
Wide half_even(Wide a, Wide b) {
  const Wide below = floor_div(a, b), rest = a - below * b;
  if (2 * rest != b) return below + (2 * rest > b ? 1 : 0);
  return below + (below % 2 != 0 ? 1 : 0);
}
Wide power(int e) {
  if (e < 0 || e > 120) throw std::invalid_argument("power of two");
  return Wide{1} << e;
}

std::int32_t wrap32(Wide v) {
  const Wide low = v - floor_div(v, power(32)) * power(32);
  return static_cast<std::int32_t>(low >= power(31) ? low - power(32) : low);
}

std::int64_t clamp(Wide v, Wide lo, Wide hi) { return static_cast<std::int64_t>(v < lo ? lo : v > hi ? hi : v); }

std::int64_t fits32(Wide v) {
  if (v < -power(31) || v >= power(31)) throw std::overflow_error("accumulator");
  return static_cast<std::int64_t>(v);
}

Multiplier quantize_multiplier(double d, Mode mode) {
  if (d == 0) return {};
  Multiplier r;
  const double fraction = std::frexp(d, &r.shift);
  r.m = static_cast<std::int64_t>(std::round(fraction * 2147483648.0));
  if (r.m == 2147483648) r.m /= 2, ++r.shift;
  if (r.shift < -31) return {};
  if (mode == Mode::single && r.shift > 30) return {2147483647, 30};
  return r;
}

std::int32_t srdhm(std::int64_t a, std::int64_t b) {
  return static_cast<std::int32_t>(clamp(half_up(Wide{a} * b, power(31)), -power(31), power(31) - 1));
}

std::int32_t rdp(std::int64_t x, int n) {
  if (n < 0) throw std::invalid_argument("rounding shift");
  return static_cast<std::int32_t>(half_away(x, power(n)));
}

std::int32_t mbqm32(std::int64_t x, Multiplier m, Mode mode) {
  if (mode == Mode::single) return static_cast<std::int32_t>(fits32(half_up(Wide{x} * m.m, power(31 - m.shift))));
  if (mode == Mode::onnx) {
    const Wide product = Wide{x} * m.m;
    const int right = 31 - m.shift;
    const Wide r = right >= 0 ? half_even(product, power(right)) : product * power(-right);
    return static_cast<std::int32_t>(clamp(r, -power(31), power(31) - 1));
  }
  const int left = m.shift > 0 ? m.shift : 0, right = m.shift > 0 ? 0 : -m.shift;
  return rdp(srdhm(wrap32(Wide{x} * power(left)), m.m), right);
}

std::int32_t mbqm64(std::int64_t x, Multiplier m) {
  const Wide reduced = m.m < 0x7FFF0000 ? floor_div(m.m + 32768, 65536) : 0x7FFF;
  return wrap32(half_up(Wide{x} * reduced, power(15 - m.shift)));
}

std::int16_t srdhm16(std::int64_t a, std::int64_t b) {
  return static_cast<std::int16_t>(clamp(half_up(Wide{a} * b, power(15)), -32768, 32767));
}

std::int32_t satshl(std::int64_t x, int e) {
  if (e == 0) return static_cast<std::int32_t>(x);
  const Wide limit = power(31 - e) - 1;
  if (x > limit) return INT32_MAX;
  if (x < -limit) return INT32_MIN;
  return static_cast<std::int32_t>(Wide{x} * power(e));
}

int clz32(std::int64_t x) {
  const auto bits = static_cast<std::uint32_t>(x);
  int n = 0;
  while (n < 32 && !(bits >> (31 - n) & 1)) ++n;
  return n;
}

Range activation_range(const Tensor& out, Activation a, Mode mode) {
  Range r{lowest(out.type), highest(out.type)};
  const auto q = [&](float real) -> std::int64_t {
    const float units = real / out.s();
    return out.z() + static_cast<std::int64_t>(mode == Mode::onnx ? std::nearbyint(units) : std::round(units));
  };
  if (a == Activation::none) return r;
  r.lo = std::max(r.lo, q(a == Activation::relu_n1_to_1 ? -1.0f : 0.0f));
  if (a != Activation::relu) r.hi = std::min(r.hi, q(a == Activation::relu6 ? 6.0f : 1.0f));
  return r;
}

int fraction_bits(const Tensor& t) {
  int e = 0;
  if (std::frexp(t.s(), &e) != 0.5f || t.z() != 0) throw std::invalid_argument("not a Q format");
  return 1 - e;
}

Wide shr(Wide v, int t) { return t > 0 ? half_up(v, power(t)) : v * power(-t); }

}  // namespace dse::nn::oracle
