/* CONV_2D as a matrix product: patches of the input, written to scratch one behind the other, times filters. */
#include "dse_internal.h"
#include "dse_sums.h"
#include "dse_technique.h"

/* Input channels k of the tile under one tap, as they are; outside the image the zero point. */
static void put_tap(const dse_call* call, uint8_t* to, int32_t iy, int32_t ix) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const int32_t element = dse_type_bytes(op->in_type);
  const uint8_t* pixel = iy < 0 || ix < 0 ? 0 : dse_row(in, iy) + (int64_t)ix * in->stride_w;
  int32_t k = call->tile.k.lo, i;
  while (k < call->tile.k.hi) {
    const int32_t run = pixel ? dse_channel_run(in, k, call->tile.k.hi) : call->tile.k.hi - k;
    const uint8_t* from = pixel ? pixel + dse_channel_offset(in, k) : 0;
    for (i = 0; i < run; ++i, to += element)
      if (from)
        dse_move_element(to, from + (int64_t)i * in->stride_c, element);
      else
        dse_put_element(to, op->in_type, op->in_zero);
    k += run;
  }
}

/* The patches of output row y, from `to` on. */
static void arrange(const dse_call* call, int32_t y, uint8_t* to) {
  const dse_op* op = call->op;
  const int32_t step = (call->tile.k.hi - call->tile.k.lo) * dse_type_bytes(op->in_type);
  int32_t x, ky, kx;
  for (x = call->tile.x.lo; x < call->tile.x.hi; ++x)
    for (ky = 0; ky < op->kernel_h; ++ky) {
      const int32_t iy = dse_source(op, y, ky, op->stride_h, op->dilation_h, op->pad_top, op->in_h);
      for (kx = 0; kx < op->kernel_w; ++kx, to += step)
        put_tap(call, to, iy, dse_source(op, x, kx, op->stride_w, op->dilation_w, op->pad_left, op->in_w));
    }
}

/* The outputs of row y, whose patches begin at `row`. */
static void multiply(const dse_call* call, int32_t y, const dse_view* patches, const uint8_t* row) {
  const dse_op* op = call->op;
  const int32_t taps = op->kernel_h * op->kernel_w;
  int32_t x, n, c, tap, i;
  for (x = call->tile.x.lo; x < call->tile.x.hi; x += n) {
    const uint8_t* at[DSE_SUM_PIXELS];
    n = dse_min(DSE_SUM_PIXELS, call->tile.x.hi - x);
    for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
      const dse_record q = dse_record_of(call, c);
      int64_t sum[DSE_SUM_PIXELS] = {0};
      for (tap = 0; tap < taps; ++tap) {
        for (i = 0; i < n; ++i) at[i] = row + ((int64_t)(x - call->tile.x.lo + i) * taps + tap) * patches->stride_w;
        dse_sum_tap(call, patches, at, n, c, tap, sum);
      }
      for (i = 0; i < n; ++i) dse_put_sum(call, y, x + i, c, sum[i], &q);
    }
  }
}

void dse_im2row(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const int by_row = dse_technique_of(op) == DSE_IM2ROW_BY_ROW;
  dse_view patches = {0};
  int64_t row_bytes;
  int32_t y;
  patches.base = call->view[DSE_SCRATCH].base;
  patches.elem = patches.stride_c = dse_type_bytes(op->in_type);
  patches.stride_w = (t->k.hi - t->k.lo) * patches.elem; /* of a tap */
  patches.first_c = t->k.lo;
  row_bytes = by_row ? 0 : (int64_t)(t->x.hi - t->x.lo) * op->kernel_h * op->kernel_w * patches.stride_w;
  for (y = t->y.lo; y < t->y.hi; ++y) {
    arrange(call, y, patches.base + (y - t->y.lo) * row_bytes);
    if (by_row) multiply(call, y, &patches, patches.base);
  }
  for (y = by_row ? t->y.hi : t->y.lo; y < t->y.hi; ++y)
    multiply(call, y, &patches, patches.base + (y - t->y.lo) * row_bytes);
}
