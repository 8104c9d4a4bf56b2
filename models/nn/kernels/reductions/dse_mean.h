/* MEAN and SUM: from a sum of raw values to a result. */
#ifndef DSE_MEAN_H
#define DSE_MEAN_H
#include "dse_fixedpoint.h"

/* n / d to nearest, ties to even; d > 0 and at most 2^62. */
static inline int64_t dse_nearest_even(int64_t n, int64_t d) {
  int64_t q = n / d, r = n % d;
  if (r < 0) {
    --q;
    r += d;
  }
  if (2 * r > d || (2 * r == d && (q & 1))) ++q;
  return q;
}

/* The result of n raw values that add up to `sum`. `divides`: in onnx and qformat, 1 = divide by n (tflite and single
 * have the division in m1 and s1). */
static inline int32_t dse_mean(const dse_op* op, int64_t sum, int32_t n, int32_t divides) {
  const int64_t divisor = divides ? n : 1;
  if (op->rounding == DSE_ROUND_QFORMAT) {
    const int64_t half = divisor / 2;
    return dse_clamp((sum > 0 ? sum + half : sum - half) / divisor, op->act_min, op->act_max);
  }
  sum -= (int64_t)op->in_zero * n;
  if (op->rounding == DSE_ROUND_ONNX) {
    /* Ratios below 2^-9 of an 8-bit mean round to 0, and the divisor would not fit. */
    const int64_t v = op->s1 < -8 ? 0 : dse_nearest_even(sum * op->m1, divisor << (31 - op->s1));
    return dse_clamp(v + op->out_zero, op->act_min, op->act_max);
  }
  /* The reference's sums are of 32 bits and wrap. */
  return dse_clamp((int64_t)dse_requantize((int32_t)(uint32_t)sum, op->m1, op->s1, op->rounding) + op->out_zero,
                   op->act_min, op->act_max);
}

#endif
