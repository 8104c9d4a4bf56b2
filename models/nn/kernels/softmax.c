/* SOFTMAX over all channels of each pixel. The exponentials are computed twice instead of being kept: no scratch. Only
 * the channels of the tile are written. */
#include "dse_addressing.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

/* exp of a difference of raw values that is not below the operator's limit; Q0. */
static int32_t exponential(const dse_op* op, int32_t difference) {
  return dse_exp_neg_q5(dse_requantize(difference, op->m1, op->s1, op->rounding));
}

static void softmax_pixel(const dse_call* call, int32_t y, int32_t x) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const uint8_t* pin = dse_row(in, y) + (int64_t)x * in->stride_w;
  uint8_t* pout = dse_row(out, y) + (int64_t)x * out->stride_w;
  int32_t c, max = -128, sum = 0, headroom, scale, exponent;
  for (c = 0; c < op->in_c; ++c) max = dse_max(max, (int8_t)pin[dse_channel_offset(in, c)]);
  for (c = 0; c < op->in_c; ++c) {
    const int32_t d = (int8_t)pin[dse_channel_offset(in, c)] - max;
    /* The sum is in Q12: it holds up to 4095 values. */
    if (d >= op->left_shift) sum = dse_wrap_add(sum, dse_rounding_divide_by_pot(exponential(op, d), 12));
  }
  headroom = dse_clz32((uint32_t)sum);
  scale = dse_one_over_one_plus((int32_t)(((uint32_t)sum << headroom) - UINT32_C(0x80000000)));
  exponent = 12 - headroom + 31 - 8;
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const int32_t d = (int8_t)pin[dse_channel_offset(in, c)] - max;
    int32_t v = -128;
    if (d >= op->left_shift) {
      const int32_t e = dse_srdhm(scale, exponential(op, d));
      v = dse_clamp((int64_t)dse_rounding_divide_by_pot(e, dse_min(exponent, 31)) - 128, -128, 127);
    }
    pout[dse_channel_offset(out, c)] = (uint8_t)v;
  }
}

void dse_softmax(const dse_call* call) {
  const dse_tile* t = &call->tile;
  int32_t y, x;
  for (y = t->y.lo; y < t->y.hi; ++y)
    for (x = t->x.lo; x < t->x.hi; ++x) softmax_pixel(call, y, x);
}
