/* ADD: both inputs are brought to twice the larger scale with `left_shift` extra bits, added and requantised. An
 * operand that is broadcast has views with stride 0 in the dimensions that it lacks. */
#include "dse_addressing.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

static int32_t scaled(int32_t v, int32_t multiplier, int32_t shift, int32_t rounding) {
  return dse_requantize(v, multiplier, shift, rounding);
}

static int32_t add_one(const dse_op* op, int32_t a, int32_t b) {
  const int32_t p = scaled((a - op->in_zero) * (INT32_C(1) << op->left_shift), op->m1, op->s1, op->rounding);
  const int32_t q = scaled((b - op->in2_zero) * (INT32_C(1) << op->left_shift), op->m2, op->s2, op->rounding);
  const int32_t r = scaled(dse_wrap_add(p, q), op->m3, op->s3, op->rounding);
  return dse_clamp((int64_t)r + op->out_zero, op->act_min, op->act_max);
}

void dse_binary(const dse_call* call) {
  const dse_tile* t = &call->tile;
  const dse_view* va = &call->view[DSE_IN0];
  const dse_view* vb = &call->view[DSE_IN1];
  const dse_view* vo = &call->view[DSE_OUT];
  int32_t y, x, c, i, n;
  for (y = t->y.lo; y < t->y.hi; ++y) {
    for (c = t->c.lo; c < t->c.hi; c += n) {
      const uint8_t* ra = dse_row(va, y) + dse_channel_offset(va, c);
      const uint8_t* rb = dse_row(vb, y) + dse_channel_offset(vb, c);
      uint8_t* ro = dse_row(vo, y) + dse_channel_offset(vo, c);
      n = dse_min(dse_channel_run(vo, c, t->c.hi),
                  dse_min(dse_channel_run(va, c, t->c.hi), dse_channel_run(vb, c, t->c.hi)));
      for (x = t->x.lo; x < t->x.hi; ++x) {
        const int8_t* a = (const int8_t*)(ra + (int64_t)x * va->stride_w);
        const int8_t* b = (const int8_t*)(rb + (int64_t)x * vb->stride_w);
        uint8_t* o = ro + (int64_t)x * vo->stride_w;
        for (i = 0; i < n; ++i)
          o[(int64_t)i * vo->stride_c] =
              (uint8_t)add_one(call->op, a[(int64_t)i * va->stride_c], b[(int64_t)i * vb->stride_c]);
      }
    }
  }
}
