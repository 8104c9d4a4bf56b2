/* Fixed-point functions beyond dse_fixedpoint.h: the roundings of the onnx and qformat modes, exponentials of any
 * number of integer bits, the logistic function and the hyperbolic tangent in 32 and in 16 bits. Shift amounts out of
 * range are cut, so that nothing here is undefined whatever an operator's parameters are. */
#ifndef DSE_FUNCTIONS_H
#define DSE_FUNCTIONS_H
#include <stdint.h>

#include "dse_addressing.h"
#include "dse_fixedpoint.h"

/* v / 2^t to nearest, ties to even; t <= 0: v. */
static inline int64_t dse_round_half_even(int64_t v, int32_t t) {
  int64_t whole, rest, half;
  if (t <= 0) return v;
  t = dse_min(t, 62);
  whole = v >> t;
  rest = v & ((INT64_C(1) << t) - 1);
  half = INT64_C(1) << (t - 1);
  return whole + (rest > half || (rest == half && (whole & 1)) ? 1 : 0);
}

/* Requantisation in any mode; x * m / 2^(31 - s). In the onnx mode x may have 33 bits, in the others it has 32. */
static inline int64_t dse_rescale(int64_t x, int32_t m, int32_t s, int32_t rounding) {
  if (rounding == DSE_ROUND_ONNX) return dse_round_half_even(x * m, 31 - s);
  return dse_requantize((int32_t)(uint32_t)(uint64_t)x, m, dse_max(-31, dse_min(s, 30)), rounding);
}

/* A change of Q format by t fraction bits: to nearest, ties upwards; t <= 0 multiplies. Products beyond 2^52 are cut to
 * values that every type of at most 32 bits saturates at. */
static inline int64_t dse_shift_format(int64_t v, int32_t t) {
  const int64_t limit = INT64_C(1) << 32;
  if (t > 0) {
    t = dse_min(t, 62);
    return (v >> t) + ((v >> (t - 1)) & 1);
  }
  v = v < -limit ? -limit : v > limit ? limit : v;
  if (t < -30) return v == 0 ? 0 : v < 0 ? -(limit << 30) : limit << 30;
  return v * (INT64_C(1) << -t);
}

/* The same as dse_srdhm for 16 bits. */
static inline int32_t dse_srdhm16(int32_t a, int32_t b) {
  const int32_t p = a * b;
  if (a == -32768 && b == -32768) return 32767;
  return (p + (1 << 14)) >> 15;
}

/* exp(a) for a <= 0 in Q<bits>, 0 <= bits <= 5. Result in Q0. */
static inline int32_t dse_exp_neg(int32_t a, int32_t bits) {
  /* exp(-2^e) in Q0 for e = -2 .. 4. */
  static const int32_t factor[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int32_t fraction_bits = 31 - bits;
  const int32_t quarter = INT32_C(1) << (fraction_bits - 2);
  const int32_t a_mod = (a & (quarter - 1)) - quarter;
  const int32_t remainder = dse_wrap_sub(a_mod, a);
  int32_t r = dse_exp_small(dse_saturating_shl(a_mod, bits));
  int32_t e;
  for (e = -2; e < bits; ++e)
    if (remainder & (INT32_C(1) << (fraction_bits + e))) r = dse_srdhm(r, factor[e + 2]);
  return a == 0 ? DSE_INT32_MAX : r;
}

/* (1 - a) / (1 + a) for a in Q0 in [0, 1]. Result in Q0. */
static inline int32_t dse_one_minus_over_one_plus(int32_t a) {
  return dse_saturating_shl(dse_wrap_sub(dse_reciprocal_core(a), INT32_C(1) << 29), 2);
}

/* 1 / (1 + exp(-a)) for a in Q4. Result in Q0. */
static inline int32_t dse_logistic_q4(int32_t a) {
  int32_t p;
  if (a == 0) return INT32_C(1) << 30;
  p = dse_one_over_one_plus(dse_exp_neg(a > 0 ? -a : a, 4));
  return a > 0 ? p : DSE_INT32_MAX - p;
}

/* tanh(a) for a in Q4. Result in Q0. */
static inline int32_t dse_tanh_q4(int32_t a) {
  int32_t t;
  if (a == 0) return 0;
  /* The same bits with one integer bit more are 2 a. */
  t = dse_one_minus_over_one_plus(dse_exp_neg(a > 0 ? -a : a, 5));
  return a > 0 ? t : -t;
}

/* An int16 as argument of the two functions below: x * multiplier / 2^shift, to nearest, ties upwards, in Q3.12 times
 * 3: the table's steps are 1/24. */
static inline int32_t dse_table_argument(int32_t x, int32_t multiplier, int32_t shift) {
  return dse_clamp(dse_shift_format((int64_t)x * multiplier, dse_max(shift, 0)), -(INT32_C(1) << 28), INT32_C(1) << 28);
}

/* 1 / (1 + exp(-d / 12288)) and tanh(d / 12288) in 2^-15. */
int32_t dse_logistic16(int32_t d);
int32_t dse_tanh16(int32_t d);

#endif
