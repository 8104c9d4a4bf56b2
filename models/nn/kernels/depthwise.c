/* DEPTHWISE_CONV_2D: output channel c reads input channel c / multiplier only. There is nothing to accumulate over
 * input channels, so the accumulation flags of the tile and its range k have no meaning here. */
#include "dse_addressing.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

static int32_t window_sum(const dse_call* call, dse_rows rows, dse_span ky, dse_span kx, int32_t ix, int64_t channel,
                          const uint8_t* filter) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* weights = &call->view[DSE_WEIGHTS];
  int32_t sum = 0, y, x;
  for (y = ky.lo; y < ky.hi; ++y, dse_rows_next(&rows)) {
    const int8_t* px = (const int8_t*)(dse_rows_at(&rows) + channel);
    const int8_t* pw = (const int8_t*)filter;
    for (x = kx.lo; x < kx.hi; ++x) {
      const int32_t w = pw[(int64_t)(y * op->kernel_w + x) * weights->stride_w];
      const int32_t v = px[(int64_t)(ix + x * op->dilation_w) * in->stride_w] - op->in_zero;
      sum = dse_wrap_add(sum, v * w);
    }
  }
  return sum;
}

static void depthwise_row(const dse_call* call, int32_t y, int32_t c) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const dse_view* weights = &call->view[DSE_WEIGHTS];
  const dse_channel_params q = dse_load_params(&call->view[DSE_QPARAMS], c);
  const int32_t iy = y * op->stride_h - op->pad_top;
  const dse_span ky = dse_taps(iy, op->dilation_h, op->kernel_h, op->in_h);
  const dse_rows rows = dse_rows_from(in, iy + ky.lo * op->dilation_h, op->dilation_h);
  const int64_t channel = dse_channel_offset(in, c / op->multiplier);
  const uint8_t* filter = dse_row(weights, c) + dse_channel_offset(weights, 0);
  uint8_t* pout = dse_row(out, y) + dse_channel_offset(out, c);
  int32_t x;
  for (x = t->x.lo; x < t->x.hi; ++x) {
    const int32_t ix = x * op->stride_w - op->pad_left;
    const dse_span kx = dse_taps(ix, op->dilation_w, op->kernel_w, op->in_w);
    const int32_t sum = window_sum(call, rows, ky, kx, ix, channel, filter);
    const int32_t v = dse_requantize(dse_wrap_add(sum, q.bias), q.multiplier, q.shift, op->rounding);
    pout[(int64_t)x * out->stride_w] = (uint8_t)dse_clamp((int64_t)v + op->out_zero, op->act_min, op->act_max);
  }
}

void dse_depthwise(const dse_call* call) {
  int32_t y, c;
  for (y = call->tile.y.lo; y < call->tile.y.hi; ++y)
    for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) depthwise_row(call, y, c);
}
