// The primitives of the oracle, as roundings of exact quotients.
#pragma once
#include <cstdint>

#include "oracle.h"

namespace dse::nn::oracle {

__extension__ typedef __int128 Wide;

Wide floor_div(Wide a, Wide b);  // b > 0
Wide half_up(Wide a, Wide b);    // nearest, ties towards +infinity
Wide half_away(Wide a, Wide b);  // nearest, ties away from zero
Wide half_even(Wide a, Wide b);  // nearest, ties to the even integer
Wide power(int e);               // 2^e, 0 <= e <= 120

std::int32_t wrap32(Wide v);
std::int64_t clamp(Wide v, Wide lo, Wide hi);
/// v, or std::overflow_error when it is no 32-bit integer.
std::int64_t fits32(Wide v);

/// 1.1: the real number m * 2^(shift - 31).
struct Multiplier {
  std::int64_t m = 0;
  int shift = 0;
};
Multiplier quantize_multiplier(double d, Mode mode = Mode::tflite);

std::int32_t srdhm(std::int64_t a, std::int64_t b);  // 1.2
std::int32_t rdp(std::int64_t x, int n);             // 1.3
/// 1.4: `tflite` (also for the qformat operators that keep TFLite's arithmetic) and `single`; `onnx` rounds to even.
std::int32_t mbqm32(std::int64_t x, Multiplier m, Mode mode);
std::int32_t mbqm64(std::int64_t x, Multiplier m);     // 1.5
std::int16_t srdhm16(std::int64_t a, std::int64_t b);  // 1.6
std::int32_t satshl(std::int64_t x, int e);            // 1.7
int clz32(std::int64_t x);                             // of the low 32 bits

/// 1.10. Raw 32-bit fixed point; `bits` = integer bits of the argument.
std::int32_t exp_negative(std::int64_t a, int bits);
std::int32_t one_over_one_plus(std::int64_t a);  // a in Q0
std::int32_t logistic_fixed(std::int64_t a, int bits);
std::int32_t tanh_fixed(std::int64_t a, int bits);
/// 1/x for x > 0 in Q(bits): mantissa in Q0 and the bits over the unit.
std::int32_t reciprocal_fixed(std::int64_t x, int bits, int& over);
Multiplier inverse_square_root(std::int64_t n);
/// ln x for x >= 1 in Q(bits), in Q5. Not part of 1.10; the function LOG_SOFTMAX of the reference kernels uses.
std::int32_t log_fixed(std::int64_t x, int bits);

/// 1.8 and the roundings of each mode.
struct Range {
  std::int64_t lo, hi;
};
Range activation_range(const Tensor& out, Activation a, Mode mode);

/// qformat: fraction bits n of a tensor of scale 2^-n.
int fraction_bits(const Tensor& t);
Wide shr(Wide v, int t);

}  // namespace dse::nn::oracle
