/* A call in the terms of CMSIS-NN: what its adapters share. */
#ifndef DSE_CMSIS_CALL_H
#define DSE_CMSIS_CALL_H
#include "arm_nnfunctions.h"
#include "dse_cmsis_nn.h"
#include "dse_finish.h"
#include "dse_internal.h"

/* A tensor's part that lies without a gap. */
typedef struct dse_cmsis_part {
  cmsis_nn_dims dims; /* n = 1 */
  dse_box box;
  int8_t* at;
} dse_cmsis_part;

static inline dse_cmsis_part dse_cmsis_operand(const dse_call* call, enum dse_role role) {
  dse_cmsis_part p;
  p.box = dse_operand_box(call->op, &call->tile, role);
  p.dims.n = 1;
  p.dims.h = p.box.h.hi - p.box.h.lo;
  p.dims.w = p.box.w.hi - p.box.w.lo;
  p.dims.c = p.box.c.hi - p.box.c.lo;
  p.at = (int8_t*)dse_at(&call->view[role], p.box.h.lo, p.box.w.lo, p.box.c.lo);
  return p;
}

/* The input of a call with windows: with the columns that its rows have. */
static inline dse_cmsis_part dse_cmsis_input(const dse_call* call) {
  dse_cmsis_part p = dse_cmsis_operand(call, DSE_IN0);
  p.dims.w = dse_cmsis_columns(call);
  return p;
}

/* Rows and columns of padding before the input's part, as the outputs of the call see them. */
static inline cmsis_nn_tile dse_cmsis_padding(const dse_call* call, const dse_cmsis_part* in) {
  const dse_op* op = call->op;
  cmsis_nn_tile t;
  t.h = in->box.h.lo - (call->tile.y.lo * op->stride_h - op->pad_top);
  t.w = in->box.w.lo - (call->tile.x.lo * op->stride_w - op->pad_left);
  return t;
}

static inline cmsis_nn_tile dse_cmsis_tile(int32_t h, int32_t w) {
  cmsis_nn_tile t;
  t.h = h;
  t.w = w;
  return t;
}

static inline cmsis_nn_activation dse_cmsis_activation(const dse_op* op) {
  cmsis_nn_activation a;
  a.min = op->act_min;
  a.max = op->act_max;
  return a;
}

static inline cmsis_nn_dims dse_cmsis_dims(int32_t n, int32_t h, int32_t w, int32_t c) {
  cmsis_nn_dims d;
  d.n = n;
  d.h = h;
  d.w = w;
  d.c = c;
  return d;
}

/* What is left of the package's memory for the library. */
typedef struct dse_cmsis_room {
  uint8_t* at;
  uint32_t left;
} dse_cmsis_room;

static inline dse_cmsis_room dse_cmsis_all(void) {
  dse_cmsis_room r;
  r.at = dse_cmsis_memory;
  r.left = dse_cmsis_memory_bytes;
  return r;
}

/* Null: there are not so many bytes. */
static inline void* dse_cmsis_take(dse_cmsis_room* r, int64_t bytes) {
  uint8_t* const at = r->at;
  const int64_t whole = (bytes + 15) / 16 * 16;
  if (bytes < 0 || whole > (int64_t)r->left) return 0;
  r->at += whole;
  r->left -= (uint32_t)whole;
  return at;
}

/* A buffer of the library's of so many bytes. Null in `buf` with bytes above 0: there is no room. */
static inline cmsis_nn_context dse_cmsis_context(dse_cmsis_room* r, int32_t bytes) {
  cmsis_nn_context ctx;
  ctx.buf = bytes > 0 ? dse_cmsis_take(r, bytes) : 0;
  ctx.size = bytes;
  return ctx;
}
static inline int dse_cmsis_lacks(const cmsis_nn_context* ctx) { return ctx->size < 0 || (ctx->size > 0 && !ctx->buf); }

/* Bias, multiplier and shift of the call's output channels, in arrays. */
typedef struct dse_cmsis_parameters {
  int32_t *bias, *multiplier, *shift;
  int same; /* all channels have the same multiplier and shift */
} dse_cmsis_parameters;

/* 0: there is no room. */
static inline int dse_cmsis_load(dse_cmsis_parameters* p, dse_cmsis_room* r, const dse_call* call) {
  const int32_t n = call->tile.c.hi - call->tile.c.lo;
  int32_t i;
  p->bias = (int32_t*)dse_cmsis_take(r, 4 * (int64_t)n);
  p->multiplier = (int32_t*)dse_cmsis_take(r, 4 * (int64_t)n);
  p->shift = (int32_t*)dse_cmsis_take(r, 4 * (int64_t)n);
  if (!p->bias || !p->multiplier || !p->shift) return 0;
  p->same = 1;
  for (i = 0; i < n; ++i) {
    const dse_record q = dse_load_record(call->op, &call->view[DSE_QPARAMS], call->tile.c.lo + i);
    p->bias[i] = (int32_t)q.bias;
    p->multiplier[i] = q.multiplier;
    p->shift[i] = q.shift;
    if (q.multiplier != p->multiplier[0] || q.shift != p->shift[0]) p->same = 0;
  }
  return 1;
}

/* Counts a call that the library has computed. */
static inline int dse_cmsis_done(arm_cmsis_nn_status status) {
  if (status != ARM_CMSIS_NN_SUCCESS) return 0;
  ++dse_cmsis_calls;
  return 1;
}

#endif
