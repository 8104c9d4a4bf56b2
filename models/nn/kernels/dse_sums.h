/* Sums of products of a few pixels, tap by tap, for techniques that arrange what they multiply. */
#ifndef DSE_SUMS_H
#define DSE_SUMS_H
#include "dse_finish.h"
#include "dse_internal.h"
#include "dse_patch.h"

enum { DSE_SUM_PIXELS = 32, DSE_SUM_PIECE = 128 };

/* Adds the products of tap `tap` of filter c with input channels k of the tile to the sums of n pixels, at most
 * DSE_SUM_PIXELS. Pixel i lies at at[i] of the view, which is addressed by input channels; null: outside the image, it
 * adds nothing. */
static inline void dse_sum_tap(const dse_call* call, const dse_view* view, const uint8_t* const* at, int32_t n,
                               int32_t c, int32_t tap, int64_t* sum) {
  const dse_op* op = call->op;
  const dse_view* w = &call->view[DSE_WEIGHTS];
  const uint8_t* filter = dse_row(w, c) + (int64_t)tap * w->stride_w;
  int16_t left[DSE_SUM_PIECE], right[DSE_SUM_PIECE];
  int32_t k, i, j;
  for (k = call->tile.k.lo; k < call->tile.k.hi; k += DSE_SUM_PIECE) {
    const int32_t m = dse_min(DSE_SUM_PIECE, call->tile.k.hi - k);
    dse_gather_channels(right, w, filter, k, m, op->weight_type, op->weights_zero);
    for (i = 0; i < n; ++i) {
      int64_t s = 0;
      if (!at[i]) continue;
      dse_gather_channels(left, view, at[i], k, m, op->in_type, op->in_zero);
      for (j = 0; j < m; ++j) s += (int32_t)left[j] * right[j];
      sum[i] += s;
    }
  }
}

/* What this call has summed of output (y, x, c) is added to the partial sum of former steps; stored as a partial sum
 * or, in the last step, as an output. Depthwise convolutions have one step. */
static inline void dse_put_sum(const dse_call* call, int32_t y, int32_t x, int32_t c, int64_t sum,
                               const dse_record* q) {
  const dse_op* op = call->op;
  const uint32_t flags = call->tile.flags;
  const int steps = op->kind != DSE_DEPTHWISE_CONV_2D || (flags & DSE_SUMS), wide = op->acc_bytes == 8;
  const int first = !steps || (flags & DSE_FIRST), last = !steps || (flags & DSE_LAST);
  uint8_t* acc = first && last ? 0 : dse_at(&call->view[DSE_ACC], y, x, c);
  if (!first) {
    int64_t former;
    if (wide)
      memcpy(&former, acc, 8);
    else
      former = dse_load32(acc);
    sum = (int64_t)((uint64_t)sum + (uint64_t)former);
  }
  if (last)
    dse_put_element(dse_at(&call->view[DSE_OUT], y, x, c), op->out_type, dse_finish(op, q, sum));
  else if (wide)
    memcpy(acc, &sum, 8);
  else
    dse_store32(acc, (int32_t)(uint32_t)(uint64_t)sum);
}

/* The record of channel c; empty where no output is stored. Matrix products have one for all channels. */
static inline dse_record dse_record_of(const dse_call* call, int32_t c) {
  dse_record q = {0, call->op->m1, call->op->s1};
  if (call->op->kind != DSE_MATMUL && (call->op->kind == DSE_DEPTHWISE_CONV_2D || (call->tile.flags & DSE_LAST)))
    q = dse_load_record(call->op, &call->view[DSE_QPARAMS], c);
  return q;
}

#endif
