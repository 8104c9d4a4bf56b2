/* REQUANTIZE: from one type, scale and zero point to another; ABS: the same of the magnitude.
 *   integer to integer: (m1, s1), in the mode qformat the right shift in arg[0]. arg[1] = 1: of the negative value.
 *   float to integer: arg[2] = the bits of the output's scale. Infinities and values beyond int32 saturate, NaN is 0.
 *   integer to float: arg[2] = the bits of the input's scale. */
#include "dse_addressing.h"
#include "dse_elementwise.h"
#include "dse_functions.h"

static float as_float(int32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* To the nearest integer; ties away from zero, or to even. */
static int64_t round_float(float f, int even) {
  const float limit = 4294967296.0f;
  int64_t whole;
  float rest;
  if (f != f) return 0;
  if (f >= limit) return INT64_C(1) << 32;
  if (f <= -limit) return -(INT64_C(1) << 32);
  whole = (int64_t)f;
  rest = f - (float)whole; /* exact: a float with a fraction has an integer part below 2^23 */
  if (rest > 0.5f || (rest == 0.5f && (!even || (whole & 1)))) return whole + 1;
  if (rest < -0.5f || (rest == -0.5f && (!even || (whole & 1)))) return whole - 1;
  return whole;
}

static int32_t from_float(const dse_op* op, float v) {
  const float scale = as_float(op->arg[2]);
  return dse_clamp(round_float(v / scale, op->rounding == DSE_ROUND_ONNX) + op->out_zero, op->act_min, op->act_max);
}

/* The onnx mode makes the difference a float first; the reference multiplies in double and rounds once. They differ for
 * 32-bit inputs only. */
static int32_t to_float(const dse_op* op, int32_t v) {
  const float scale = as_float(op->arg[2]);
  const int64_t x = (int64_t)v - op->in_zero;
  const float f = op->rounding == DSE_ROUND_ONNX ? (float)x * scale : (float)((double)scale * (double)x);
  int32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

void dse_requantize_values(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  const dse_op* op = call->op;
  int32_t i;
  (void)b;
  if (op->in_type == DSE_F32) {
    for (i = 0; i < n; ++i) o[i] = from_float(op, as_float(a[i]));
  } else if (op->out_type == DSE_F32) {
    for (i = 0; i < n; ++i) o[i] = to_float(op, a[i]);
  } else {
    for (i = 0; i < n; ++i) {
      int64_t x = dse_wrap_sub(a[i], op->in_zero);
      if (op->kind == DSE_ABS ? x < 0 : op->arg[1]) x = -x;
      x = op->rounding == DSE_ROUND_QFORMAT ? dse_shift_format(x, op->arg[0])
                                            : dse_rescale(x, op->m1, op->s1, op->rounding);
      o[i] = dse_clamp(x + op->out_zero, op->act_min, op->act_max);
    }
  }
}
