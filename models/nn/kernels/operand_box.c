/* Which coordinates of each operand a call touches: the hull, clamped to the image. */
#include "dse_addressing.h"
#include "dse_internal.h"

static dse_span span(int32_t lo, int32_t hi) {
  dse_span s;
  s.lo = lo;
  s.hi = dse_max(lo, hi);
  return s;
}

static dse_box box(dse_span h, dse_span w, dse_span c) {
  dse_box b;
  b.h = h;
  b.w = w;
  b.c = c;
  b.touched = h.lo < h.hi && w.lo < w.hi && c.lo < c.hi;
  return b;
}

static dse_box none(void) { return box(span(0, 0), span(0, 0), span(0, 0)); }

/* Input coordinates under the windows of the outputs `out`. */
static dse_span window(dse_span out, int32_t stride, int32_t pad, int32_t taps, int32_t dilation, int32_t extent) {
  if (out.lo >= out.hi) return span(0, 0);
  return span(dse_max(0, out.lo * stride - pad),
              dse_min(extent, (out.hi - 1) * stride - pad + (taps - 1) * dilation + 1));
}

static dse_box input_box(const dse_op* op, const dse_tile* t) {
  const dse_span h = window(t->y, op->stride_h, op->pad_top, op->kernel_h, op->dilation_h, op->in_h);
  const dse_span w = window(t->x, op->stride_w, op->pad_left, op->kernel_w, op->dilation_w, op->in_w);
  switch (op->kind) {
    case DSE_CONV_2D:
    case DSE_FULLY_CONNECTED:
      return box(h, w, t->k);
    case DSE_DEPTHWISE_CONV_2D:
      if (t->c.lo >= t->c.hi) return none();
      return box(h, w, span(t->c.lo / op->multiplier, (t->c.hi - 1) / op->multiplier + 1));
    case DSE_AVERAGE_POOL_2D:
    case DSE_MAX_POOL_2D:
      return box(h, w, t->c);
    case DSE_SOFTMAX:
      return box(t->y, t->x, span(0, op->in_c));
    default:
      return box(t->y, t->x, t->c);
  }
}

dse_box dse_operand_box(const dse_op* op, const dse_tile* tile, enum dse_role role) {
  const int accumulates = op->kind == DSE_CONV_2D || op->kind == DSE_FULLY_CONNECTED;
  const int weighted = accumulates || op->kind == DSE_DEPTHWISE_CONV_2D;
  const int first = !accumulates || (tile->flags & DSE_FIRST), last = !accumulates || (tile->flags & DSE_LAST);
  if (tile->y.lo >= tile->y.hi || tile->x.lo >= tile->x.hi || tile->c.lo >= tile->c.hi) return none();
  switch (role) {
    case DSE_IN0:
      return input_box(op, tile);
    case DSE_IN1:
      return op->kind == DSE_ADD ? box(tile->y, tile->x, tile->c) : none();
    case DSE_OUT:
      return last ? box(tile->y, tile->x, tile->c) : none();
    case DSE_WEIGHTS:
      return weighted ? box(tile->c, span(0, op->kernel_h * op->kernel_w), accumulates ? tile->k : span(0, 1)) : none();
    case DSE_QPARAMS:
      return weighted && last ? box(tile->c, span(0, 1), span(0, 1)) : none();
    case DSE_ACC:
      return first && last ? none() : box(tile->y, tile->x, tile->c);
    default:
      return none();
  }
}

/* SOFTMAX computes its exponentials twice rather than keep them. */
int32_t dse_scratch_bytes(const dse_op* op, const dse_tile* tile) {
  (void)op;
  (void)tile;
  return 0;
}
