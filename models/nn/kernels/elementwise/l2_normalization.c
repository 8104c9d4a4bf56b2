/* L2_NORMALIZATION: each pixel's channels divided by the root of the sum of their squares. Output in steps of 1/128. */
#include "dse_addressing.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

typedef struct inverse_root {
  int32_t multiplier, right_shift;
} inverse_root;

/* 1 / sqrt(n): n is brought to [1/4, 1) by an even number of bits, and Newton's x += x (1 - n x^2) / 2 run five times
 * on 3 integer bits. */
static inverse_root one_over_root(int32_t n) {
  const int32_t three_halves = (INT32_C(1) << 28) + (INT32_C(1) << 27), root_of_half = 1518500250;
  inverse_root r;
  int32_t pairs, half, x = INT32_C(1) << 28, i;
  r.multiplier = DSE_INT32_MAX;
  r.right_shift = 0;
  if (n <= 1) return r;
  r.right_shift = 11;
  for (; n >= (INT32_C(1) << 29); n /= 4) ++r.right_shift;
  pairs = (dse_clz32((uint32_t)n) - 1) / 2 - 1;
  r.right_shift -= pairs;
  n *= INT32_C(1) << (2 * pairs);
  half = dse_rounding_divide_by_pot(n >> 1, 1);
  for (i = 0; i < 5; ++i) {
    const int32_t cube = dse_saturating_shl(dse_srdhm(dse_srdhm(x, x), x), 6);
    x = dse_saturating_shl(dse_wrap_sub(dse_srdhm(three_halves, x), dse_srdhm(half, cube)), 3);
  }
  x = dse_srdhm(x, root_of_half);
  if (r.right_shift < 0) {
    x = dse_wrap_shl(x, -r.right_shift);
    r.right_shift = 0;
  }
  r.multiplier = x;
  return r;
}

static void normalize_pixel(const dse_call* call, int32_t y, int32_t x) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const uint8_t* pin = dse_row(in, y) + (int64_t)x * in->stride_w;
  uint8_t* pout = dse_row(out, y) + (int64_t)x * out->stride_w;
  inverse_root r;
  int32_t c, sum = 0;
  for (c = 0; c < op->in_c; ++c) {
    const int32_t d = (int8_t)pin[dse_channel_offset(in, c)] - op->in_zero;
    sum = dse_wrap_add(sum, d * d);
  }
  r = one_over_root(sum);
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const int32_t d = (int8_t)pin[dse_channel_offset(in, c)] - op->in_zero;
    pout[dse_channel_offset(out, c)] =
        (uint8_t)dse_clamp(dse_requantize(d, r.multiplier, 7 - r.right_shift, op->rounding), -128, 127);
  }
}

void dse_l2_normalization(const dse_call* call) {
  const dse_tile* t = &call->tile;
  int32_t y, x;
  for (y = t->y.lo; y < t->y.hi; ++y)
    for (x = t->x.lo; x < t->x.hi; ++x) normalize_pixel(call, y, x);
}
