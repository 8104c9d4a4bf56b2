// Q formats: Qm.n has 1 sign bit, m integer and n fraction bits; the value of q is q * 2^-n.
#pragma once
#include <cstdint>
#include <string>

namespace dse::nn::quantizer {

struct QFormat {
  int bits = 8;  // 8 or 16 in all
  int n = 7;     // fraction bits; may be negative (steps above 1) or above bits - 1 (m < 0)
  int m() const { return bits - 1 - n; }
  std::string text() const;      // "Q5.10"
  double step() const;           // 2^-n
  std::int64_t lowest() const;   // -2^(bits - 1)
  std::int64_t highest() const;  // 2^(bits - 1) - 1
};

/// The format with the fewest integer bits m >= least_m that holds the range: -2^m <= min and max < 2^m (strictly: +1
/// does not fit Q0.15, though the largest value of a format may still saturate by one step when it is rounded). A range
/// of nothing but 0 takes m = 0.
/// @param bits 8 or 16. @param least_m 0 is the rule of the source (docs/how/arithmetic.md); below 0 small values keep
/// more digits and every store pays a shift.
QFormat choose_format(double min, double max, int bits, int least_m = 0);

/// sat(round(value * 2^n)), half away from zero. NaN becomes 0.
std::int64_t encode(double value, const QFormat& format);

enum class Divisor { integer, power_of_two };
const char* name_of(Divisor d);  // "integer", "power-of-two"

/// What weights of this largest magnitude are divided by to become fully fractional: the magnitude rounded up to an
/// integer, or to a power of two; at least 1.
/// @param max_abs finite, >= 0, at most 2^30.
std::int32_t division_factor(double max_abs, Divisor divisor);

}  // namespace dse::nn::quantizer
