/* Output batches (dse_batches.h). A batch of a call is a run of outputs in the order (y, x, c) of the call's tile. It
 * is cut into boxes, whose sums the kernels leave in scratch, one behind the other in that order. */
#include "dse_batches.h"
#include "dse_factors.h"
#include "dse_internal.h"
#include "dse_sums.h"
#include "dse_technique.h"

/* A batch while its sums stand in scratch. */
typedef struct batch {
  const dse_call* call; /* the whole one */
  dse_call part;        /* with the sums as DSE_ACC */
  dse_op op;            /* without batches */
  int64_t first;        /* index of its first output in the tile */
  uint8_t* sums;
  int32_t factor; /* that its outputs share, where they have one */
} batch;

/* The view of the sums of a box whose first output is `index`: they lie as the tile's outputs follow each other. */
static void see_sums(batch* b, int64_t index) {
  const dse_tile* t = &b->call->tile;
  dse_view* v = &b->part.view[DSE_ACC];
  memset(v, 0, sizeof *v);
  v->elem = v->stride_c = dse_role_bytes(&b->op, DSE_ACC);
  v->stride_w = (t->c.hi - t->c.lo) * v->elem;
  v->stride_h = (t->x.hi - t->x.lo) * v->stride_w;
  v->first_h = b->part.tile.y.lo;
  v->first_c = b->part.tile.c.lo;
  /* Views count columns from 0: the first one of the box lies where the sums begin. Between integers, because the
   * column 0 of them is no place in scratch. */
  v->base = (uint8_t*)((uintptr_t)b->sums + (uintptr_t)((index - b->first) * v->elem) -
                       (uintptr_t)((int64_t)b->part.tile.x.lo * v->stride_w));
}

static void sum_box(batch* b) {
  b->part.tile.flags = DSE_FIRST | DSE_SUMS;
  if (dse_in_factors(&b->op) > 0)
    dse_kernels.factors(&b->part);
  else if (dse_technique_of(&b->op) != DSE_DIRECT)
    dse_kernels.technique[dse_technique_of(&b->op)](&b->part);
  else
    dse_kernels.of[b->op.kind](&b->part);
}

/* The last step of a sum, which adds nothing to it. */
static void rescale_box(batch* b) {
  const dse_tile* t = &b->part.tile;
  int32_t y, x, c;
  b->part.tile.flags = DSE_LAST | DSE_SUMS;
  for (c = t->c.lo; c < t->c.hi; ++c) {
    const dse_record q = dse_record_of(&b->part, c);
    for (y = t->y.lo; y < t->y.hi; ++y)
      for (x = t->x.lo; x < t->x.hi; ++x) dse_put_sum(&b->part, y, x, c, 0, &q);
  }
}

/* A sum as it is before it is shifted into the format of its output: with its bias, corrected, and within the limits of
 * the activation. */
static int64_t finished(const batch* b, const dse_record* q, int32_t y, int32_t x, int32_t c) {
  const int32_t low = b->op.arg[DSE_ARG_LOW], high = b->op.arg[DSE_ARG_HIGH];
  const uint8_t* at = dse_at(&b->part.view[DSE_ACC], y, x, c);
  int64_t v;
  if (b->op.acc_bytes == 8)
    memcpy(&v, at, 8);
  else
    v = dse_load32(at);
  v = (int64_t)((uint64_t)v + (uint64_t)q->bias);
  if (b->op.acc_bytes != 8) v = (int32_t)v;
  v = dse_correct(v, q->multiplier);
  if (low != INT32_MIN && v < dse_limit(low, q->shift)) v = dse_limit(low, q->shift);
  if (high != INT32_MAX && v > dse_limit(high, q->shift)) v = dse_limit(high, q->shift);
  return v;
}

/* A finished sum as a mantissa of the batch's factor; beyond the type of outputs where that is too small. */
static int64_t mantissa(const batch* b, const dse_record* q, int64_t v) {
  return dse_shift_round(v, dse_max(-31, dse_min(q->shift + b->factor, 46)));
}

/* Raises the factor of the batch until the outputs of the box fit. */
static void fit_box(batch* b) {
  const dse_tile* t = &b->part.tile;
  const int32_t half = b->op.out_type == DSE_I16 ? 1 << 15 : 1 << 7;
  int32_t y, x, c;
  for (c = t->c.lo; c < t->c.hi && b->factor < DSE_FACTOR_MOST; ++c) {
    const dse_record q = dse_load_record(&b->op, &b->part.view[DSE_QPARAMS], c);
    for (y = t->y.lo; y < t->y.hi; ++y)
      for (x = t->x.lo; x < t->x.hi; ++x) {
        const int64_t v = finished(b, &q, y, x, c);
        int64_t m = mantissa(b, &q, v);
        for (; b->factor < DSE_FACTOR_MOST && (m >= half || m < -half); m = mantissa(b, &q, v)) ++b->factor;
      }
  }
}

static void store_box(batch* b) {
  const dse_tile* t = &b->part.tile;
  const int32_t half = b->op.out_type == DSE_I16 ? 1 << 15 : 1 << 7;
  int32_t y, x, c;
  for (c = t->c.lo; c < t->c.hi; ++c) {
    const dse_record q = dse_load_record(&b->op, &b->part.view[DSE_QPARAMS], c);
    for (y = t->y.lo; y < t->y.hi; ++y)
      for (x = t->x.lo; x < t->x.hi; ++x)
        dse_put_element(dse_at(&b->part.view[DSE_OUT], y, x, c), b->op.out_type,
                        dse_clamp(mantissa(b, &q, finished(b, &q, y, x, c)), -half, half - 1));
  }
}

/* The largest box that begins with output `index` and holds outputs before `end` in their order. @returns how many. */
static int64_t box_from(batch* b, int64_t index, int64_t end) {
  const dse_tile* t = &b->call->tile;
  const int64_t channels = t->c.hi - t->c.lo, row = channels * (t->x.hi - t->x.lo), n = end - index;
  const int64_t y = index / row, x = index % row / channels, c = index % channels;
  int64_t rows = 1, columns = 1, some = channels - c < n ? channels - c : n;
  if (c == 0 && n >= channels) {
    columns = n / channels < (row / channels) - x ? n / channels : (row / channels) - x;
    if (x == 0 && n >= row) rows = n / row;
  }
  b->part.tile.y.lo = t->y.lo + (int32_t)y;
  b->part.tile.x.lo = t->x.lo + (int32_t)x;
  b->part.tile.c.lo = t->c.lo + (int32_t)c;
  b->part.tile.y.hi = b->part.tile.y.lo + (int32_t)rows;
  b->part.tile.x.hi = b->part.tile.x.lo + (int32_t)columns;
  b->part.tile.c.hi = b->part.tile.c.lo + (int32_t)some;
  return rows * columns * some;
}

/* All boxes of outputs [b->first, end), which `of` is called for. */
static void for_boxes(batch* b, int64_t end, void (*of)(batch*)) {
  int64_t index;
  for (index = b->first; index < end;) {
    const int64_t n = box_from(b, index, end);
    see_sums(b, index);
    of(b);
    index += n;
  }
}

void dse_in_batches(const dse_call* call) {
  const int64_t all = dse_outputs_of(&call->tile), each = dse_batch_outputs(call->op, &call->tile);
  const int32_t technique = dse_technique_scratch(call->op, &call->tile); /* its scratch comes first */
  batch b;
  int second = 0;
  b.call = call;
  b.part = *call;
  b.op = *call->op;
  b.op.arg[DSE_ARG_BATCHES] = 0;
  b.part.op = &b.op;
  for (b.first = 0; b.first < all; b.first += each) {
    const int64_t end = b.first + each < all ? b.first + each : all;
    b.sums = call->view[DSE_SCRATCH].base + technique + (second ? each * dse_role_bytes(&b.op, DSE_ACC) : 0);
    for_boxes(&b, end, sum_box);
    if (dse_out_factors(&b.op) > 0) {
      b.factor = DSE_FACTOR_LEAST;
      for_boxes(&b, end, fit_box);
      for_boxes(&b, end, store_box);
      dse_store32(dse_at(&call->view[DSE_FACTORS], 0, 0, (int32_t)(b.first / each)),
                  dse_factor_entry((int32_t)end, b.factor));
    } else {
      for_boxes(&b, end, rescale_box);
    }
    second = !second && call->op->arg[DSE_ARG_BATCH_BUFFERS] == 2;
  }
}
