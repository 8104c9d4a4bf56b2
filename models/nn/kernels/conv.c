/* CONV_2D and FULLY_CONNECTED: acc = sum of w * (x - in_zero) over the in-image taps and the input channels of this
 * step; after the last step bias, requantisation and clamping. */
#include "dse_addressing.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

/* |(x - zero) * w| <= 255 * 128, so 65536 products never overflow 32 bits. */
#define DSE_DOT_MAX 65536

static int32_t dot_unit(const int8_t* x, const int8_t* w, int32_t n, int32_t zero) {
  int32_t sum = 0, i;
  for (i = 0; i < n; ++i) sum += (int16_t)(x[i] - zero) * (int16_t)w[i];
  return sum;
}

static int32_t dot_strided(const int8_t* x, int32_t sx, const int8_t* w, int32_t sw, int32_t n, int32_t zero) {
  int32_t sum = 0, i;
  for (i = 0; i < n; ++i) {
    sum += (*x - zero) * *w;
    if (i + 1 < n) {
      x += sx;
      w += sw;
    }
  }
  return sum;
}

/* A piece of the range of input channels in which neither the input nor the weights change their stride. */
typedef struct segment {
  int32_t n;
  int64_t in, weights; /* byte offsets of the first channel */
} segment;

static segment segment_at(const dse_call* call, int32_t k) {
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* weights = &call->view[DSE_WEIGHTS];
  const int32_t hi = call->tile.k.hi;
  segment s;
  s.n = dse_min(dse_min(dse_channel_run(in, k, hi), dse_channel_run(weights, k, hi)), DSE_DOT_MAX);
  s.in = dse_channel_offset(in, k);
  s.weights = dse_channel_offset(weights, k);
  return s;
}

/* The sum over one window and one segment of channels. `rows` stands at the first in-image row. */
static int32_t window_sum(const dse_call* call, const segment* s, dse_rows rows, dse_span ky, dse_span kx, int32_t ix,
                          const uint8_t* filter) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* weights = &call->view[DSE_WEIGHTS];
  const int unit = in->stride_c == 1 && weights->stride_c == 1;
  int32_t sum = 0, y, x;
  for (y = ky.lo; y < ky.hi; ++y, dse_rows_next(&rows)) {
    const uint8_t* row = dse_rows_at(&rows) + s->in;
    for (x = kx.lo; x < kx.hi; ++x) {
      const int8_t* px = (const int8_t*)(row + (int64_t)(ix + x * op->dilation_w) * in->stride_w);
      const int8_t* pw = (const int8_t*)(filter + s->weights + (int64_t)(y * op->kernel_w + x) * weights->stride_w);
      sum = dse_wrap_add(sum, unit ? dot_unit(px, pw, s->n, op->in_zero)
                                   : dot_strided(px, in->stride_c, pw, weights->stride_c, s->n, op->in_zero));
    }
  }
  return sum;
}

static void conv_row(const dse_call* call, int32_t y, int32_t c, const segment* first) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const dse_view* acc = &call->view[DSE_ACC];
  const dse_view* out = &call->view[DSE_OUT];
  const int32_t iy = y * op->stride_h - op->pad_top;
  const dse_span ky = dse_taps(iy, op->dilation_h, op->kernel_h, op->in_h);
  const dse_rows rows = dse_rows_from(&call->view[DSE_IN0], iy + ky.lo * op->dilation_h, op->dilation_h);
  const uint8_t* filter = dse_row(&call->view[DSE_WEIGHTS], c);
  const int whole = (t->flags & DSE_FIRST) && (t->flags & DSE_LAST);
  uint8_t* pacc = whole ? 0 : dse_row(acc, y) + dse_channel_offset(acc, c);
  uint8_t* pout = 0;
  dse_channel_params q = {0, 0, 0};
  int32_t x;
  if (t->flags & DSE_LAST) {
    q = dse_load_params(&call->view[DSE_QPARAMS], c);
    pout = dse_row(out, y) + dse_channel_offset(out, c);
  }
  for (x = t->x.lo; x < t->x.hi; ++x) {
    const int32_t ix = x * op->stride_w - op->pad_left;
    const dse_span kx = dse_taps(ix, op->dilation_w, op->kernel_w, op->in_w);
    int32_t sum = 0, k;
    segment s = *first;
    for (k = t->k.lo; k < t->k.hi; k += s.n) {
      if (k != t->k.lo) s = segment_at(call, k);
      sum = dse_wrap_add(sum, window_sum(call, &s, rows, ky, kx, ix, filter));
    }
    if (!(t->flags & DSE_FIRST)) sum = dse_wrap_add(sum, dse_load32(pacc + (int64_t)x * acc->stride_w));
    if (t->flags & DSE_LAST) {
      const int32_t v = dse_requantize(dse_wrap_add(sum, q.bias), q.multiplier, q.shift, op->rounding);
      pout[(int64_t)x * out->stride_w] = (uint8_t)dse_clamp((int64_t)v + op->out_zero, op->act_min, op->act_max);
    } else {
      dse_store32(pacc + (int64_t)x * acc->stride_w, sum);
    }
  }
}

void dse_conv(const dse_call* call) {
  const dse_tile* t = &call->tile;
  segment first = {0, 0, 0};
  int32_t y, c;
  if (t->k.lo < t->k.hi) first = segment_at(call, t->k.lo);
  for (y = t->y.lo; y < t->y.hi; ++y)
    for (c = t->c.lo; c < t->c.hi; ++c) conv_row(call, y, c, &first);
}
