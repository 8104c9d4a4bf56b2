/* Fixed-point functions beyond dse_fixedpoint.h: the roundings of the onnx and qformat modes for any shift, the
 * logistic function and the hyperbolic tangent in 32 bits (in 16: dse_sigmoid16.h). Shift amounts out of range are cut,
 * so that nothing here is undefined whatever an operator's parameters are. */
#ifndef DSE_FUNCTIONS_H
#define DSE_FUNCTIONS_H
#include <stdint.h>

#include "dse_addressing.h"
#include "dse_fixedpoint.h"

/* v / 2^t to nearest, ties to even; t <= 0: v. */
static inline int64_t dse_round_half_even(int64_t v, int32_t t) {
  return t <= 0 ? v : dse_half_even(v, dse_min(t, 62));
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

#endif
