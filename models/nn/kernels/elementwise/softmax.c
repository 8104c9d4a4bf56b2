/* SOFTMAX over all channels of each pixel. The exponentials are computed twice instead of being kept: no scratch. Only
 * the channels of the tile are written. Parameters: (m1, s1) brings differences to Q5, left_shift = the least
 * difference that counts, arg[0] = fraction bits of the output. From int16 to int16: softmax16.c. */
#include "dse_addressing.h"
#include "dse_elements.h"
#include "dse_elementwise.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

/* exp of a difference of raw values that is not below the operator's limit; Q0. */
static int32_t exponential(const dse_op* op, int32_t difference) {
  return dse_exp_neg_q5(dse_requantize(difference, op->m1, op->s1, op->rounding));
}

static int32_t value(const dse_call* call, const uint8_t* pixel, int32_t c) {
  return dse_element(pixel + dse_channel_offset(&call->view[DSE_IN0], c), call->op->in_type);
}

static void softmax_pixel(const dse_call* call, const uint8_t* in, uint8_t* out, int32_t max) {
  const dse_op* op = call->op;
  int32_t c, sum = 0, headroom, scale, exponent;
  for (c = 0; c < op->in_c; ++c) {
    const int32_t d = value(call, in, c) - max;
    /* The sum is in Q12: it holds up to 4095 values. */
    if (d >= op->left_shift) sum = dse_wrap_add(sum, dse_rounding_divide_by_pot(exponential(op, d), 12));
  }
  headroom = dse_clz32((uint32_t)sum);
  scale = dse_one_over_one_plus((int32_t)(((uint32_t)sum << (headroom & 31)) - UINT32_C(0x80000000)));
  exponent = 12 - headroom + 31 - dse_max(0, dse_min(op->arg[0], 16));
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const int32_t d = value(call, in, c) - max;
    int32_t v = 0;
    /* A divisor above 2^31 leaves nothing of 31 bits. */
    if (d >= op->left_shift && exponent <= 31)
      v = dse_rounding_divide_by_pot(dse_srdhm(scale, exponential(op, d)), dse_max(exponent, 0));
    v = dse_clamp((int64_t)v + op->out_zero, op->act_min, op->act_max);
    dse_put_element(out + dse_channel_offset(&call->view[DSE_OUT], c), op->out_type, v);
  }
}

void dse_softmax(const dse_call* call) {
  const dse_view *in = &call->view[DSE_IN0], *out = &call->view[DSE_OUT];
  const dse_tile* t = &call->tile;
  int32_t y, x, c;
  for (y = t->y.lo; y < t->y.hi; ++y)
    for (x = t->x.lo; x < t->x.hi; ++x) {
      const uint8_t* pin = dse_row(in, y) + (int64_t)x * in->stride_w;
      uint8_t* pout = dse_row(out, y) + (int64_t)x * out->stride_w;
      int32_t max = value(call, pin, 0);
      for (c = 1; c < call->op->in_c; ++c) max = dse_max(max, value(call, pin, c));
      if (call->op->in_type == DSE_I16)
        dse_softmax16_pixel(call, pin, pout, max);
      else
        softmax_pixel(call, pin, pout, max);
    }
}
