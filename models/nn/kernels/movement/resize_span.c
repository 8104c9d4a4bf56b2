#include "dse_internal.h"
#include "dse_resize.h"

/* Input coordinates along one axis (0: rows, 1: columns) that the outputs `out` are made of. */
dse_span dse_resize_span(const dse_op* op, int32_t axis, dse_span out) {
  const int32_t extent = axis == 0 ? op->in_h : op->in_w;
  dse_span s;
  if (op->kind == DSE_RESIZE_BILINEAR && op->in_type == DSE_U8) {
    s.lo = dse_resize_between_reals(op, axis, out.lo, extent).lo;
    s.hi = dse_resize_between_reals(op, axis, out.hi - 1, extent).hi + 1;
  } else if (op->kind == DSE_RESIZE_BILINEAR) {
    s.lo = dse_resize_between(op, axis, out.lo, extent).lo;
    s.hi = dse_resize_between(op, axis, out.hi - 1, extent).hi + 1;
  } else {
    s.lo = dse_resize_nearest(op, axis, out.lo, extent);
    s.hi = dse_resize_nearest(op, axis, out.hi - 1, extent) + 1;
  }
  return s;
}
