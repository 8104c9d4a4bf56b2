/* CONV_2D of 3x3 by F(2x2, 3x3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016), in
 * integers: with filters transformed by 2G instead of G, the sums come out four times as large.
 *
 * Scratch: the 4x4 inputs of every block of 2x2 outputs, transformed, [block][16][k], then one filter, [16][k], all
 * int16: inputs less their zero point are below 2^9, four of them below 2^11; nine weights below 2^12. */
#include "dse_internal.h"
#include "dse_sums.h"
#include "dse_technique.h"

static void put16(uint8_t* p, int32_t i, int32_t v) {
  const int16_t h = (int16_t)v;
  memcpy(p + 2 * (int64_t)i, &h, 2);
}
static int32_t get16(const uint8_t* p, int32_t i) {
  int16_t v;
  memcpy(&v, p + 2 * (int64_t)i, 2);
  return v;
}

/* B'dB of the inputs of the block of outputs (y, x), channel by channel, to [16][depth]. What only outputs beyond the
 * tile would read is not touched. */
static void transform_inputs(const dse_call* call, int32_t y, int32_t x, uint8_t* to) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const int32_t depth = call->tile.k.hi - call->tile.k.lo;
  const int32_t bottom = dse_min(op->in_h, call->tile.y.hi + 2 - op->pad_top);
  const int32_t right = dse_min(op->in_w, call->tile.x.hi + 2 - op->pad_left);
  int32_t k, i, j;
  for (k = 0; k < depth; ++k) {
    int32_t d[4][4], b[4][4];
    for (i = 0; i < 4; ++i)
      for (j = 0; j < 4; ++j) {
        const int32_t iy = y - op->pad_top + i, ix = x - op->pad_left + j;
        const int there = iy >= 0 && iy < bottom && ix >= 0 && ix < right;
        d[i][j] = there ? dse_element(dse_at(in, iy, ix, call->tile.k.lo + k), op->in_type) - op->in_zero : 0;
      }
    for (j = 0; j < 4; ++j) {
      b[0][j] = d[0][j] - d[2][j];
      b[1][j] = d[1][j] + d[2][j];
      b[2][j] = d[2][j] - d[1][j];
      b[3][j] = d[1][j] - d[3][j];
    }
    for (i = 0; i < 4; ++i) {
      put16(to, (4 * i) * depth + k, b[i][0] - b[i][2]);
      put16(to, (4 * i + 1) * depth + k, b[i][1] + b[i][2]);
      put16(to, (4 * i + 2) * depth + k, b[i][2] - b[i][1]);
      put16(to, (4 * i + 3) * depth + k, b[i][1] - b[i][3]);
    }
  }
}

/* Three numbers to four, by 2G. */
static void double_g(const int32_t* g, int32_t* to) {
  to[0] = 2 * g[0];
  to[1] = g[0] + g[1] + g[2];
  to[2] = g[0] - g[1] + g[2];
  to[3] = 2 * g[2];
}

/* 4 GgG' of filter c, channel by channel, to [16][depth]. */
static void transform_filter(const dse_call* call, int32_t c, uint8_t* to) {
  const dse_op* op = call->op;
  const dse_view* w = &call->view[DSE_WEIGHTS];
  const int32_t depth = call->tile.k.hi - call->tile.k.lo;
  int32_t k, i, j;
  for (k = 0; k < depth; ++k) {
    int32_t column[3][4], row[3], out[4]; /* column[j]: of filter column j, transformed */
    for (j = 0; j < 3; ++j) {
      for (i = 0; i < 3; ++i)
        row[i] = dse_element(dse_at(w, c, 3 * i + j, call->tile.k.lo + k), op->weight_type) - op->weights_zero;
      double_g(row, column[j]);
    }
    for (i = 0; i < 4; ++i) {
      for (j = 0; j < 3; ++j) row[j] = column[j][i];
      double_g(row, out);
      for (j = 0; j < 4; ++j) put16(to, (4 * i + j) * depth + k, out[j]);
    }
  }
}

/* The four sums of a block and a filter. */
static void multiply(const uint8_t* block, const uint8_t* filter, int32_t depth, int64_t sum[2][2]) {
  int64_t m[4][4], half[2][4];
  int32_t i, j, k;
  for (i = 0; i < 16; ++i) {
    int64_t s = 0;
    for (k = 0; k < depth; ++k) s += get16(block, i * depth + k) * get16(filter, i * depth + k);
    m[i / 4][i % 4] = s;
  }
  for (j = 0; j < 4; ++j) {
    half[0][j] = m[0][j] + m[1][j] + m[2][j];
    half[1][j] = m[1][j] - m[2][j] - m[3][j];
  }
  for (i = 0; i < 2; ++i) {
    sum[i][0] = (half[i][0] + half[i][1] + half[i][2]) / 4;
    sum[i][1] = (half[i][1] - half[i][2] - half[i][3]) / 4;
  }
}

void dse_winograd(const dse_call* call) {
  const dse_tile* t = &call->tile;
  const int32_t depth = t->k.hi - t->k.lo;
  const int64_t block = 32 * (int64_t)depth;
  uint8_t *scratch = call->view[DSE_SCRATCH].base, *to = scratch, *filter;
  int32_t y, x, c, i;
  for (y = t->y.lo; y < t->y.hi; y += 2)
    for (x = t->x.lo; x < t->x.hi; x += 2, to += block) transform_inputs(call, y, x, to);
  filter = to;
  for (c = t->c.lo; c < t->c.hi; ++c) {
    const dse_record q = dse_record_of(call, c);
    const uint8_t* from = scratch;
    transform_filter(call, c, filter);
    for (y = t->y.lo; y < t->y.hi; y += 2)
      for (x = t->x.lo; x < t->x.hi; x += 2, from += block) {
        int64_t sum[2][2];
        multiply(from, filter, depth, sum);
        for (i = 0; i < 4; ++i)
          if (y + i / 2 < t->y.hi && x + i % 2 < t->x.hi)
            dse_put_sum(call, y + i / 2, x + i % 2, c, sum[i / 2][i % 2], &q);
      }
  }
}
