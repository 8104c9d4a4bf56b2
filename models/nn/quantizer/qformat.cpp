#include "models/nn/quantizer/qformat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dse::nn::quantizer {

std::string QFormat::text() const { return fmt::format("Q{}.{}", m(), n); }
double QFormat::step() const { return std::ldexp(1.0, -n); }
std::int64_t QFormat::lowest() const { return -(std::int64_t{1} << (bits - 1)); }
std::int64_t QFormat::highest() const { return (std::int64_t{1} << (bits - 1)) - 1; }

QFormat choose_format(double min, double max, int bits, int least_m) {
  constexpr int most_m = 40;  // beyond, everything saturates
  if (min == 0 && max == 0) least_m = 0;
  int m = least_m;
  while (m < most_m && !(-std::ldexp(1.0, m) <= min && max < std::ldexp(1.0, m))) ++m;
  return {bits, bits - 1 - m};
}

std::int64_t encode(double value, const QFormat& format) {
  if (std::isnan(value)) return 0;
  const double scaled = std::round(std::ldexp(value, format.n));
  return static_cast<std::int64_t>(
      std::clamp(scaled, static_cast<double>(format.lowest()), static_cast<double>(format.highest())));
}

const char* name_of(Divisor d) { return d == Divisor::integer ? "integer" : "power-of-two"; }

std::int32_t division_factor(double max_abs, Divisor divisor) {
  if (divisor == Divisor::integer) return std::max(1, static_cast<std::int32_t>(std::ceil(max_abs)));
  std::int32_t factor = 1;
  while (factor < (1 << 30) && factor < max_abs) factor *= 2;
  return factor;
}

}  // namespace dse::nn::quantizer
