/* CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV and MATMUL: sums of products over patches of the input (dse_patch.h).
 *
 * A block of pixels is computed with a block of filters, a piece of the patch at a time. Pieces of inputs and weights
 * are widened to int16 in buffers on the stack (less than 4.5 KiB in all), so that the inner loops are dot products of
 * int16, which compilers turn into multiply-add instructions.
 *
 * MATMUL: OUT(y, c) = sum of IN0(y, k) * IN1(k, c); the columns of IN1 are the filters; op->m1, s1 are the multiplier
 * and shift of all channels (Q formats: 1 and the shift). */
#include "dse_finish.h"
#include "dse_internal.h"
#include "dse_patch.h"

enum {
  PIXELS = 8,
  FILTERS = 16,
  /* At most 2^15 * 2^8 per product: a piece's sum fits in 32 bits. (Products of int16 by int16 are summed in 64.) */
  PIECE = 160
};

typedef struct block {
  int32_t pixels, filters;
  int32_t y[PIXELS], x[PIXELS];
  int32_t c; /* first filter */
  int64_t sum[FILTERS][PIXELS];
  int16_t patch[PIXELS][PIECE];
  int16_t filter[2][PIECE];
} block;

/* Four patches by two filters. */
static void dot_4x2(const int16_t (*x)[PIECE], const int16_t (*w)[PIECE], int32_t n, int64_t* sum0, int64_t* sum1) {
  int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0, i;
  for (i = 0; i < n; ++i) {
    a0 += x[0][i] * w[0][i];
    a1 += x[1][i] * w[0][i];
    a2 += x[2][i] * w[0][i];
    a3 += x[3][i] * w[0][i];
    b0 += x[0][i] * w[1][i];
    b1 += x[1][i] * w[1][i];
    b2 += x[2][i] * w[1][i];
    b3 += x[3][i] * w[1][i];
  }
  sum0[0] += a0;
  sum0[1] += a1;
  sum0[2] += a2;
  sum0[3] += a3;
  sum1[0] += b0;
  sum1[1] += b1;
  sum1[2] += b2;
  sum1[3] += b3;
}

static void dot_1x2(const int16_t* x, const int16_t (*w)[PIECE], int32_t n, int64_t* sum0, int64_t* sum1) {
  int32_t a = 0, b = 0, i;
  for (i = 0; i < n; ++i) {
    a += x[i] * w[0][i];
    b += x[i] * w[1][i];
  }
  *sum0 += a;
  *sum1 += b;
}

static int64_t dot_wide(const int16_t* x, const int16_t* w, int32_t n) {
  int64_t sum = 0;
  int32_t i;
  for (i = 0; i < n; ++i) sum += (int32_t)x[i] * w[i];
  return sum;
}

/* One piece of all patches of the block by the two filters f, f + 1. */
static void multiply(block* b, int32_t f, int32_t n, int wide) {
  const int16_t(*patch)[PIECE] = (const int16_t(*)[PIECE])b->patch;
  const int16_t(*filter)[PIECE] = (const int16_t(*)[PIECE])b->filter;
  int32_t p = 0;
  if (wide) {
    for (p = 0; p < b->pixels; ++p) {
      b->sum[f][p] += dot_wide(patch[p], filter[0], n);
      b->sum[f + 1][p] += dot_wide(patch[p], filter[1], n);
    }
    return;
  }
  for (; p + 2 < b->pixels; p += 4) dot_4x2(patch + p, filter, n, &b->sum[f][p], &b->sum[f + 1][p]);
  for (; p < b->pixels; ++p) dot_1x2(patch[p], filter, n, &b->sum[f][p], &b->sum[f + 1][p]);
}

static dse_patch patch_of(const dse_call* call, int32_t c) {
  const dse_op* op = call->op;
  dse_patch p;
  p.op = op;
  p.in = &call->view[DSE_IN0];
  p.weights = &call->view[op->kind == DSE_MATMUL ? DSE_IN1 : DSE_WEIGHTS];
  p.channels = call->tile.k.hi - call->tile.k.lo;
  p.row = op->kernel_w * p.channels;
  p.size = op->kernel_h * p.row;
  p.k = p.first = call->tile.k.lo;
  if (op->groups > 1) p.first += c / (op->out_c / op->groups) * (op->in_c / op->groups);
  p.in_dense = op->kind != DSE_TRANSPOSE_CONV && op->dilation_w == 1 && dse_is_dense(p.in, p.first, p.channels);
  p.weights_dense = op->kind != DSE_MATMUL && dse_is_dense(p.weights, p.k, p.channels);
  return p;
}

/* Elements [n, end) to zero. */
static void fill_up(int16_t* piece, int32_t n, int32_t end) {
  for (; n < end; ++n) piece[n] = 0;
}

/* The sums of the block. `packed`: where the piece that b->patch holds begins, -1 = none. */
static void accumulate(const dse_patch* p, block* b, int wide, int32_t* packed) {
  const int32_t pieces = (p->size + PIECE - 1) / PIECE;
  const int32_t piece = pieces ? ((p->size + pieces - 1) / pieces + 7) & ~7 : 0;
  int32_t lo, i, f;
  memset(b->sum, 0, sizeof b->sum);
  for (lo = 0; lo < p->size; lo += piece) {
    const int32_t n = dse_min(piece, p->size - lo), whole = (n + 7) & ~7;
    if (*packed != lo) {
      for (i = 0; i < b->pixels; ++i) {
        dse_gather_patch(b->patch[i], p, b->y[i], b->x[i], lo, lo + n);
        fill_up(b->patch[i], n, whole);
      }
      *packed = lo;
    }
    for (f = 0; f < b->filters; f += 2) {
      for (i = 0; i < 2 && f + i < b->filters; ++i) {
        dse_gather_filter(b->filter[i], p, b->c + f + i, lo, lo + n);
        fill_up(b->filter[i], n, whole);
      }
      multiply(b, f, whole, wide);
    }
  }
}

static int64_t load_sum(const uint8_t* p, int32_t bytes) {
  int64_t v;
  if (bytes != 8) return dse_load32(p);
  memcpy(&v, p, 8);
  return v;
}

static void store_sum(uint8_t* p, int32_t bytes, int64_t v) {
  if (bytes == 8)
    memcpy(p, &v, 8);
  else
    dse_store32(p, (int32_t)v);
}

/* Adds the partial sums of former steps; stores sums or outputs. */
static void finish(const dse_call* call, block* b) {
  const dse_op* op = call->op;
  const dse_view *acc = &call->view[DSE_ACC], *out = &call->view[DSE_OUT];
  const int first = call->tile.flags & DSE_FIRST, last = call->tile.flags & DSE_LAST;
  int64_t at_acc[PIXELS], at_out[PIXELS]; /* bytes from the views' bases */
  int32_t p, f;
  for (p = 0; p < b->pixels; ++p) {
    if (!first || !last) at_acc[p] = dse_row(acc, b->y[p]) - acc->base + (int64_t)b->x[p] * acc->stride_w;
    if (last) at_out[p] = dse_row(out, b->y[p]) - out->base + (int64_t)b->x[p] * out->stride_w;
  }
  for (f = 0; f < b->filters; ++f) {
    const int32_t c = b->c + f;
    int64_t* sum = b->sum[f];
    if (!first) {
      const int64_t at = dse_channel_offset(acc, c);
      for (p = 0; p < b->pixels; ++p)
        sum[p] = (int64_t)((uint64_t)sum[p] + (uint64_t)load_sum(acc->base + at_acc[p] + at, op->acc_bytes));
    }
    if (last) {
      const int64_t at = dse_channel_offset(out, c);
      dse_record q = {0, op->m1, op->s1};
      if (op->kind != DSE_MATMUL) q = dse_load_record(op, &call->view[DSE_QPARAMS], c);
      for (p = 0; p < b->pixels; ++p)
        dse_put_element(out->base + at_out[p] + at, op->out_type, dse_finish(op, &q, sum[p]));
    } else {
      const int64_t at = dse_channel_offset(acc, c);
      for (p = 0; p < b->pixels; ++p) store_sum(acc->base + at_acc[p] + at, op->acc_bytes, sum[p]);
    }
  }
}

void dse_conv(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const int32_t per_group = op->groups > 1 ? op->out_c / op->groups : op->out_c;
  const int32_t other = op->kind == DSE_MATMUL ? op->in2_type : op->weight_type;
  const int wide = op->in_type == DSE_I16 && other == DSE_I16;
  block b;
  int32_t y = t->y.lo, x = t->x.lo;
  memset(b.patch, 0, sizeof b.patch);
  memset(b.filter, 0, sizeof b.filter);
  while (y < t->y.hi) {
    int32_t packed = -1, group = -1;
    for (b.pixels = 0; b.pixels < PIXELS && y < t->y.hi; ++b.pixels) {
      b.y[b.pixels] = y;
      b.x[b.pixels] = x;
      if (++x == t->x.hi) {
        x = t->x.lo;
        ++y;
      }
    }
    for (b.c = t->c.lo; b.c < t->c.hi; b.c += b.filters) {
      const dse_patch p = patch_of(call, b.c);
      b.filters = dse_min(FILTERS, dse_min(t->c.hi, (b.c / per_group + 1) * per_group) - b.c);
      if (b.c / per_group != group) packed = -1;
      group = b.c / per_group;
      accumulate(&p, &b, wide, &packed);
      finish(call, &b);
    }
  }
}
