/* DEPTHWISE_CONV_2D: output channel c reads input channel c / multiplier only. There is nothing to accumulate over
 * input channels, so the accumulation flags of the tile and its range k have no meaning here.
 *
 * A block of channels is computed for all pixels, tap by tap; the weights of the block are turned over to
 * [tap][channel] on the stack (less than 3 KiB in all), so that the inner loop runs over neighbouring channels. */
#include "dse_finish.h"
#include "dse_internal.h"
#include "dse_patch.h"

enum {
  CHANNELS = 32,
  TAPS = 32 /* held at a time; 2^15 * 2^8 per product: their sum fits in 32 bits */
};

typedef struct lanes {
  int32_t c, n; /* the block of output channels */
  int64_t sum[CHANNELS];
  int32_t part[CHANNELS];
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

static void multiply(lanes* b, const int16_t* weights) {
  int32_t i;
  for (i = 0; i < CHANNELS; ++i) b->part[i] += b->in[i] * weights[i];
}

static void multiply_wide(lanes* b, const int16_t* weights) {
  int32_t i;
  for (i = 0; i < b->n; ++i) b->sum[i] += (int32_t)b->in[i] * weights[i];
}

/* The taps [lo, hi) of one output pixel. */
static void accumulate(const dse_call* call, lanes* b, int32_t y, int32_t x, int32_t lo, int32_t hi, int wide) {
  const dse_op* op = call->op;
  const dse_view* v = &call->view[DSE_IN0];
  int32_t tap = lo, i;
  memset(b->part, 0, sizeof b->part);
  while (tap < hi) {
    const int32_t ky = tap / op->kernel_w, end = dse_min(hi, (ky + 1) * op->kernel_w);
    const int32_t iy = dse_source(op, y, ky, op->stride_h, op->dilation_h, op->pad_top, op->in_h);
    const uint8_t* row = iy < 0 ? 0 : dse_row(v, iy);
    for (; tap < end; ++tap) {
      const int32_t kx = tap - ky * op->kernel_w;
      const int32_t ix = dse_source(op, x, kx, op->stride_w, op->dilation_w, op->pad_left, op->in_w);
      if (!row || ix < 0) continue;
      gather(call, b, row + (int64_t)ix * v->stride_w);
      if (wide)
        multiply_wide(b, b->weights[tap - lo]);
      else
        multiply(b, b->weights[tap - lo]);
    }
  }
  for (i = 0; i < b->n; ++i) b->sum[i] += b->part[i];
}

static void store(const dse_call* call, const lanes* b, const dse_record* records, int32_t y, int32_t x) {
  const dse_view* out = &call->view[DSE_OUT];
  uint8_t* pixel = dse_row(out, y) + (int64_t)x * out->stride_w;
  int32_t i;
  for (i = 0; i < b->n; ++i)
    dse_put_element(pixel + dse_channel_offset(out, b->c + i), call->op->out_type,
                    dse_finish(call->op, &records[i], b->sum[i]));
}

void dse_depthwise(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const int32_t taps = op->kernel_h * op->kernel_w;
  const int wide = op->in_type == DSE_I16 && op->weight_type == DSE_I16;
  dse_record records[CHANNELS];
  lanes b;
  int32_t y, x, i, lo;
  memset(b.in, 0, sizeof b.in);
  memset(b.weights, 0, sizeof b.weights);
  for (b.c = t->c.lo; b.c < t->c.hi; b.c += b.n) {
    int32_t held = -1;
    b.n = dse_min(CHANNELS, t->c.hi - b.c);
    for (i = 0; i < b.n; ++i) records[i] = dse_load_record(op, &call->view[DSE_QPARAMS], b.c + i);
    for (y = t->y.lo; y < t->y.hi; ++y) {
      for (x = t->x.lo; x < t->x.hi; ++x) {
        memset(b.sum, 0, sizeof b.sum);
        for (lo = 0; lo < taps; lo += TAPS) {
          const int32_t hi = dse_min(taps, lo + TAPS);
          if (held != lo) turn_over(call, &b, lo, hi);
          held = lo;
          accumulate(call, &b, y, x, lo, hi, wide);
        }
        store(call, &b, records, y, x);
      }
    }
  }
}
