/* Element-wise operators with one operand. Parameters besides types, zero points and activation range:
 *   LOOKUP: LUT of arg[DSE_ARG_LUT] = 256 entries.
 *   LOGISTIC, TANH of 8 bits: (m1, s1) brings the input to Q4, left_shift = the radius beyond which the result is the
 *     limit, arg[0] = fraction bits of the output.
 *   LOGISTIC, TANH of 16 bits: m1, s1 = multiplier and right shift to the table's argument.
 *   HARD_SWISH: (m1, s1) to the output, (m2, s2) to the slope, both of 16 bits.
 *   LEAKY_RELU: (m1, s1) of positive, (m2, s2) of negative values; m2 < 0: of the negative magnitude.
 *   REQUANTIZE, ABS: requantize.c. */
#include "dse_addressing.h"
#include "dse_elements.h"
#include "dse_elementwise.h"
#include "dse_functions.h"
#include "dse_internal.h"
#include "dse_sigmoid16.h"

static int32_t output(const dse_op* op, int64_t v) { return dse_clamp(v + op->out_zero, op->act_min, op->act_max); }

static void look_up(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  const dse_op* op = call->op;
  const dse_view* table = &call->view[DSE_LUT];
  const int32_t least = op->in_type == DSE_I8 ? -128 : 0;
  int32_t i;
  (void)b;
  for (i = 0; i < n; ++i) {
    const int32_t entry = dse_max(0, dse_min(a[i] - least, op->arg[DSE_ARG_LUT] - 1));
    o[i] = dse_element(dse_at(table, 0, 0, entry), op->out_type);
  }
}

/* 1.0 in the output's format. */
static int64_t one(const dse_op* op) { return INT64_C(1) << dse_max(0, dse_min(op->arg[0], 31)); }

static void sigmoids(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  const dse_op* op = call->op;
  const int logistic = op->kind == DSE_LOGISTIC;
  const int32_t shift = 31 - dse_max(0, dse_min(op->arg[0], 31));
  int32_t i;
  (void)b;
  for (i = 0; i < n; ++i) {
    const int32_t d = dse_wrap_sub(a[i], op->in_zero);
    int32_t q, v;
    if (d <= dse_wrap_sub(0, op->left_shift)) {
      o[i] = output(op, logistic ? 0 : -one(op));
    } else if (d >= op->left_shift) {
      o[i] = output(op, one(op));
    } else {
      q = dse_requantize(d, op->m1, dse_min(op->s1, 30), op->rounding);
      v = logistic ? dse_logistic_q4(q) : dse_tanh_q4(q);
      o[i] = output(op, dse_rounding_divide_by_pot(v, shift));
    }
  }
}

static void sigmoids16(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  const dse_op* op = call->op;
  int32_t i;
  (void)b;
  for (i = 0; i < n; ++i) {
    const int32_t d = dse_sigmoid16_input(a[i], op->m1, dse_max(0, dse_min(op->s1, 31)));
    o[i] = op->kind == DSE_LOGISTIC ? dse_logistic16(d) : dse_tanh16(d);
  }
}

static int32_t clamp16(int64_t v) { return dse_clamp(v, -32768, 32767); }

static void hard_swish(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  const dse_op* op = call->op;
  const int32_t m1 = clamp16(op->m1), m2 = clamp16(op->m2), e = dse_min(op->s2, 16);
  int32_t i;
  (void)b;
  for (i = 0; i < n; ++i) {
    const int32_t high =
        clamp16((int64_t)dse_wrap_sub(a[i], op->in_zero) * 128); /* never cut with a valid zero point */
    const int32_t scaled = dse_srdhm16(high, m1);
    int32_t slope = high; /* (x + 3) / 6 between 0 and 1, as relu6 makes it */
    if (e > 0) slope = clamp16((int64_t)slope * (INT64_C(1) << (e - 1)));
    slope = dse_srdhm16(slope, m2);
    if (e > 0) slope = clamp16((int64_t)slope * 2);
    if (e < 0) slope = dse_rounding_divide_by_pot(slope, dse_min(-e, 31));
    slope = (slope + 32768) >> 1;
    o[i] = output(op, dse_rounding_divide_by_pot(slope * scaled / 32768, dse_max(0, dse_min(-op->s1, 31))));
  }
}

static void leaky_relu(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  const dse_op* op = call->op;
  int32_t i;
  (void)b;
  for (i = 0; i < n; ++i) {
    const int32_t d = dse_wrap_sub(a[i], op->in_zero);
    if (d >= 0)
      o[i] = output(op, dse_rescale(d, op->m1, op->s1, op->rounding));
    else if (op->m2 >= 0)
      o[i] = output(op, dse_rescale(d, op->m2, op->s2, op->rounding));
    else
      o[i] = output(op, -dse_rescale(d, dse_wrap_sub(0, op->m2), op->s2, op->rounding));
  }
}

void dse_unary(const dse_call* call) {
  switch (call->op->kind) {
    case DSE_LOOKUP:
      dse_element_wise(call, look_up);
      break;
    case DSE_LOGISTIC:
    case DSE_TANH:
      dse_element_wise(call, call->op->in_type == DSE_I16 ? sigmoids16 : sigmoids);
      break;
    case DSE_HARD_SWISH:
      dse_element_wise(call, hard_swish);
      break;
    case DSE_LEAKY_RELU:
      dse_element_wise(call, leaky_relu);
      break;
    default:
      dse_element_wise(call, dse_requantize_values);
  }
}
