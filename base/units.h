// Strong units. A Bytes is never a Cycles; both are signed 64-bit so that differences are safe.
#pragma once
#include <compare>
#include <cstdint>

namespace dse {

template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t n) : n_(n) {}
  constexpr std::int64_t count() const { return n_; }
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity o) {
    n_ += o.n_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    n_ -= o.n_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.n_ + b.n_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.n_ - b.n_); }
  friend constexpr Quantity operator*(Quantity a, std::int64_t k) { return Quantity(a.n_ * k); }
  friend constexpr Quantity operator*(std::int64_t k, Quantity a) { return Quantity(a.n_ * k); }

 private:
  std::int64_t n_ = 0;
};

using Bytes = Quantity<struct BytesTag>;
using Cycles = Quantity<struct CyclesTag>;

/// A non-negative rational, used for rates (bytes per cycle, cycles per multiply-accumulate). `den` > 0.
struct Ratio {
  std::int64_t num = 0;
  std::int64_t den = 1;
  constexpr bool zero() const { return num == 0; }
  constexpr double value() const { return static_cast<double>(num) / static_cast<double>(den); }
  friend constexpr bool operator==(const Ratio& a, const Ratio& b) { return a.num * b.den == b.num * a.den; }
};

/// ceil(n * r) in exact integers; n >= 0.
constexpr std::int64_t ceil_mul(std::int64_t n, Ratio r) { return (n * r.num + r.den - 1) / r.den; }
/// ceil(n / r) in exact integers; n >= 0, r > 0.
constexpr std::int64_t ceil_div(std::int64_t n, Ratio r) { return (n * r.den + r.num - 1) / r.num; }
constexpr std::int64_t ceil_div(std::int64_t n, std::int64_t d) { return (n + d - 1) / d; }
constexpr std::int64_t round_up(std::int64_t n, std::int64_t a) { return ceil_div(n, a) * a; }

}  // namespace dse
