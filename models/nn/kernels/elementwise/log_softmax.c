/* LOG_SOFTMAX over all channels of each pixel: x - max - log(sum of exp(x - max)), in steps of 1/16 from -16 to 0.
 *
 * m1, s1, left_shift: as SOFTMAX. m2, s2: from Q5 back to steps of the input. */
#include "dse_addressing.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

/* Mantissa and exponent of log_q5's argument: x = mantissa * 2^exponent, the exponent in Q6. */
typedef struct binary {
  int32_t mantissa, exponent;
} binary;

/* The argument seen from 2^-1/2 .. 1 or from there times 2^1/2, whichever puts the mantissa nearer to 2^-1/4. `x` in
 * Q12, at least 1; of a sum that has wrapped around nothing is expected but that no shift is negative. */
static binary split(int32_t x) {
  const int32_t root_of_half = 1518500250, unit = INT32_C(1) << 25, quarter = unit / 4;
  const int32_t bits_a = dse_max(dse_clz32((uint32_t)x), 1);
  const int32_t bits_b = dse_max(dse_clz32((uint32_t)dse_srdhm(x, root_of_half)) - 1, 0);
  const int32_t a = dse_saturating_shl(dse_srdhm(dse_saturating_shl(x, bits_a - 1), root_of_half), 1);
  const int32_t b = dse_saturating_shl(x, bits_b);
  const int32_t exponent_a = (12 - bits_a) * unit + quarter, exponent_b = (12 - bits_b) * unit - quarter;
  binary r;
  r.mantissa = a < b ? a : b;
  r.exponent = exponent_a > exponent_b ? exponent_a : exponent_b;
  return r;
}

/* log(x) in Q5 for x >= 1 in Q12: the exponent times log 2, plus a rational approximation of the mantissa's logarithm
 * around 2^-1/4. */
static int32_t log_q5(int32_t x) {
  const int32_t log_2 = 1488522236, center = 1805811301; /* 2^-1/4 */
  /* With w = 2^1/4: 11/240 w, w/20, 2/w - w, w/4. */
  const int32_t n3 = 117049297, d2 = 127690142, d0 = 1057819769, d1 = 638450708;
  const binary v = split(x);
  const int64_t sum = (int64_t)v.mantissa + center;
  const int32_t mean = (int32_t)((sum + 1) / 2);
  const int32_t q = dse_wrap_shl(dse_wrap_sub(v.mantissa, center), 1);
  const int32_t square = dse_srdhm(q, q);
  const int32_t numerator = dse_wrap_add(dse_srdhm(q, v.mantissa), dse_srdhm(dse_srdhm(q, square), n3));
  const int32_t polynomial = dse_wrap_add(dse_wrap_add(d0, q), dse_srdhm(d2, square));
  const int32_t denominator = dse_wrap_add(dse_srdhm(mean, polynomial), dse_srdhm(d1, q)); /* less one */
  const int32_t fraction = dse_srdhm(dse_rounding_divide_by_pot(numerator, 6), dse_one_over_one_plus(denominator));
  return dse_saturating_shl(dse_wrap_add(dse_srdhm(v.exponent, log_2), fraction), 1);
}

/* A difference of raw values in Q5. */
static int32_t rescaled(const dse_op* op, int32_t difference) {
  return dse_requantize(difference, op->m1, op->s1, op->rounding);
}

static void log_softmax_pixel(const dse_call* call, int32_t y, int32_t x) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const uint8_t* pin = dse_row(in, y) + (int64_t)x * in->stride_w;
  uint8_t* pout = dse_row(out, y) + (int64_t)x * out->stride_w;
  int32_t c, max = -128, sum = 0, log, limit;
  for (c = 0; c < op->in_c; ++c) max = dse_max(max, (int8_t)pin[dse_channel_offset(in, c)]);
  for (c = 0; c < op->in_c; ++c) {
    const int32_t d = (int8_t)pin[dse_channel_offset(in, c)] - max;
    /* The sum is in Q12: it holds up to 4095 values. */
    if (d >= op->left_shift) sum = dse_wrap_add(sum, dse_rounding_divide_by_pot(dse_exp_neg_q5(rescaled(op, d)), 12));
  }
  log = log_q5(sum);
  /* What lies below comes out under -16. */
  limit = dse_requantize(dse_wrap_add(log, DSE_INT32_MIN), op->m2, op->s2, op->rounding);
  limit = dse_max(op->left_shift - 1, limit);
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const int32_t d = (int8_t)pin[dse_channel_offset(in, c)] - max;
    int32_t v = -128;
    if (d > limit)
      v = dse_clamp((int64_t)dse_rounding_divide_by_pot(dse_wrap_sub(rescaled(op, d), log), 31 - 5 - 4) + 127, -128,
                    127);
    pout[dse_channel_offset(out, c)] = (uint8_t)v;
  }
}

void dse_log_softmax(const dse_call* call) {
  const dse_tile* t = &call->tile;
  int32_t y, x;
  for (y = t->y.lo; y < t->y.hi; ++y)
    for (x = t->x.lo; x < t->x.hi; ++x) log_softmax_pixel(call, y, x);
}
