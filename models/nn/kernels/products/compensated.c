/* Dynamic rescaling (dse_factors.h): sums of products of an operand with factors, and one factor for all. */
#include "dse_factors.h"
#include "dse_finish.h"
#include "dse_internal.h"
#include "dse_patch.h"
#include "dse_sums.h"

static int32_t entry(const dse_call* call, int32_t j) { return dse_load32(dse_at(&call->view[DSE_IN1], 0, 0, j)); }

/* The entry whose batch element `at` is in: the first that ends behind it, or the last of all. */
static int32_t batch_of(const dse_call* call, int64_t at) {
  int32_t lo = 0, hi = dse_in_factors(call->op) - 1;
  while (lo < hi) {
    const int32_t middle = lo + (hi - lo) / 2;
    if (dse_factor_end(entry(call, middle)) > at)
      hi = middle;
    else
      lo = middle + 1;
  }
  return lo;
}

/* Elements [at, at + n) of the input, as far as they share the factor of element `at`. */
static int32_t run_of(const dse_call* call, int32_t j, int64_t at, int32_t n) {
  const int64_t left = dse_factor_end(entry(call, j)) - at;
  return j + 1 < dse_in_factors(call->op) && left > 0 && left < n ? (int32_t)left : n;
}

/* The products of filter c with n channels of the input from channel `first` on, with which the filter's channel k
 * meets: each run of one factor is summed, then shifted. Channel 0 of the pixel is element `pixel` of the input. */
static int64_t compensated(const dse_call* call, const uint8_t* in, int64_t pixel, int32_t first, const uint8_t* filter,
                           int32_t k, int32_t n) {
  const dse_op* op = call->op;
  int16_t left[DSE_SUM_PIECE], right[DSE_SUM_PIECE];
  uint64_t sum = 0; /* damaged operands may have more products than 64 bits have room for */
  while (n > 0) {
    const int32_t j = batch_of(call, pixel + first), run = run_of(call, j, pixel + first, dse_min(n, DSE_SUM_PIECE));
    int64_t s = 0;
    int32_t i;
    dse_gather_channels(left, &call->view[DSE_IN0], in, first, run, op->in_type, op->in_zero);
    dse_gather_channels(right, &call->view[DSE_WEIGHTS], filter, k, run, op->weight_type, op->weights_zero);
    for (i = 0; i < run; ++i) s += (int32_t)left[i] * right[i];
    sum += (uint64_t)(s * (INT64_C(1) << (dse_factor_of(entry(call, j)) + DSE_FACTOR_DIGITS)));
    first += run;
    k += run;
    n -= run;
  }
  return (int64_t)sum;
}

static int64_t sum_of(const dse_call* call, int32_t y, int32_t x, int32_t c) {
  const dse_op* op = call->op;
  const dse_view *in = &call->view[DSE_IN0], *w = &call->view[DSE_WEIGHTS];
  const int depthwise = op->kind == DSE_DEPTHWISE_CONV_2D;
  const int32_t groups = dse_max(op->groups, 1), k = depthwise ? 0 : call->tile.k.lo;
  const int32_t first = depthwise ? c / op->multiplier : c / (op->out_c / groups) * (op->in_c / groups) + k;
  const int32_t n = depthwise ? 1 : call->tile.k.hi - k;
  uint64_t sum = 0;
  int32_t ky, kx;
  for (ky = 0; ky < op->kernel_h; ++ky) {
    const int32_t row = dse_source(op, y, ky, op->stride_h, op->dilation_h, op->pad_top, op->in_h);
    if (row < 0) continue;
    for (kx = 0; kx < op->kernel_w; ++kx) {
      const int32_t column = dse_source(op, x, kx, op->stride_w, op->dilation_w, op->pad_left, op->in_w);
      if (column < 0) continue;
      sum += (uint64_t)compensated(call, dse_row(in, row) + (int64_t)column * in->stride_w,
                                   ((int64_t)row * op->in_w + column) * op->in_c, first,
                                   dse_row(w, c) + (int64_t)(ky * op->kernel_w + kx) * w->stride_w, k, n);
    }
  }
  return (int64_t)sum;
}

void dse_compensated(const dse_call* call) {
  const dse_tile* t = &call->tile;
  int32_t y, x, c;
  for (c = t->c.lo; c < t->c.hi; ++c) {
    const dse_record q = dse_record_of(call, c);
    for (y = t->y.lo; y < t->y.hi; ++y)
      for (x = t->x.lo; x < t->x.hi; ++x) dse_put_sum(call, y, x, c, sum_of(call, y, x, c), &q);
  }
}

/* The source: to R_A = min R_j by a shift to the right of log2(R_j / R_A), where values are mantissas / R. */
void dse_normalize(const dse_call* call) {
  const dse_op* op = call->op;
  const int32_t count = dse_in_factors(op);
  int32_t largest = DSE_FACTOR_LEAST, j, c;
  for (j = 0; j < count; ++j) largest = dse_max(largest, dse_factor_of(entry(call, j)));
  for (c = call->tile.c.lo; c < call->tile.c.hi;) {
    const int32_t batch = batch_of(call, c), end = c + run_of(call, batch, c, call->tile.c.hi - c);
    const int32_t right = largest - dse_factor_of(entry(call, batch));
    for (; c < end; ++c) {
      const int64_t v = dse_element(dse_at(&call->view[DSE_IN0], 0, 0, c), op->in_type);
      dse_put_element(dse_at(&call->view[DSE_OUT], 0, 0, c), op->out_type, (int32_t)dse_shift_round(v, right));
    }
  }
  dse_store32(dse_at(&call->view[DSE_FACTORS], 0, 0, 0), dse_factor_entry(op->out_c, largest));
}
