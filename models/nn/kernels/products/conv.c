/* CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV and MATMUL: sums of products over patches of the input (dse_patch.h).
 *
 * A block of pixels is computed with a block of filters, a piece of the patch at a time. Pieces of inputs and weights
 * are widened to int16 in buffers on the stack (less than 7 KiB in all), so that the inner loops are dot products of
 * int16, which compilers turn into multiply-add instructions.
 *
 * MATMUL: OUT(y, c) = sum of IN0(y, k) * IN1(k, c); the columns of IN1 are the filters; op->m1, s1 are the multiplier
 * and shift of all channels (Q formats: 1 and the shift). */
#include "dse_block.h"
#include "dse_finish.h"
#include "dse_internal.h"
#include "dse_patch.h"
#include "dse_sums.h"

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

static int32_t filter_type(const dse_op* op) { return op->kind == DSE_MATMUL ? op->in2_type : op->weight_type; }

static int32_t eights(int32_t n) { return (n + 7) & ~7; }

/* Elements [n, end) to zero. */
static void fill_up(int16_t* piece, int32_t n, int32_t end) {
  for (; n < end; ++n) piece[n] = 0;
}

/* The patches of the block's pixels [i, i + run) of one row: what they read of an input row is widened at once, since
 * windows overlap and pieces of one window row are too short to be worth it. */
static void gather_strip(const dse_patch* p, block* b, int32_t i, int32_t run) {
  const dse_op* op = p->op;
  const int32_t columns = (run - 1) * op->stride_w + op->kernel_w, step = op->stride_w * p->channels;
  int16_t strip[STRIP];
  int32_t row, j, k;
  for (row = 0; row < op->kernel_h; ++row) {
    int16_t* dst = b->patch + i * b->pitch + row * p->row;
    const int16_t* src = strip;
    dse_gather_columns(strip, p, b->y[i], row, b->x[i] * op->stride_w - op->pad_left, columns);
    for (j = 0; j < run; ++j, dst += b->pitch, src += step) {
      for (k = 0; k + 8 <= p->row; k += 8) memcpy(dst + k, src + k, 16);
      for (; k < p->row; ++k) dst[k] = src[k];
    }
  }
}

/* How many of the block's pixels from i on gather_strip() can take at once. */
static int32_t strip_run(const dse_patch* p, const block* b, int32_t i) {
  const int32_t step = p->op->stride_w * p->channels;
  int32_t run = 1;
  if (!p->in_dense || p->row > SHORT) return 0;
  while (i + run < b->pixels && b->y[i + run] == b->y[i] && p->row + run * step <= STRIP) ++run;
  return run;
}

/* Elements [lo, lo + n) of the block's patches. */
static void gather(const dse_call* call, const dse_patch* p, block* b, int32_t lo, int32_t n) {
  const dse_op* op = call->op;
  const int whole = n == p->size;
  int32_t i, run;
  for (i = 0; i < b->pixels; i += run) {
    int16_t* dst = b->patch + i * b->pitch;
    run = whole && n == b->pitch ? dse_min(b->pixels - i, dse_patch_run(p, b->y[i], b->x[i], call->tile.x.hi)) : 1;
    if (run > 1) {
      const uint8_t* src = dse_row(p->in, b->y[i] * op->stride_h) + dse_channel_offset(p->in, p->first);
      dse_widen(dst, src + (int64_t)b->x[i] * p->in->stride_w, p->in->stride_c, run * n, op->in_type, op->in_zero);
    } else if (whole && (run = strip_run(p, b, i)) > 0) {
      gather_strip(p, b, i, run); /* behind patches that are whole there is nothing but the zeros from the beginning */
    } else {
      run = 1;
      dse_gather_patch(dst, p, b->y[i], b->x[i], lo, lo + n);
      fill_up(dst, n, eights(n));
    }
  }
}

/* The sums of the block. `packed`: where the piece that b->patch holds begins, -1 = none. */
static void accumulate(const dse_call* call, const dse_patch* p, block* b, int32_t* packed) {
  const dse_op* op = call->op;
  const int wide = op->acc_bytes == 8 && op->in_type == DSE_I16 && filter_type(op) == DSE_I16;
  const size_t sums = (size_t)((b->filters + 1) & ~1) * (size_t)b->room;
  int32_t lo, i, f;
  memset(b->part, 0, sums * 4);
  if (op->acc_bytes == 8) memset(b->u.sum, 0, sums * 8);
  for (lo = 0; lo < p->size; lo += b->piece) {
    const int32_t n = dse_min(b->piece, p->size - lo);
    if (*packed != lo) {
      gather(call, p, b, lo, n);
      if (b->turned) turn_over(b);
      *packed = lo;
    }
    for (f = 0; f < b->filters; f += 2) {
      for (i = 0; i < 2 && f + i < b->filters; ++i) {
        dse_gather_filter(b->filter[i], p, b->c + f + i, lo, lo + n);
        fill_up(b->filter[i], n, eights(n));
      }
      multiply(b, f, eights(n), wide);
    }
    if (op->acc_bytes != 8 || wide) continue;
    for (i = 0; i < (int32_t)sums; ++i) {
      b->u.sum[i] += b->part[i];
      b->part[i] = 0;
    }
  }
}

/* Stores the outputs that b->u.done holds: where channels are neighbouring bytes, four at a time. */
static void put_outputs(const dse_call* call, const block* b, const int64_t* at_out) {
  const dse_view* out = &call->view[DSE_OUT];
  const int fours = call->op->out_type != DSE_I16 && out->stride_c == 1;
  int32_t f = 0, p;
  while (f < b->filters) {
    uint8_t* to = out->base + dse_channel_offset(out, b->c + f);
    const int16_t* v = b->u.done + f * b->room;
    if (fours && f + 4 <= b->filters && dse_channel_run(out, b->c + f, b->c + f + 4) == 4) {
      const int16_t *v1 = v + b->room, *v2 = v1 + b->room, *v3 = v2 + b->room;
      uint16_t pair[2 * PIXELS]; /* of bytes, little endian, as the records are */
      for (p = 0; p < b->room; ++p) {
        pair[2 * p] = (uint16_t)(((uint32_t)v[p] & 255u) | ((uint32_t)v1[p] & 255u) << 8);
        pair[2 * p + 1] = (uint16_t)(((uint32_t)v2[p] & 255u) | ((uint32_t)v3[p] & 255u) << 8);
      }
      for (p = 0; p < b->pixels; ++p) memcpy(to + at_out[p], pair + 2 * p, 4);
      f += 4;
    } else {
      for (p = 0; p < b->pixels; ++p) dse_put_element(to + at_out[p], call->op->out_type, v[p]);
      ++f;
    }
  }
}

/* Adds the partial sums of former steps; stores sums or outputs. */
static void finish_narrow(const dse_call* call, block* b, const int64_t* at_out) {
  const dse_op* op = call->op;
  const dse_view* acc = &call->view[DSE_ACC];
  const int first = call->tile.flags & DSE_FIRST, last = call->tile.flags & DSE_LAST;
  const int32_t n = (b->pixels + 3) & ~3;
  int32_t p, f;
  for (f = 0; f < b->filters; ++f) {
    const int32_t c = b->c + f;
    int32_t* sum = b->part + f * b->room;
    int16_t* done = b->u.done + f * b->room;
    if (!first)
      for (p = 0; p < b->pixels; ++p) sum[p] = plus(sum[p], dse_load32(dse_at(acc, b->y[p], b->x[p], c)));
    if (last) {
      const dse_record q = dse_record_of(call, c);
      if (first && b->small && dse_fits_short(op, &q, b->small)) {
        dse_finish_short(op, &q, sum, done, n);
      } else {
        dse_finish_many(op, &q, sum, n);
        for (p = 0; p < n; ++p) done[p] = (int16_t)sum[p];
      }
    } else {
      for (p = 0; p < b->pixels; ++p) dse_store32(dse_at(acc, b->y[p], b->x[p], c), sum[p]);
    }
  }
  if (last) put_outputs(call, b, at_out);
}

/* The same with sums of 64 bits. */
static void finish_wide(const dse_call* call, block* b, const int64_t* at_out) {
  const dse_op* op = call->op;
  const dse_view *acc = &call->view[DSE_ACC], *out = &call->view[DSE_OUT];
  const int first = call->tile.flags & DSE_FIRST, last = call->tile.flags & DSE_LAST;
  int32_t p, f;
  for (f = 0; f < b->filters; ++f) {
    const int32_t c = b->c + f;
    const dse_record q = dse_record_of(call, c);
    for (p = 0; p < b->pixels; ++p) {
      int64_t sum = b->u.sum[f * b->room + p], former;
      if (!first) {
        memcpy(&former, dse_at(acc, b->y[p], b->x[p], c), 8);
        sum = (int64_t)((uint64_t)sum + (uint64_t)former);
      }
      if (last)
        dse_put_element(out->base + dse_channel_offset(out, c) + at_out[p], op->out_type, dse_finish(op, &q, sum));
      else
        memcpy(dse_at(acc, b->y[p], b->x[p], c), &sum, 8);
    }
  }
}

/* The next pixels of the tile from (y, x) on, and where their outputs lie, in bytes from the view's base. */
static void take_pixels(const dse_call* call, block* b, int32_t* y, int32_t* x, int64_t* at_out) {
  const dse_tile* t = &call->tile;
  const dse_view* out = &call->view[DSE_OUT];
  int32_t n = 0, i, run;
  for (; n < b->room && *y < t->y.hi; n += run) {
    int64_t at = t->flags & DSE_LAST ? dse_row(out, *y) - out->base + (int64_t)*x * out->stride_w : 0;
    run = dse_min(b->room - n, t->x.hi - *x);
    for (i = 0; i < run; ++i, at += out->stride_w) {
      b->y[n + i] = *y;
      b->x[n + i] = *x + i;
      at_out[n + i] = at;
    }
    *x += run;
    if (*x == t->x.hi) {
      *x = t->x.lo;
      ++*y;
    }
  }
  b->pixels = n;
}

void dse_conv(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const int32_t per_group = op->groups > 1 ? op->out_c / op->groups : op->out_c;
  const int32_t size = op->kernel_h * op->kernel_w * (t->k.hi - t->k.lo), pieces = (size + PIECE - 1) / PIECE;
  int64_t at_out[PIXELS];
  block b;
  int32_t y = t->y.lo, x = t->x.lo, filters;
  b.piece = pieces ? eights((size + pieces - 1) / pieces) : 8;
  b.pitch = b.piece;
  b.room = dse_min(op->acc_bytes == 8 ? WIDE_SUMS / 2 : PIXELS, PATCHES / b.pitch & ~3);
  filters = (op->acc_bytes == 8 ? WIDE_SUMS : SUMS) / b.room & ~1;
  /* Elements of 8 bits less their zero points are below 2^8 in magnitude. */
  b.small = size < 1 << 14 && op->in_type != DSE_I16 && filter_type(op) != DSE_I16 ? size << 16 : 0;
  b.turned = b.small && b.pitch == 8;
  b.centre = (int16_t)dse_wrap_sub(op->in_type == DSE_U8 ? 128 : 0, op->in_zero);
  memset(b.patch, 0, sizeof b.patch);
  memset(b.filter, 0, sizeof b.filter);
  while (y < t->y.hi && t->x.lo < t->x.hi) {
    int32_t packed = -1, group = -1;
    dse_patch p;
    take_pixels(call, &b, &y, &x, at_out);
    for (b.c = t->c.lo; b.c < t->c.hi; b.c += b.filters) {
      b.filters = dse_min(filters, dse_min(t->c.hi, (b.c / per_group + 1) * per_group) - b.c);
      if (b.c / per_group != group) {
        group = b.c / per_group;
        p = patch_of(call, b.c);
        packed = -1;
      }
      accumulate(call, &p, &b, &packed);
      if (op->acc_bytes == 8)
        finish_wide(call, &b, at_out);
      else
        finish_narrow(call, &b, at_out);
    }
  }
}
