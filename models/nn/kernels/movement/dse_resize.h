/* Where a coordinate of a resize's output comes from: kept in integers, also where the reference computes in binary32.
 *
 * BILINEAR: positions in units of 2^-10 pixels are coordinate * arg[0] + arg[2] for rows, arg[1] and arg[3] for
 * columns. Of UINT8, which the reference computes in binary32 (and cuts off): arg[0] and arg[1] are the bits of the
 * steps from one row and column to the next, arg[4] = 1: of the pixels' centres.
 * NEAREST_NEIGHBOR: the binary32 scale is arg[0] * 2^arg[2] for rows, arg[1] * 2^arg[3] for columns, with 2^23 <=
 * arg[0], arg[1] < 2^24; arg[4] = 1: of the pixels' centres; arg[5] = 1: round, not floor. */
#ifndef DSE_RESIZE_H
#define DSE_RESIZE_H
#include <string.h>

#include "dse_addressing.h"

/* Two input coordinates and the weight, in 2^-10, of the second one. */
typedef struct dse_resize_pair {
  int32_t lo, hi, weight;
} dse_resize_pair;

static inline dse_resize_pair dse_resize_between(const dse_op* op, int32_t axis, int32_t at, int32_t extent) {
  const int32_t position = at * op->arg[axis] + op->arg[2 + axis];
  dse_resize_pair p;
  p.lo = dse_min(dse_max(position / 1024, 0), extent - 1);
  p.hi = dse_min((position + 1023) / 1024, extent - 1);
  p.weight = position - 1024 * p.lo;
  return p;
}

/* The same in binary32. */
typedef struct dse_resize_reals {
  int32_t lo, hi;
  float weight;
} dse_resize_reals;

/* A product that is rounded before anything is done with it, also where compilers fuse it with a sum. */
static inline float dse_rounded_product(float a, float b) {
  volatile float product = a * b;
  return product;
}

static inline dse_resize_reals dse_resize_between_reals(const dse_op* op, int32_t axis, int32_t at, int32_t extent) {
  float step, position;
  int32_t whole;
  dse_resize_reals p;
  memcpy(&step, &op->arg[axis], sizeof step);
  position = dse_rounded_product((float)at + (op->arg[4] ? 0.5f : 0.0f), step) - (op->arg[4] ? 0.5f : 0.0f);
  whole = (int32_t)position; /* towards zero */
  p.lo = dse_min(dse_max(whole - ((float)whole > position), 0), extent - 1);
  p.hi = dse_max(dse_min(whole + ((float)whole < position), extent - 1), 0);
  p.weight = position - (float)p.lo;
  return p;
}

/* (at [+ 1/2]) * scale rounded to binary32's 24 bits, to nearest even, as the reference's product is. */
static inline int32_t dse_resize_nearest(const dse_op* op, int32_t axis, int32_t at, int32_t extent) {
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

#endif
