/* What each technique can compute and the scratch that it takes. */
#include "dse_addressing.h"
#include "dse_internal.h"
#include "dse_technique.h"

enum { LONGEST = 255 }; /* taps of a window's row or column that the factors of a filter are kept of */

static int eight_bits(const dse_op* op) {
  const int32_t zeros =
      op->in_zero >= -128 && op->in_zero <= 255 && op->weights_zero >= -128 && op->weights_zero <= 255;
  return zeros && (op->in_type == DSE_I8 || op->in_type == DSE_U8) &&
         (op->weight_type == DSE_I8 || op->weight_type == DSE_U8);
}

/* Padding is written as an element. */
static int zero_is_an_element(const dse_op* op) {
  switch (op->in_type) {
    case DSE_I8:
      return op->in_zero >= -128 && op->in_zero <= 127;
    case DSE_U8:
      return op->in_zero >= 0 && op->in_zero <= 255;
    default:
      return op->in_type == DSE_I16 && op->in_zero >= -32768 && op->in_zero <= 32767;
  }
}

/* Windows that leave products of two extents within 32 bits. */
static int windowed(const dse_op* op) {
  const int32_t window[2] = {op->kernel_h, op->kernel_w}, pads[2] = {op->pad_top, op->pad_left};
  const int32_t steps[4] = {op->stride_h, op->stride_w, op->dilation_h, op->dilation_w};
  int32_t i;
  for (i = 0; i < 2; ++i)
    if (window[i] < 1 || window[i] > 1 << 10 || pads[i] < -(1 << 15) || pads[i] > 1 << 15) return 0;
  for (i = 0; i < 4; ++i)
    if (steps[i] < 1 || steps[i] > 1 << 15) return 0;
  return 1;
}

int dse_technique_fits(const dse_op* op, int32_t technique) {
  if (technique == DSE_DIRECT) return 1;
  if (!windowed(op) || op->groups > 1) return 0;
  switch (technique) {
    case DSE_IM2ROW:
    case DSE_IM2ROW_BY_ROW:
      return op->kind == DSE_CONV_2D && (op->kernel_h > 1 || op->kernel_w > 1) && zero_is_an_element(op);
    case DSE_WINOGRAD:
      return op->kind == DSE_CONV_2D && op->kernel_h == 3 && op->kernel_w == 3 && op->stride_h == 1 &&
             op->stride_w == 1 && op->dilation_h == 1 && op->dilation_w == 1 && eight_bits(op);
    case DSE_ZERO_INSERTION:
    case DSE_SUB_PIXEL:
      return op->kind == DSE_TRANSPOSE_CONV && (op->stride_h > 1 || op->stride_w > 1) && zero_is_an_element(op);
    case DSE_SEPARABLE: /* where windows lie apart, rows would be summed that none reads */
      return op->kind == DSE_DEPTHWISE_CONV_2D && op->kernel_h > 1 && op->kernel_w > 1 && op->kernel_h <= LONGEST &&
             op->kernel_w <= LONGEST && op->stride_h <= (op->kernel_h - 1) * op->dilation_h + 1 && eight_bits(op);
    default:
      return 0;
  }
}

/* The product of factors that are each below 2^31, cut to int32. */
static int32_t bytes_of(const int32_t* factor, int32_t n) {
  int64_t bytes = 1;
  int32_t i;
  for (i = 0; i < n; ++i) {
    bytes *= dse_max(factor[i], 0);
    if (bytes > INT32_MAX) return INT32_MAX;
  }
  return (int32_t)bytes;
}

static int32_t plus(int32_t a, int32_t b) { return a > INT32_MAX - b ? INT32_MAX : a + b; }

int32_t dse_technique_scratch(const dse_op* op, const dse_tile* t) {
  const int32_t rows = t->y.hi - t->y.lo, columns = t->x.hi - t->x.lo, depth = t->k.hi - t->k.lo;
  const int32_t element = dse_type_bytes(op->in_type), technique = dse_technique_of(op);
  if (rows <= 0 || columns <= 0 || t->c.hi <= t->c.lo) return 0;
  switch (technique) {
    case DSE_IM2ROW:
    case DSE_IM2ROW_BY_ROW: {
      const int32_t f[6] = {technique == DSE_IM2ROW ? rows : 1, columns, op->kernel_h, op->kernel_w, depth, element};
      return bytes_of(f, 6);
    }
    case DSE_WINOGRAD: { /* 16 values of 2 bytes: of each block of pixels, and of one filter */
      const int32_t f[4] = {(rows + 1) / 2, (columns + 1) / 2, depth, 32}, filter[2] = {depth, 32};
      return plus(bytes_of(f, 4), bytes_of(filter, 2));
    }
    case DSE_ZERO_INSERTION: {
      const int32_t f[4] = {rows + op->kernel_h - 1, columns + op->kernel_w - 1, depth, element};
      return bytes_of(f, 4);
    }
    case DSE_SEPARABLE: { /* sums of 4 bytes along the rows of one channel */
      const int32_t f[3] = {(rows - 1) * op->stride_h + (op->kernel_h - 1) * op->dilation_h + 1, columns, 4};
      return bytes_of(f, 3);
    }
    default:
      return 0;
  }
}
