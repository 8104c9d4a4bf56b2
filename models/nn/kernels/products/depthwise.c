/* DEPTHWISE_CONV_2D: output channel c reads input channel c / multiplier only. There is nothing to accumulate over
 * input channels, so the accumulation flags of the tile and its range k have no meaning here.
 *
 * A block of channels is computed for a few pixels at a time, tap by tap; the weights of the block are turned over to
 * [tap][channel] on the stack (less than 4.5 KiB in all), so that the inner loop runs over neighbouring channels. */
#include "dse_finish.h"
#include "dse_internal.h"
#include "dse_patch.h"

enum {
  CHANNELS = 32,
  PIXELS = 8,
  TAPS = 32 /* held at a time */
};

typedef struct lanes {
  int32_t c, n, eights; /* the block of output channels; n rounded up to a multiple of 8 */
  int32_t held;         /* the first of the taps in `weights`, -1 = none */
  int32_t y[PIXELS], x[PIXELS];
  uint32_t sum[PIXELS][CHANNELS];
  int64_t wide[CHANNELS]; /* 64-bit sums, of one pixel at a time */
  int16_t in[CHANNELS];
  int16_t weights[TAPS][CHANNELS];
} lanes;

/* The weights of taps [lo, hi). */
static void turn_over(const dse_call* call, lanes* b, int32_t lo, int32_t hi) {
  const dse_op* op = call->op;
  const dse_view* v = &call->view[DSE_WEIGHTS];
  int32_t i, tap;
  for (i = 0; i < b->n; ++i) {
    const uint8_t* filter = dse_row(v, b->c + i) + dse_channel_offset(v, 0);
    for (tap = lo; tap < hi; ++tap)
      b->weights[tap - lo][i] =
          (int16_t)(dse_element(filter + (int64_t)tap * v->stride_w, op->weight_type) - op->weights_zero);
  }
}

/* The input channels of the block at one pixel. */
static void gather(const dse_call* call, lanes* b, const uint8_t* pixel) {
  const dse_op* op = call->op;
  const dse_view* v = &call->view[DSE_IN0];
  int32_t i;
  if (op->multiplier == 1) {
    dse_gather_channels(b->in, v, pixel, b->c, b->n, op->in_type, op->in_zero);
    return;
  }
  for (i = 0; i < b->n; ++i)
    b->in[i] =
        (int16_t)(dse_element(pixel + dse_channel_offset(v, (b->c + i) / op->multiplier), op->in_type) - op->in_zero);
}

static void multiply(const int16_t* restrict in, const int16_t* restrict weights, uint32_t* restrict sum, int32_t n) {
  int32_t i;
  for (i = 0; i < n; ++i) sum[i] += (uint32_t)(in[i] * weights[i]);
}

static void multiply_wide(lanes* b, const int16_t* weights) {
  int32_t i;
  for (i = 0; i < b->n; ++i) b->wide[i] += (int32_t)b->in[i] * weights[i];
}

/* The taps [lo, hi) of pixel p, into its 32-bit sums or the 64-bit ones. */
static void accumulate(const dse_call* call, lanes* b, int32_t p, int32_t lo, int32_t hi) {
  const dse_op* op = call->op;
  const dse_view* v = &call->view[DSE_IN0];
  int32_t tap = lo, kx = lo % op->kernel_w;
  while (tap < hi) {
    const int32_t end = dse_min(hi, tap - kx + op->kernel_w);
    const int32_t iy = dse_source(op, b->y[p], tap / op->kernel_w, op->stride_h, op->dilation_h, op->pad_top, op->in_h);
    const uint8_t* row = iy < 0 ? 0 : dse_row(v, iy);
    for (; tap < end; ++tap, ++kx) {
      const int32_t ix = dse_source(op, b->x[p], kx, op->stride_w, op->dilation_w, op->pad_left, op->in_w);
      if (!row || ix < 0) continue;
      gather(call, b, row + (int64_t)ix * v->stride_w);
      if (op->acc_bytes == 8)
        multiply_wide(b, b->weights[tap - lo]);
      else
        multiply(b->in, b->weights[tap - lo], b->sum[p], b->eights);
    }
    kx = 0;
  }
}

/* All taps of the pixels [from, to) of the block. */
static void accumulate_all(const dse_call* call, lanes* b, int32_t from, int32_t to) {
  const int32_t taps = call->op->kernel_h * call->op->kernel_w;
  int32_t lo, p;
  for (lo = 0; lo < taps; lo += TAPS) {
    const int32_t hi = dse_min(taps, lo + TAPS);
    if (b->held != lo) turn_over(call, b, lo, hi);
    b->held = lo;
    for (p = from; p < to; ++p) accumulate(call, b, p, lo, hi);
  }
}

static uint8_t* output(const dse_call* call, const lanes* b, int32_t p) {
  const dse_view* out = &call->view[DSE_OUT];
  return dse_row(out, b->y[p]) + (int64_t)b->x[p] * out->stride_w;
}

static void run_narrow(const dse_call* call, lanes* b, const dse_record* records, int32_t pixels) {
  const dse_op* op = call->op;
  uint8_t* to[PIXELS];
  int32_t column[PIXELS] = {0}, i, p;
  memset(b->sum, 0, sizeof b->sum);
  accumulate_all(call, b, 0, pixels);
  if (call->tile.flags & DSE_SUMS) {
    for (p = 0; p < pixels; ++p)
      for (i = 0; i < b->n; ++i)
        dse_store32(dse_at(&call->view[DSE_ACC], b->y[p], b->x[p], b->c + i), (int32_t)b->sum[p][i]);
    return;
  }
  for (p = 0; p < pixels; ++p) to[p] = output(call, b, p);
  for (i = 0; i < b->n; ++i) {
    const int64_t at = dse_channel_offset(&call->view[DSE_OUT], b->c + i);
    for (p = 0; p < PIXELS; ++p) column[p] = (int32_t)b->sum[p][i];
    dse_finish_many(op, &records[i], column, PIXELS);
    for (p = 0; p < pixels; ++p) dse_put_element(to[p] + at, op->out_type, column[p]);
  }
}

static void run_wide(const dse_call* call, lanes* b, const dse_record* records, int32_t pixels) {
  const dse_op* op = call->op;
  int32_t i, p;
  for (p = 0; p < pixels; ++p) {
    uint8_t* to = output(call, b, p);
    memset(b->wide, 0, sizeof b->wide);
    accumulate_all(call, b, p, p + 1);
    if (call->tile.flags & DSE_SUMS) {
      for (i = 0; i < b->n; ++i) memcpy(dse_at(&call->view[DSE_ACC], b->y[p], b->x[p], b->c + i), &b->wide[i], 8);
      continue;
    }
    for (i = 0; i < b->n; ++i)
      dse_put_element(to + dse_channel_offset(&call->view[DSE_OUT], b->c + i), op->out_type,
                      dse_finish(op, &records[i], b->wide[i]));
  }
}

void dse_depthwise(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  dse_record records[CHANNELS];
  lanes b;
  int32_t i;
  memset(b.in, 0, sizeof b.in);
  memset(b.weights, 0, sizeof b.weights);
  for (b.c = t->c.lo; b.c < t->c.hi; b.c += b.n) {
    int32_t y = t->y.lo, x = t->x.lo;
    b.held = -1;
    b.n = dse_min(CHANNELS, t->c.hi - b.c);
    b.eights = (b.n + 7) & ~7;
    for (i = 0; i < b.n; ++i) records[i] = dse_load_record(op, &call->view[DSE_QPARAMS], b.c + i);
    while (y < t->y.hi) {
      int32_t pixels = 0;
      for (; pixels < PIXELS && y < t->y.hi; ++pixels) {
        b.y[pixels] = y;
        b.x[pixels] = x;
        if (++x == t->x.hi) {
          x = t->x.lo;
          ++y;
        }
      }
      if (op->acc_bytes == 8)
        run_wide(call, &b, records, pixels);
      else
        run_narrow(call, &b, records, pixels);
    }
  }
}
