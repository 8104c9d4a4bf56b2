/* DEPTHWISE_CONV_2D whose filters are each a column times a row: a sum along rows, kept in scratch, then along columns.
 * A filter that is none is computed directly. */
#include "dse_internal.h"
#include "dse_sums.h"
#include "dse_technique.h"

enum { LONGEST = 255 }; /* as dse_technique_fits() says */

static int32_t weight(const dse_op* op, const dse_view* w, int32_t c, int32_t ky, int32_t kx) {
  return dse_element(dse_at(w, c, ky * op->kernel_w + kx, 0), op->weight_type) - op->weights_zero;
}

static int32_t common_divisor(int32_t a, int32_t b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b) {
    const int32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The row is the first that is not zero, less what its weights have in common: every other row that points the same way
 * is a whole multiple of it. */
int dse_separate(const dse_op* op, const dse_view* w, int32_t c, int32_t* column, int32_t* row) {
  int32_t ky, kx, pivot = -1, common = 0;
  for (ky = 0; ky < op->kernel_h && common == 0; ++ky)
    for (kx = 0; kx < op->kernel_w; ++kx) {
      row[kx] = weight(op, w, c, ky, kx);
      common = common_divisor(common, row[kx]);
    }
  for (kx = 0; kx < op->kernel_w; ++kx) {
    if (common) row[kx] /= common;
    if (row[kx] && pivot < 0) pivot = kx;
  }
  for (ky = 0; ky < op->kernel_h; ++ky) {
    column[ky] = pivot < 0 ? 0 : weight(op, w, c, ky, pivot) / row[pivot];
    for (kx = 0; kx < op->kernel_w; ++kx)
      if (column[ky] * row[kx] != weight(op, w, c, ky, kx)) return 0;
  }
  return 1;
}

/* Sums along input row `iy` of the windows of the tile's columns; zeros where there is no such row. */
static void sum_row(const dse_call* call, int32_t c, int32_t iy, const int32_t* row, uint8_t* to) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const uint8_t* from = iy < 0 || iy >= op->in_h ? 0 : dse_row(in, iy) + dse_channel_offset(in, c / op->multiplier);
  int32_t x, kx;
  for (x = call->tile.x.lo; x < call->tile.x.hi; ++x, to += 4) {
    int32_t sum = 0;
    for (kx = 0; from && kx < op->kernel_w; ++kx) {
      const int32_t ix = dse_source(op, x, kx, op->stride_w, op->dilation_w, op->pad_left, op->in_w);
      if (ix >= 0) sum += (dse_element(from + (int64_t)ix * in->stride_w, op->in_type) - op->in_zero) * row[kx];
    }
    dse_store32(to, sum);
  }
}

static void directly(const dse_call* call, int32_t c) {
  dse_call one = *call;
  dse_op op = *call->op;
  op.arg[DSE_ARG_TECHNIQUE] = DSE_DIRECT;
  one.op = &op;
  one.tile.c.lo = c;
  one.tile.c.hi = c + 1;
  dse_depthwise(&one);
}

void dse_separable(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const int32_t columns = t->x.hi - t->x.lo, top = t->y.lo * op->stride_h - op->pad_top;
  const int32_t rows = (t->y.hi - 1 - t->y.lo) * op->stride_h + (op->kernel_h - 1) * op->dilation_h + 1;
  uint8_t* sums = call->view[DSE_SCRATCH].base;
  int32_t column[LONGEST], row[LONGEST], c, y, x, ky, i;
  for (c = t->c.lo; c < t->c.hi; ++c) {
    const dse_record q = dse_record_of(call, c);
    if (!dse_separate(op, &call->view[DSE_WEIGHTS], c, column, row)) {
      directly(call, c);
      continue;
    }
    for (i = 0; i < rows; ++i) sum_row(call, c, top + i, row, sums + 4 * (int64_t)i * columns);
    for (y = t->y.lo; y < t->y.hi; ++y)
      for (x = t->x.lo; x < t->x.hi; ++x) {
        const uint8_t* at = sums + 4 * ((int64_t)(y - t->y.lo) * op->stride_h * columns + (x - t->x.lo));
        int64_t sum = 0;
        for (ky = 0; ky < op->kernel_h; ++ky)
          sum += (int64_t)column[ky] * dse_load32(at + 4 * (int64_t)ky * op->dilation_h * columns);
        dse_put_sum(call, y, x, c, sum, &q);
      }
  }
}
