// ADD, SUB, MUL, DIV, SQUARED_DIFFERENCE, MAXIMUM, MINIMUM: 2.4 to 2.6, 2.26, 2.30.
#include <algorithm>
#include <cmath>

#include "families.h"

namespace dse::nn::oracle {
namespace {

struct Binary {
  const Call& c;
  const Tensor &a, &b;
  Tensor& y;
  explicit Binary(const Call& call) : c(call), a(c.x(0)), b(c.x(1)), y(c.y()) {}

  template <class F>
  void store(F f) {
    each(y.shape, [&](const Index& i) { y.q.push_back(finish(c, f(broadcast_at(a, i), broadcast_at(b, i)))); });
  }
  std::int32_t below_one(std::int64_t v, Multiplier m) const { return mbqm32(fits32(v), m, c.o.mode); }
  Multiplier q(double d) const { return quantize_multiplier(d, c.o.mode); }
};

void add(const Call& c, int sign) {
  Binary k(c);
  const double sa = static_cast<double>(k.a.s()), sb = static_cast<double>(k.b.s()), sy = static_cast<double>(k.y.s());
  if (c.o.mode == Mode::qformat) {
    const int na = fraction_bits(k.a), nb = fraction_bits(k.b), f = std::max(na, nb);
    k.store([&](std::int64_t a, std::int64_t b) {
      return shr(a * power(f - na) + sign * b * power(f - nb), f - fraction_bits(k.y));
    });
    return;
  }
  if (c.o.mode == Mode::onnx) {
    const double ra = sa / sy, rb = sb / sy;
    int shift = 40;
    while (std::ldexp(std::max(ra, rb), shift) >= std::ldexp(1.0, 30)) --shift;
    if (shift < 0) c.refuse("scales beyond 2^30");
    const auto ma = static_cast<std::int64_t>(std::round(std::ldexp(ra, shift)));
    const auto mb = static_cast<std::int64_t>(std::round(std::ldexp(rb, shift)));
    k.store([&](std::int64_t a, std::int64_t b) {
      return half_even(Wide{a - k.a.z()} * ma + sign * Wide{b - k.b.z()} * mb, power(shift)) + k.y.z();
    });
    return;
  }
  const int left = k.a.type == Type::i16 ? 15 : 20;
  Multiplier ma, mb, my;
  if (sign > 0) {
    const double twice = 2 * std::max(sa, sb);
    ma = k.q(sa / twice), mb = k.q(sb / twice), my = k.q(twice / (std::ldexp(1.0, left) * sy));
  } else {  // the same in binary32
    const float twice = 2 * std::max(k.a.s(), k.b.s());
    const float fa = k.a.s() / twice, fb = k.b.s() / twice, scaled = static_cast<float>(1 << left) * k.y.s();
    const float fy = twice / scaled;
    ma = k.q(static_cast<double>(fa)), mb = k.q(static_cast<double>(fb)), my = k.q(static_cast<double>(fy));
  }
  if (my.shift > 0) c.refuse("output multiplier above one");
  k.store([&](std::int64_t a, std::int64_t b) {
    const std::int64_t p = k.below_one((a - k.a.z()) << left, ma), q = k.below_one((b - k.b.z()) << left, mb);
    return Wide{k.below_one(p + sign * q, my)} + k.y.z();
  });
}

void multiply(const Call& c) {
  Binary k(c);
  if (c.o.mode == Mode::qformat) {
    const int t = fraction_bits(k.a) + fraction_bits(k.b) - fraction_bits(k.y);
    k.store([&](std::int64_t a, std::int64_t b) { return shr(Wide{a} * b, t); });
    return;
  }
  const Multiplier m = k.q(static_cast<double>(k.a.s()) * static_cast<double>(k.b.s()) / static_cast<double>(k.y.s()));
  k.store([&](std::int64_t a, std::int64_t b) {
    return Wide{mbqm32(fits32(Wide{a - k.a.z()} * (b - k.b.z())), m, c.o.mode)} + k.y.z();
  });
}

void squared_difference(const Call& c) {
  Binary k(c);
  const double sa = static_cast<double>(k.a.s()), sb = static_cast<double>(k.b.s());
  const double twice = 2 * std::max(sa, sb);
  const float scaled = 16384.0f * k.y.s();
  const Multiplier ma = k.q(sa / twice), mb = k.q(sb / twice), my = k.q(twice * twice / static_cast<double>(scaled));
  k.store([&](std::int64_t a, std::int64_t b) {
    const std::int64_t d = std::int64_t{k.below_one((a - k.a.z()) * 128, ma)} - k.below_one((b - k.b.z()) * 128, mb);
    return Wide{mbqm32(wrap32(Wide{d} * d), my, c.o.mode)} + k.y.z();
  });
}

void divide(const Call& c) {
  Binary k(c);
  const float product = k.b.s() * k.y.s();
  const float real = k.a.s() / product;
  const Multiplier m = k.q(static_cast<double>(real));
  k.store([&](std::int64_t a, std::int64_t b) {
    std::int64_t n = a - k.a.z(), d = b - k.b.z();
    if (d == 0) c.refuse("division by zero");
    if (d < 0) n = -n, d = -d;
    int over = 0;
    const std::int64_t inverse = reciprocal_fixed(d, 31, over);
    const int head = clz32(n < 0 ? ~n : n) - 1;  // redundant sign bits
    const std::int64_t u = srdhm(wrap32(Wide{n} * power(head)), inverse);
    return Wide{mbqm32(u, {m.m, m.shift - over - head}, c.o.mode)} + k.y.z();
  });
}

}  // namespace

bool run_binary(const Call& c) {
  if (c.kind == "ADD") return add(c, 1), true;
  if (c.kind == "SUB") return add(c, -1), true;
  if (c.kind == "MUL") return multiply(c), true;
  if (c.kind == "SQUARED_DIFFERENCE") return squared_difference(c), true;
  if (c.kind == "DIV") return divide(c), true;
  if (c.kind == "MAXIMUM" || c.kind == "MINIMUM") {
    const bool maximum = c.kind == "MAXIMUM";
    Binary(c).store([&](std::int64_t a, std::int64_t b) { return maximum ? std::max(a, b) : std::min(a, b); });
    return true;
  }
  return false;
}

}  // namespace dse::nn::oracle
