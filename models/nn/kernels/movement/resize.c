/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR, channel by channel. Where a coordinate of the output comes from is kept
 * in integers, also where the reference computes in binary32.
 *
 * BILINEAR: positions in units of 2^-10 pixels are coordinate * arg[0] + arg[2] for rows, arg[1] and arg[3] for
 * columns.
 * NEAREST_NEIGHBOR: the binary32 scale is arg[0] * 2^arg[2] for rows, arg[1] * 2^arg[3] for columns, with 2^23 <=
 * arg[0], arg[1] < 2^24; arg[4] = 1: of the pixels' centres; arg[5] = 1: round, not floor. */
#include "dse_elements.h"
#include "dse_internal.h"

/* Two input coordinates and the weight, in 2^-10, of the second one. */
typedef struct pair {
  int32_t lo, hi, weight;
} pair;

static pair between(const dse_op* op, int32_t axis, int32_t at, int32_t extent) {
  const int32_t position = at * op->arg[axis] + op->arg[2 + axis];
  pair p;
  p.lo = dse_min(dse_max(position / 1024, 0), extent - 1);
  p.hi = dse_min((position + 1023) / 1024, extent - 1);
  p.weight = position - 1024 * p.lo;
  return p;
}

/* (at [+ 1/2]) * scale rounded to binary32's 24 bits, to nearest even, as the reference's product is. */
static int32_t nearest(const dse_op* op, int32_t axis, int32_t at, int32_t extent) {
  int64_t product = (2 * (int64_t)at + op->arg[4]) * op->arg[axis];
  int32_t exponent = op->arg[2 + axis] - 1, drop = 0;
  while (product >> drop >= INT64_C(1) << 24) ++drop;
  if (drop > 0) {
    const int64_t half = INT64_C(1) << (drop - 1), rest = product & (2 * half - 1);
    product >>= drop;
    if (rest > half || (rest == half && (product & 1))) ++product;
    exponent += drop;
  }
  if (exponent < -62) return 0;
  if (exponent >= 0) return extent - 1; /* 2^23 and more: beyond any extent */
  if (op->arg[5]) product += INT64_C(1) << (-exponent - 1);
  product >>= -exponent;
  return product < extent - 1 ? (int32_t)product : extent - 1;
}

/* Input coordinates along one axis (0: rows, 1: columns) that the outputs `out` are made of. */
dse_span dse_resize_span(const dse_op* op, int32_t axis, dse_span out) {
  const int32_t extent = axis == 0 ? op->in_h : op->in_w;
  dse_span s;
  if (op->kind == DSE_RESIZE_BILINEAR) {
    s.lo = between(op, axis, out.lo, extent).lo;
    s.hi = between(op, axis, out.hi - 1, extent).hi + 1;
  } else {
    s.lo = nearest(op, axis, out.lo, extent);
    s.hi = nearest(op, axis, out.hi - 1, extent) + 1;
  }
  return s;
}

static int64_t mix(const uint8_t* row, const dse_view* in, pair x) {
  const int64_t a = (int8_t)row[(int64_t)x.lo * in->stride_w], b = (int8_t)row[(int64_t)x.hi * in->stride_w];
  return a * (1024 - x.weight) + b * x.weight;
}

static void bilinear_pixel(const dse_call* call, int32_t y, int32_t x) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const pair py = between(op, 0, y, op->in_h), px = between(op, 1, x, op->in_w);
  const uint8_t* upper = dse_row(in, py.lo);
  const uint8_t* lower = dse_row(in, py.hi);
  uint8_t* po = dse_row(out, y) + (int64_t)x * out->stride_w;
  int32_t c;
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const int64_t channel = dse_channel_offset(in, c), half = INT64_C(1) << 19;
    const int64_t v = mix(upper + channel, in, px) * (1024 - py.weight) + mix(lower + channel, in, px) * py.weight;
    const int64_t r = op->rounding == DSE_ROUND_SINGLE ? (v + half) >> 20 : (v > 0 ? v + half : v - half) / (2 * half);
    po[dse_channel_offset(out, c)] = (uint8_t)r;
  }
}

void dse_resize(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  int32_t y, x, c;
  for (y = t->y.lo; y < t->y.hi; ++y) {
    for (x = t->x.lo; x < t->x.hi; ++x) {
      if (op->kind == DSE_RESIZE_BILINEAR) {
        bilinear_pixel(call, y, x);
      } else {
        const uint8_t* pi =
            dse_row(in, nearest(op, 0, y, op->in_h)) + (int64_t)nearest(op, 1, x, op->in_w) * in->stride_w;
        uint8_t* po = dse_row(out, y) + (int64_t)x * out->stride_w;
        for (c = t->c.lo; c < t->c.hi; ++c)
          dse_move_element(po + dse_channel_offset(out, c), pi + dse_channel_offset(in, c), out->elem);
      }
    }
  }
}
