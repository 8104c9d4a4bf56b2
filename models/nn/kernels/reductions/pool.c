/* AVERAGE_POOL_2D and MAX_POOL_2D. But for the averages of mode `onnx` they work on raw quantised values: input and
 * output share scale and zero point, so no requantisation; such averages round away from raw 0, not from the zero
 * point, as the reference does. In mode `onnx` m1, s1 are the multiplier and shift of the ratio of the scales.
 *
 * arg[0]  averages: 1 = the padding counts among the elements, as zero points
 * arg[1]  averages: 1 = with the arithmetic of MEAN and SUM (dse_mean.h), whose window is never cut
 * arg[2]  the same: 1 = divide */
#include "dse_elements.h"
#include "dse_internal.h"
#include "dse_mean.h"

typedef struct window {
  int64_t sum;
  int32_t max, count;
} window;

static window reduce(const dse_call* call, dse_rows rows, int32_t ny, dse_span kx, int32_t ix, int64_t channel) {
  const dse_view* in = &call->view[DSE_IN0];
  const int32_t type = call->op->in_type;
  window r = {0, type == DSE_U8 ? 0 : type == DSE_I16 ? -32768 : -128, 0};
  int32_t i, x;
  for (i = 0; i < ny; ++i, dse_rows_next(&rows)) {
    const uint8_t* row = dse_rows_at(&rows) + channel;
    for (x = kx.lo; x < kx.hi; ++x) {
      const int32_t v = dse_element(row + (int64_t)(ix + x) * in->stride_w, type);
      r.sum += v;
      r.max = dse_max(r.max, v);
      ++r.count;
    }
  }
  return r;
}

static int64_t rounded(int64_t sum, int64_t n) { return (sum > 0 ? sum + n / 2 : sum - n / 2) / n; }

static int64_t average(const dse_op* op, const window* r) {
  const int64_t n = r->count;
  if (op->arg[1]) return dse_mean(op, r->sum, r->count, op->arg[2]);
  if (op->rounding == DSE_ROUND_ONNX) {
    const int64_t counted = op->arg[0] ? (int64_t)op->kernel_h * op->kernel_w : n;
    const int64_t sum = r->sum - n * op->in_zero;
    return (n ? dse_half_even_quotient(sum * op->m1, counted, 31 - op->s1) : 0) + op->out_zero;
  }
  if (op->arg[0]) {
    const int64_t all = (int64_t)op->kernel_h * op->kernel_w;
    return rounded(r->sum + (all - n) * op->in_zero, all);
  }
  return n ? rounded(r->sum, n) : op->out_zero;
}

static void pool(const dse_call* call, int averages) {
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
        const int64_t v = averages ? average(op, &r) : r.max;
        dse_put_element(pout + (int64_t)x * out->stride_w, op->out_type, dse_clamp(v, op->act_min, op->act_max));
      }
    }
  }
}

void dse_average_pool(const dse_call* call) { pool(call, 1); }
void dse_max_pool(const dse_call* call) { pool(call, 0); }
