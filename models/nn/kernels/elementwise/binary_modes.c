/* Element-wise operators with two operands in the modes onnx and qformat (docs/how/arithmetic.md). */
#include "dse_elementwise.h"
#include "dse_functions.h"

static int32_t output(const dse_op* op, int64_t v) { return dse_clamp(v + op->out_zero, op->act_min, op->act_max); }

/* a * m / (b * 2^(31 - s)), to nearest, ties to even. By 0: a large value on a's side. */
static int64_t quotient(int64_t a, int64_t b, int32_t m, int32_t s) {
  const int64_t n = (a < 0) != (b < 0) ? -1 : 1;
  const int64_t p = (a < 0 ? -a : a) * m, d = b < 0 ? -b : b;
  const int32_t t = dse_max(1, dse_min(31 - s, 62));
  int64_t whole, rest, half;
  if (a == 0) return 0;
  if (b == 0) return a < 0 ? -(INT64_C(1) << 40) : INT64_C(1) << 40;
  whole = (p / d) >> t;
  rest = (p / d) & ((INT64_C(1) << t) - 1);
  half = INT64_C(1) << (t - 1);
  /* The remainder of the first division says on which side of a half the rest is. */
  return n * (whole + (rest > half || (rest == half && (p % d != 0 || (whole & 1))) ? 1 : 0));
}

/* Wraps with parameters that no derivation makes. */
static int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

void dse_binary_onnx(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  const dse_op* op = call->op;
  int32_t i;
  for (i = 0; i < n; ++i) {
    const int64_t x = dse_wrap_sub(a[i], op->in_zero), y = dse_wrap_sub(b[i], op->in2_zero);
    const int32_t xy = (int32_t)((uint32_t)x * (uint32_t)y);
    switch (op->kind) {
      case DSE_ADD:
        o[i] = output(op, dse_round_half_even(sum(x * op->m1, y * op->m2), op->arg[0]));
        break;
      case DSE_SUB:
        o[i] = output(op, dse_round_half_even(sum(x * op->m1, -(y * op->m2)), op->arg[0]));
        break;
      case DSE_MUL:
        o[i] = output(op, dse_rescale(xy, op->m3, op->s3, DSE_ROUND_ONNX));
        break;
      case DSE_DIV:
        o[i] = output(op, quotient(x, y, op->m3, op->s3));
        break;
      case DSE_PRELU:
        o[i] = output(op, x >= 0 ? dse_rescale(x, op->m1, op->s1, DSE_ROUND_ONNX)
                                 : dse_rescale(xy, op->m2, op->s2, DSE_ROUND_ONNX));
        break;
      default: /* operands and output share scale and zero point */
        o[i] = dse_clamp(op->kind == DSE_MAXIMUM ? dse_max(a[i], b[i]) : dse_min(a[i], b[i]), op->act_min, op->act_max);
    }
  }
}

/* x with more fraction bits. */
static int64_t aligned(int32_t x, int32_t shift) { return (int64_t)x * (INT64_C(1) << dse_max(0, dse_min(shift, 30))); }

void dse_binary_qformat(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n) {
  const dse_op* op = call->op;
  int32_t i;
  for (i = 0; i < n; ++i) {
    const int64_t x = aligned(a[i], op->s1), y = aligned(b[i], op->s2);
    int64_t v;
    switch (op->kind) {
      case DSE_ADD:
        v = x + y;
        break;
      case DSE_SUB:
        v = x - y;
        break;
      case DSE_MUL:
        v = (int64_t)a[i] * b[i];
        break;
      case DSE_MAXIMUM:
        v = x > y ? x : y;
        break;
      default:
        v = x < y ? x : y;
    }
    o[i] = dse_clamp(dse_shift_format(v, op->arg[0]), op->act_min, op->act_max);
  }
}
