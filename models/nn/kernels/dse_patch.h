/* What the outputs of convolutions and matrix products read, gathered into rows of int16 with the zero points taken
 * off: so one dot product serves all types, windows and layouts. */
#ifndef DSE_PATCH_H
#define DSE_PATCH_H
#include "dse_elements.h"

/* dst[i] = the element at src + i * stride, less zero. Eights are spelt out: short runs are common, and compilers make
 * vectors of them. */
static inline void dse_widen(int16_t* restrict dst, const uint8_t* restrict src, int32_t stride, int32_t n,
                             int32_t type, int32_t zero) {
  const int16_t z = (int16_t)zero;
  int32_t i = 0, j;
  if (type == DSE_I8 && stride == 1) {
    const int8_t* p = (const int8_t*)src;
    for (; i + 8 <= n; i += 8)
      for (j = 0; j < 8; ++j) dst[i + j] = (int16_t)(p[i + j] - z);
    for (; i < n; ++i) dst[i] = (int16_t)(p[i] - z);
  } else if (type == DSE_U8 && stride == 1) {
    for (; i + 8 <= n; i += 8)
      for (j = 0; j < 8; ++j) dst[i + j] = (int16_t)(src[i + j] - z);
    for (; i < n; ++i) dst[i] = (int16_t)(src[i] - z);
  } else if (type == DSE_I16 && stride == 2 && z == 0) {
    memcpy(dst, src, (size_t)n * 2);
  } else {
    for (; i < n; ++i) dst[i] = (int16_t)(dse_element(src + (int64_t)i * stride, type) - zero);
  }
}

static inline void dse_clear(int16_t* dst, int32_t n) {
  if (n > 0) memset(dst, 0, (size_t)n * 2);
}

/* The elements that one output reads, in the order (window row, window column, input channel): `size` in all, `row` per
 * window row, `channels` per tap. */
typedef struct dse_patch {
  const dse_op* op;
  const dse_view *in, *weights;
  int32_t channels, row, size;
  int32_t first;               /* input: its channel */
  int32_t k;                   /* weights: the channel of the first */
  int in_dense, weights_dense; /* neighbouring taps of a row (weights: all taps) lie one behind the other */
} dse_patch;

static inline int dse_is_dense(const dse_view* v, int32_t c, int32_t n) {
  return v->stride_c == v->elem && v->stride_w == n * v->elem && dse_channel_run(v, c, c + n) == n;
}

/* Input row or column under tap t of output o; -1: outside the image. A transposed convolution reads only where the
 * stride divides. */
static inline int32_t dse_source(const dse_op* op, int32_t o, int32_t t, int32_t stride, int32_t dilation, int32_t pad,
                                 int32_t extent) {
  int32_t i;
  if (op->kind == DSE_TRANSPOSE_CONV) {
    i = o + pad - t;
    if (i < 0 || i % stride) return -1;
    i /= stride;
  } else {
    i = o * stride - pad + t * dilation;
  }
  return i < 0 || i >= extent ? -1 : i;
}

/* Channels [k, k + n) of a pixel. */
static inline void dse_gather_channels(int16_t* dst, const dse_view* v, const uint8_t* pixel, int32_t k, int32_t n,
                                       int32_t type, int32_t zero) {
  while (n > 0) {
    const int32_t run = dse_channel_run(v, k, k + n);
    dse_widen(dst, pixel + dse_channel_offset(v, k), v->stride_c, run, type, zero);
    dst += run;
    k += run;
    n -= run;
  }
}

/* Elements [lo, hi) of one window row of output column x, where taps are apart in memory. */
static inline void dse_gather_row(int16_t* dst, const dse_patch* p, const uint8_t* row, int32_t x, int32_t lo,
                                  int32_t hi) {
  const dse_op* op = p->op;
  while (lo < hi) {
    const int32_t tap = lo / p->channels, k = lo - tap * p->channels, n = dse_min(p->channels - k, hi - lo);
    const int32_t ix = dse_source(op, x, tap, op->stride_w, op->dilation_w, op->pad_left, op->in_w);
    if (ix < 0)
      dse_clear(dst, n);
    else
      dse_gather_channels(dst, p->in, row + (int64_t)ix * p->in->stride_w, p->first + k, n, op->in_type, op->in_zero);
    dst += n;
    lo += n;
  }
}

/* Elements [lo, hi) of the patch of output (y, x). Taps outside the image are 0 and contribute nothing. */
static inline void dse_gather_patch(int16_t* dst, const dse_patch* p, int32_t y, int32_t x, int32_t lo, int32_t hi) {
  const dse_op* op = p->op;
  int32_t tap = lo ? lo / p->row : 0, from = lo - tap * p->row;
  /* Dense rows are one run each, cut at the borders of the image. */
  const int32_t ix = x * op->stride_w - op->pad_left;
  const int32_t left = dse_min(op->kernel_w, dse_max(0, -ix)) * p->channels;
  const int32_t right = dse_max(0, dse_min(op->kernel_w, op->in_w - ix)) * p->channels;
  const int64_t start = p->in_dense ? (int64_t)ix * p->in->stride_w + dse_channel_offset(p->in, p->first) : 0;
  for (; lo < hi; ++tap, from = 0) {
    const int32_t n = dse_min(p->row - from, hi - lo), end = from + n;
    const int32_t iy = dse_source(op, y, tap, op->stride_h, op->dilation_h, op->pad_top, op->in_h);
    if (iy < 0) {
      dse_clear(dst, n);
    } else if (!p->in_dense) {
      /* A tile that reads nothing of its input may come without one. */
      dse_gather_row(dst, p, p->in->base ? dse_row(p->in, iy) : NULL, x, from, end);
    } else {
      const int32_t a = dse_min(end, dse_max(from, left)), b = dse_max(a, dse_min(end, right));
      dse_clear(dst, a - from);
      if (a < b)
        dse_widen(dst + (a - from), dse_row(p->in, iy) + (start + (int64_t)a * p->in->stride_c), p->in->stride_c, b - a,
                  op->in_type, op->in_zero);
      dse_clear(dst + (b - from), end - b);
    }
    dst += n;
    lo += n;
  }
}

/* Columns [ix, ix + n) of the input row under window row `tap` of output row y; for dense windows only. */
static inline void dse_gather_columns(int16_t* dst, const dse_patch* p, int32_t y, int32_t tap, int32_t ix, int32_t n) {
  const dse_op* op = p->op;
  const int32_t iy = dse_source(op, y, tap, op->stride_h, op->dilation_h, op->pad_top, op->in_h);
  const int32_t a = dse_min(n, dse_max(0, -ix)), b = iy < 0 ? a : dse_max(a, dse_min(n, op->in_w - ix));
  dse_clear(dst, a * p->channels);
  if (a < b)
    dse_widen(dst + a * p->channels,
              dse_row(p->in, iy) + (int64_t)(ix + a) * p->in->stride_w + dse_channel_offset(p->in, p->first),
              p->in->stride_c, (b - a) * p->channels, op->in_type, op->in_zero);
  dse_clear(dst + b * p->channels, (n - b) * p->channels);
}

/* How many outputs from (y, x) on, before column x_end, have patches that lie one behind the other: those of a row of a
 * pointwise convolution. At least 1. */
static inline int32_t dse_patch_run(const dse_patch* p, int32_t y, int32_t x, int32_t x_end) {
  const dse_op* op = p->op;
  const int pointwise = p->in_dense && p->size == p->channels && op->stride_w == 1 && !op->pad_left && !op->pad_top;
  if (!pointwise || y * op->stride_h >= op->in_h) return 1;
  return dse_max(1, dse_min(x_end, op->in_w) - x);
}

/* Elements [lo, hi) of the filter of output channel c. */
static inline void dse_gather_filter(int16_t* dst, const dse_patch* p, int32_t c, int32_t lo, int32_t hi) {
  const dse_op* op = p->op;
  const dse_view* v = p->weights;
  const uint8_t* filter;
  if (op->kind == DSE_MATMUL) { /* a column of the second operand */
    if (!v->ring_h) {
      dse_widen(dst, dse_at(v, p->k + lo, 0, c), v->stride_h, hi - lo, op->in2_type, op->in2_zero);
      return;
    }
    for (; lo < hi; ++lo) *dst++ = (int16_t)(dse_element(dse_at(v, p->k + lo, 0, c), op->in2_type) - op->in2_zero);
    return;
  }
  filter = dse_row(v, c);
  if (p->weights_dense) {
    dse_widen(dst, filter + dse_channel_offset(v, p->k) + (int64_t)lo * v->stride_c, v->stride_c, hi - lo,
              op->weight_type, op->weights_zero);
    return;
  }
  while (lo < hi) {
    const int32_t tap = lo / p->channels, k = lo - tap * p->channels, n = dse_min(p->channels - k, hi - lo);
    dse_gather_channels(dst, v, filter + (int64_t)tap * v->stride_w, p->k + k, n, op->weight_type, op->weights_zero);
    dst += n;
    lo += n;
  }
}

#endif
