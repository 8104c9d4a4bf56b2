/* SVDF: a layer whose filters are split into a part over features and a part over time. STATE0 keeps the feature
 * results of the last steps. Computed whole, whatever part of OUT is asked for: the state moves once per call.
 *
 * IN0: y = image of the batch, x = 0, c = feature. OUT: y = image, x = 0, c = unit.
 * STATE0, flat: [batch][filter][step], oldest step first. Filters of a unit follow each other.
 * WEIGHTS, flat: [filter][feature] int8, then [filter][step] of type arg[3] (little endian).
 * QPARAMS: per unit {bias, m2, s2}. m1, s1: features to state.
 *
 * arg[0] rank: filters per unit; arg[1] steps; arg[2] zero point of the state; arg[3] type of time weights and state */
#include "dse_elements.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

/* Moves the whole state one element on. The last slot of each filter is then overwritten. */
static void shift_state(const dse_call* call) {
  const dse_view* state = &call->view[DSE_STATE0];
  const int32_t n = call->op->arg[DSE_ARG_STATE0];
  int32_t i;
  for (i = 0; i + 1 < n; ++i) dse_move_element(dse_flat_at(state, i), dse_flat_at(state, i + 1), state->elem);
}

static int32_t feature(const dse_call* call, int32_t image, int32_t filter) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  return dse_weighted_sum(&call->view[DSE_WEIGHTS], filter * op->in_c, in, dse_row(in, image), 0, op->in_c, op->in_zero,
                          0);
}

/* Time weight `i`. The operand is one of bytes, which need not lie one behind the other. */
static int32_t time_weight(const dse_call* call, int32_t first, int32_t i) {
  const dse_view* weights = &call->view[DSE_WEIGHTS];
  if (call->op->arg[3] == DSE_I8) return (int8_t)*dse_flat_at(weights, first + i);
  return (int8_t)*dse_flat_at(weights, first + 2 * i + 1) * 256 + *dse_flat_at(weights, first + 2 * i);
}

static int32_t over_time(const dse_call* call, int32_t image, int32_t filter) {
  const dse_op* op = call->op;
  const int32_t steps = op->arg[1], filters = op->out_c * op->arg[0];
  uint32_t sum = 0;
  int32_t k;
  for (k = 0; k < steps; ++k) {
    const uint8_t* s = dse_flat_at(&call->view[DSE_STATE0], (image * filters + filter) * steps + k);
    const int32_t w = time_weight(call, filters * op->in_c, filter * steps + k);
    sum += (uint32_t)(dse_element(s, op->arg[3]) - op->arg[2]) * (uint32_t)w;
  }
  return (int32_t)sum;
}

void dse_svdf(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const dse_view* out = &call->view[DSE_OUT];
  const int32_t rank = op->arg[0], steps = op->arg[1], type = op->arg[3], filters = op->out_c * rank;
  const int32_t lo = type == DSE_I16 ? -32768 : -128, hi = type == DSE_I16 ? 32767 : 127;
  int32_t y, c, f;
  shift_state(call);
  for (y = 0; y < op->in_h; ++y) {
    for (f = 0; f < filters; ++f) {
      const int32_t v = dse_clamp(dse_requantize(feature(call, y, f), op->m1, op->s1, op->rounding), lo, hi);
      /* The zero point is added after the clamp and the sum is not clamped again: it wraps, as the reference's does. */
      dse_put_element(dse_flat_at(&call->view[DSE_STATE0], (y * filters + f) * steps + steps - 1), type,
                      v + op->arg[2]);
    }
  }
  for (y = t->y.lo; y < t->y.hi; ++y) {
    for (c = t->c.lo; c < t->c.hi; ++c) {
      const dse_channel_params q = dse_load_params(&call->view[DSE_QPARAMS], c);
      int32_t acc = q.bias;
      for (f = c * rank; f < (c + 1) * rank; ++f) acc = dse_wrap_add(acc, over_time(call, y, f));
      acc = dse_requantize(acc, q.multiplier, q.shift, op->rounding);
      dse_row(out, y)[dse_channel_offset(out, c)] =
          (uint8_t)dse_clamp((int64_t)acc + op->out_zero, op->act_min, op->act_max);
    }
  }
}
