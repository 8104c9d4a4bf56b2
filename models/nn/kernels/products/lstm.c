/* LSTM over a sequence: int8 activations, int16 cell. Computed whole, whatever part of OUT is asked for: the states
 * move through all steps once per call.
 *
 * Batch-major: IN0 and OUT have y = image of the batch, x = step; time-major (arg[0] = 1): y = step, x = image. c =
 * feature or unit.
 * STATE0, flat: hidden state [batch][unit], int8. STATE1, flat: cell state [batch][unit], int16.
 * WEIGHTS, flat, int8: [gate][unit][feature], then [gate][unit][unit] for the hidden state. Gates: input, forget, cell,
 * output.
 * QPARAMS: [gate][unit] {bias, multiplier, shift} for the input, then [gate] {0, multiplier, shift} for the hidden
 * state: both to steps of 2^-12.
 * m1, s1: forget gate * cell to cell; m2, s2: input gate * cell gate to cell; m3, s3: output gate * tanh(cell) to
 * hidden. in2_zero: zero point of the hidden state.
 * SCRATCH: the units of one hidden state.
 *
 * arg[1] limit of the cell, -1 = none; arg[2], arg[3] multiplier and right shift of the cell before tanh */
#include "dse_elements.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"
#include "dse_sigmoid16.h"

enum { INPUT_GATE, FORGET_GATE, CELL_GATE, OUTPUT_GATE, GATES };

static int32_t clamp16(int64_t v) { return dse_clamp(v, -32768, 32767); }

/* A gate before its activation, in steps of 2^-12. */
static int32_t gate_input(const dse_call* call, int32_t gate, int32_t unit, const uint8_t* pixel, int32_t image) {
  const dse_op* op = call->op;
  const dse_view *weights = &call->view[DSE_WEIGHTS], *hidden = &call->view[DSE_STATE0];
  const int32_t units = op->out_c, features = op->in_c, row = gate * units + unit;
  const dse_channel_params x = dse_load_params(&call->view[DSE_QPARAMS], row),
                           h = dse_load_params(&call->view[DSE_QPARAMS], GATES * units + gate);
  const int32_t from_input =
      dse_weighted_sum(weights, row * features, &call->view[DSE_IN0], pixel, 0, features, op->in_zero, x.bias);
  const int32_t from_hidden = dse_weighted_sum(weights, GATES * units * features + row * units, hidden,
                                               dse_row(hidden, 0), image * units, units, op->in2_zero, 0);
  return clamp16((int64_t)clamp16(dse_requantize(from_input, x.multiplier, x.shift, op->rounding)) +
                 clamp16(dse_requantize(from_hidden, h.multiplier, h.shift, op->rounding)));
}

static int32_t sigmoid(int32_t v) { return dse_logistic16(dse_sigmoid16_input(v, 3, 0)); }

/* One unit's new cell state, stored, and its new hidden state, returned. */
static int32_t unit_step(const dse_call* call, int32_t unit, const uint8_t* pixel, int32_t image) {
  const dse_op* op = call->op;
  uint8_t* state = dse_flat_at(&call->view[DSE_STATE1], image * op->out_c + unit);
  const int32_t i = sigmoid(gate_input(call, INPUT_GATE, unit, pixel, image));
  const int32_t f = sigmoid(gate_input(call, FORGET_GATE, unit, pixel, image));
  const int32_t g = dse_tanh16(dse_sigmoid16_input(gate_input(call, CELL_GATE, unit, pixel, image), 3, 0));
  const int32_t o = sigmoid(gate_input(call, OUTPUT_GATE, unit, pixel, image));
  int32_t cell = dse_element(state, DSE_I16), t;
  cell = clamp16((int64_t)clamp16(dse_requantize(f * cell, op->m1, op->s1, op->rounding)) +
                 clamp16(dse_requantize(i * g, op->m2, op->s2, op->rounding)));
  if (op->arg[1] >= 0) cell = dse_clamp(cell, -op->arg[1], op->arg[1]);
  dse_put_element(state, DSE_I16, cell);
  t = dse_tanh16(dse_sigmoid16_input(cell, op->arg[2], op->arg[3]));
  return dse_clamp((int64_t)dse_requantize(t * o, op->m3, op->s3, op->rounding) + op->in2_zero, -128, 127);
}

static int inside(dse_span s, int32_t i) { return s.lo <= i && i < s.hi; }

static void step(const dse_call* call, int32_t image, int32_t y, int32_t x) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const dse_view *in = &call->view[DSE_IN0], *out = &call->view[DSE_OUT], *hidden = &call->view[DSE_STATE0];
  const uint8_t* pixel = dse_row(in, y) + (int64_t)x * in->stride_w;
  uint8_t* next = call->view[DSE_SCRATCH].base; /* all gates see the hidden state of before */
  int32_t u;
  for (u = 0; u < op->out_c; ++u) next[u] = (uint8_t)unit_step(call, u, pixel, image);
  for (u = 0; u < op->out_c; ++u) *dse_flat_at(hidden, image * op->out_c + u) = next[u];
  if (!inside(t->y, y) || !inside(t->x, x)) return;
  for (u = t->c.lo; u < t->c.hi; ++u)
    (dse_row(out, y) + (int64_t)x * out->stride_w)[dse_channel_offset(out, u)] = next[u];
}

void dse_lstm(const dse_call* call) {
  const dse_op* op = call->op;
  int32_t y, x;
  /* Either way each image's steps are in order, and images do not meet. */
  for (y = 0; y < op->in_h; ++y)
    for (x = 0; x < op->in_w; ++x) step(call, op->arg[0] ? x : y, y, x);
}
