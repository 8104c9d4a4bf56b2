/* Fixed-point primitives of the int8 reference arithmetic (gemmlowp's, as TensorFlow Lite uses them). "Q<i>" is an
 * int32 with i integer bits and 31 - i fraction bits. Right shifts of negative numbers are taken to be arithmetic, as
 * every compiler that we know of does. Sums that may wrap are made in uint32_t, so that nothing here is undefined. */
#ifndef DSE_FIXEDPOINT_H
#define DSE_FIXEDPOINT_H
#include <stdint.h>

#include "dse_kernels.h"

#define DSE_INT32_MAX INT32_C(2147483647)
#define DSE_INT32_MIN (-DSE_INT32_MAX - 1)

static inline int32_t dse_wrap_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static inline int32_t dse_wrap_sub(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
static inline int32_t dse_wrap_shl(int32_t a, int32_t n) { return (int32_t)((uint32_t)a << n); }

static inline int32_t dse_clamp(int64_t v, int32_t lo, int32_t hi) { return v < lo ? lo : v > hi ? hi : (int32_t)v; }

/* Saturating rounding doubling high multiply: a * b / 2^31, to nearest, ties toward +infinity. */
static inline int32_t dse_srdhm(int32_t a, int32_t b) {
  if (a == DSE_INT32_MIN && b == DSE_INT32_MIN) return DSE_INT32_MAX;
  return (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
}

/* x / 2^n, to nearest, ties away from zero; 0 <= n <= 31. */
static inline int32_t dse_rounding_divide_by_pot(int32_t x, int32_t n) {
  const int64_t mask = (INT64_C(1) << n) - 1;
  const int64_t remainder = (int64_t)x & mask;
  const int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> n) + (remainder > threshold ? 1 : 0);
}

/* x * 2^n, saturating; 0 <= n <= 31. */
static inline int32_t dse_saturating_shl(int32_t x, int32_t n) {
  const int64_t v = (int64_t)x * (INT64_C(1) << n);
  return dse_clamp(v, DSE_INT32_MIN, DSE_INT32_MAX);
}

/* p / 2^n, to nearest, ties to the even integer; 1 <= n <= 62. */
static inline int64_t dse_half_even(int64_t p, int32_t n) {
  const int64_t floor = p >> n;
  const int64_t remainder = p & ((INT64_C(1) << n) - 1), half = INT64_C(1) << (n - 1);
  return floor + (remainder > half || (remainder == half && (floor & 1)) ? 1 : 0);
}

/* p / (n * 2^r), to nearest, ties to the even integer; n >= 1, 1 <= r <= 62. */
static inline int64_t dse_half_even_quotient(int64_t p, int64_t n, int32_t r) {
  const int64_t q = p >> r, low = p & ((INT64_C(1) << r) - 1);
  int64_t quotient = q / n, rest = q % n, twice;
  if (rest < 0) {
    rest += n;
    --quotient;
  }
  /* The fraction is (rest + low / 2^r) / n: compare its double with 1. */
  twice = 2 * rest - n;
  if (twice == -1) {
    const int64_t half = INT64_C(1) << (r - 1);
    return quotient + (low > half || (low == half && (quotient & 1)) ? 1 : 0);
  }
  if (twice == 0 && low == 0) return quotient + (quotient & 1);
  return quotient + (twice >= 0 ? 1 : 0);
}

/* Requantisation: x * m / 2^31 * 2^s with m >= 0 and -31 <= s <= 30, rounded once or twice as `rounding` (enum
 * dse_rounding) says. */
static inline int32_t dse_requantize(int32_t x, int32_t m, int32_t s, int32_t rounding) {
  if (rounding == DSE_ROUND_SINGLE) {
    const int32_t shift = 31 - s;
    return (int32_t)(((int64_t)x * m + (INT64_C(1) << (shift - 1))) >> shift);
  }
  if (rounding == DSE_ROUND_ONNX) return dse_clamp(dse_half_even((int64_t)x * m, 31 - s), DSE_INT32_MIN, DSE_INT32_MAX);
  if (s > 0) return dse_srdhm(dse_wrap_shl(x, s), m);
  return dse_rounding_divide_by_pot(dse_srdhm(x, m), -s);
}

/* The same of 64-bit accumulators (TensorFlow Lite's rule, |x| < 2^47): the multiplier is cut to 16 bits; one rounding,
 * ties toward +infinity. s <= 14. */
static inline int32_t dse_requantize_wide(int64_t x, int32_t m, int32_t s) {
  const int64_t reduced = m < 0x7FFF0000 ? (m + (1 << 15)) >> 16 : 0x7FFF;
  const int32_t shift = 15 - s;
  const uint64_t product = (uint64_t)x * (uint64_t)reduced + (UINT64_C(1) << (shift - 1));
  return (int32_t)((int64_t)product >> shift);
}

/* v * 2^-t for Q formats: t > 0 to nearest, ties toward +infinity; t <= 0 exact. -31 <= t <= 46, |v| <= 2^62. Results
 * beyond 32 bits keep their sign and stay beyond 16 bits. */
static inline int64_t dse_shift_round(int64_t v, int32_t t) {
  const int64_t most = INT64_C(1) << 31;
  if (t > 0) return (v + (INT64_C(1) << (t - 1))) >> t;
  v = v < -most ? -most : v > most ? most : v;
  return v * (INT64_C(1) << -t);
}

/* acc * factor, factor >= 1, at most 2^62 in magnitude: 2^62 >> 46 is still beyond 16 bits. */
static inline int64_t dse_correct(int64_t acc, int32_t factor) {
  const int64_t most = INT64_C(1) << 62;
  return acc > most / factor ? most : acc < -(most / factor) ? -most : acc * factor;
}

/* v * 2^t for -31 <= t <= 46, at most 2^62 in magnitude; to the right toward minus infinity. */
static inline int64_t dse_limit(int32_t v, int32_t t) {
  const int64_t most = INT64_C(1) << 62;
  if (t <= 0) return (int64_t)v >> -t;
  return v > most >> t ? most : v < -(most >> t) ? -most : (int64_t)v * (INT64_C(1) << t);
}

/* The store of a Q format: `factor` >= 1 is multiplied in before or after the rounding shift (enum dse_correction); the
 * output's type is [low, high], at most 16 bits. */
static inline int64_t dse_store_qformat(int64_t acc, int32_t factor, int32_t t, int32_t correction, int32_t low,
                                        int32_t high) {
  if (correction == DSE_ROUND_THEN_CORRECT)
    return (int64_t)dse_clamp(dse_shift_round(dse_correct(acc, 1), t), low, high) * factor;
  return dse_shift_round(dse_correct(acc, factor), t);
}

/* Leading zero bits of x. */
static inline int32_t dse_clz32(uint32_t x) {
  int32_t n = 0;
  if (x == 0) return 32;
  while (!(x & UINT32_C(0x80000000))) {
    x <<= 1;
    ++n;
  }
  return n;
}

/* exp(a) for a in Q0 in [-1/4, 0): Taylor around -1/8. Result in Q0. */
static inline int32_t dse_exp_small(int32_t a) {
  const int32_t x = a + (INT32_C(1) << 28);
  const int32_t x2 = dse_srdhm(x, x);
  const int32_t x3 = dse_srdhm(x2, x);
  const int32_t x4 = dse_srdhm(x2, x2);
  const int32_t sixth = 715827883;          /* 1/3 in Q0; halved below */
  const int32_t exp_minus_1_8 = 1895147668; /* exp(-1/8) in Q0 */
  const int32_t t = dse_rounding_divide_by_pot(dse_srdhm(dse_rounding_divide_by_pot(x4, 2) + x3, sixth) + x2, 1);
  return dse_wrap_add(exp_minus_1_8, dse_srdhm(exp_minus_1_8, dse_wrap_add(x, t)));
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

static inline int32_t dse_exp_neg_q5(int32_t a) { return dse_exp_neg(a, 5); }

/* 1 / (1 + a) for a in Q0 in [0, 1]: three Newton steps. Result in Q1. */
static inline int32_t dse_reciprocal_core(int32_t a) {
  const int64_t sum = (int64_t)a + DSE_INT32_MAX;
  const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  /* 48/17 - 32/17 * half in Q2. */
  int32_t x = dse_wrap_add(1515870810, dse_srdhm(half, -1010580540));
  int32_t i;
  for (i = 0; i < 3; ++i) {
    const int32_t error = dse_wrap_sub(INT32_C(1) << 29, dse_srdhm(half, x));
    x = dse_wrap_add(x, dse_saturating_shl(dse_srdhm(x, error), 2));
  }
  return x;
}

/* The same in Q0. */
static inline int32_t dse_one_over_one_plus(int32_t a) { return dse_saturating_shl(dse_reciprocal_core(a), 1); }

#endif
