/* ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, SQUARED_DIFFERENCE, PRELU. An operand that is broadcast has views with stride 0
 * in the dimensions that it lacks. Parameters besides types, zero points and activation range:
 *   tflite, single: ADD, SUB, SQUARED_DIFFERENCE: left_shift, (m1, s1) and (m2, s2) of the operands, (m3, s3) of the
 *     result; MUL, DIV: (m3, s3); PRELU: (m1, s1) of positive values, (m2, s2) of products; MAXIMUM, MINIMUM: none.
 *   onnx: ADD, SUB: m1, m2 and the shift k in arg[0]; the others as above.
 *   qformat: ADD, SUB, MAXIMUM, MINIMUM: left shifts s1, s2 of the operands and the right shift of the result in
 * arg[0]; MUL: arg[0]; the others are those of the mode tflite. */
#include "dse_addressing.h"
#include "dse_elementwise.h"
#include "dse_functions.h"
#include "dse_internal.h"

/* The parameters may come from a damaged file: no sum or product of them is undefined. */
static int32_t shifted(int32_t v, int32_t zero, int32_t shift) {
  return dse_wrap_shl(dse_wrap_sub(v, zero), shift & 31);
}

static int32_t product(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }

static int32_t output(const dse_op* op, int64_t v) { return dse_clamp(v + op->out_zero, op->act_min, op->act_max); }

static void sums(const dse_op* op, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  int32_t i;
  for (i = 0; i < n; ++i) {
    const int32_t p = dse_requantize(shifted(a[i], op->in_zero, op->left_shift), op->m1, op->s1, op->rounding);
    const int32_t q = dse_requantize(shifted(b[i], op->in2_zero, op->left_shift), op->m2, op->s2, op->rounding);
    const int32_t v = op->kind == DSE_ADD ? dse_wrap_add(p, q) : dse_wrap_sub(p, q);
    const int32_t w = op->kind == DSE_SQUARED_DIFFERENCE ? product(v, v) : v;
    o[i] = output(op, dse_requantize(w, op->m3, op->s3, op->rounding));
  }
}

/* a / b: b's reciprocal by Newton steps, then one multiplication with as many bits of a as there are. By 0: the limit
 * of the output on a's side. */
static int32_t quotient(const dse_op* op, int32_t a, int32_t b) {
  int32_t headroom, bits, inverse, shift, v;
  if (b < 0) a = dse_wrap_sub(0, a), b = dse_wrap_sub(0, b);
  if (a == 0) return output(op, 0);
  if (b <= 0) return a < 0 ? op->act_min : op->act_max;
  headroom = dse_clz32((uint32_t)b);
  bits = 31 - headroom;
  inverse = dse_one_over_one_plus((int32_t)(((uint32_t)b << headroom) - UINT32_C(0x80000000)));
  headroom = dse_clz32((uint32_t)(a < 0 ? ~a : a)) - 1; /* sign bits that repeat the sign */
  shift = op->s3 - bits - headroom;
  v = dse_srdhm(dse_wrap_shl(a, headroom), inverse);
  if (op->rounding == DSE_ROUND_SINGLE)
    return output(op, shift < -31 ? 0 : dse_requantize(v, op->m3, dse_min(shift, 30), DSE_ROUND_SINGLE));
  v = dse_srdhm(v, op->m3);
  if (shift > 0) return output(op, dse_saturating_shl(v, dse_min(shift, 31)));
  return output(op, shift < -31 ? 0 : dse_rounding_divide_by_pot(v, -shift));
}

static int32_t parametric(const dse_op* op, int32_t a, int32_t alpha) {
  if (a >= 0) return output(op, dse_requantize(a, op->m1, op->s1, op->rounding));
  return output(op, dse_requantize(product(a, alpha), op->m2, op->s2, op->rounding));
}

static void values(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  const dse_op* op = call->op;
  int32_t i;
  switch (op->kind) {
    case DSE_ADD:
    case DSE_SUB:
    case DSE_SQUARED_DIFFERENCE:
      sums(op, a, b, o, n);
      break;
    case DSE_MUL:
      for (i = 0; i < n; ++i) {
        const int32_t p = product(dse_wrap_sub(a[i], op->in_zero), dse_wrap_sub(b[i], op->in2_zero));
        o[i] = output(op, dse_requantize(p, op->m3, op->s3, op->rounding));
      }
      break;
    case DSE_DIV:
      for (i = 0; i < n; ++i) o[i] = quotient(op, dse_wrap_sub(a[i], op->in_zero), dse_wrap_sub(b[i], op->in2_zero));
      break;
    case DSE_PRELU:
      for (i = 0; i < n; ++i) o[i] = parametric(op, dse_wrap_sub(a[i], op->in_zero), dse_wrap_sub(b[i], op->in2_zero));
      break;
    case DSE_MAXIMUM:
      for (i = 0; i < n; ++i) o[i] = dse_clamp(dse_max(a[i], b[i]), op->act_min, op->act_max);
      break;
    default:
      for (i = 0; i < n; ++i) o[i] = dse_clamp(dse_min(a[i], b[i]), op->act_min, op->act_max);
  }
}

void dse_binary(const dse_call* call) {
  const int32_t rounding = call->op->rounding;
  dse_element_wise(call, rounding == DSE_ROUND_ONNX      ? dse_binary_onnx
                         : rounding == DSE_ROUND_QFORMAT ? dse_binary_qformat
                                                         : values);
}
