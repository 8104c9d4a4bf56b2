/* AVERAGE_POOL_2D and MAX_POOL_2D on raw quantised values: input and output share scale and zero point, so no
 * requantisation. The average rounds away from raw 0, not from the zero point, as the reference does. */
#include "dse_addressing.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

typedef struct window {
  int32_t sum, max, count;
} window;

static window reduce(const dse_call* call, dse_rows rows, int32_t ny, dse_span kx, int32_t ix, int64_t channel) {
  const dse_view* in = &call->view[DSE_IN0];
  window r = {0, -128, 0};
  int32_t i, x;
  for (i = 0; i < ny; ++i, dse_rows_next(&rows)) {
    const int8_t* px = (const int8_t*)(dse_rows_at(&rows) + channel);
    for (x = kx.lo; x < kx.hi; ++x) {
      const int32_t v = px[(int64_t)(ix + x) * in->stride_w];
      r.sum += v;
      r.max = dse_max(r.max, v);
      ++r.count;
    }
  }
  return r;
}

static void pool(const dse_call* call, int average) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  int32_t y, c, x;
  for (y = t->y.lo; y < t->y.hi; ++y) {
    const int32_t iy = y * op->stride_h - op->pad_top;
    const dse_span ky = dse_taps(iy, 1, op->kernel_h, op->in_h);
    const dse_rows rows = dse_rows_from(in, iy + ky.lo, 1);
    for (c = t->c.lo; c < t->c.hi; ++c) {
      const int64_t channel = dse_channel_offset(in, c);
      uint8_t* pout = dse_row(out, y) + dse_channel_offset(out, c);
      for (x = t->x.lo; x < t->x.hi; ++x) {
        const int32_t ix = x * op->stride_w - op->pad_left;
        const dse_span kx = dse_taps(ix, 1, op->kernel_w, op->in_w);
        const window r = reduce(call, rows, ky.hi - ky.lo, kx, ix, channel);
        int32_t v = r.max;
        if (average && r.count > 0) v = (r.sum > 0 ? r.sum + r.count / 2 : r.sum - r.count / 2) / r.count;
        pout[(int64_t)x * out->stride_w] = (uint8_t)dse_clamp(v, op->act_min, op->act_max);
      }
    }
  }
}

void dse_average_pool(const dse_call* call) { pool(call, 1); }
void dse_max_pool(const dse_call* call) { pool(call, 0); }
