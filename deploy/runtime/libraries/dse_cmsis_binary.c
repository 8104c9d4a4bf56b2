/* ADD and MUL by CMSIS-NN. */
#include "dse_cmsis_call.h"

static int binary(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_cmsis_part a = dse_cmsis_operand(call, DSE_IN0), b = dse_cmsis_operand(call, DSE_IN1),
                       out = dse_cmsis_operand(call, DSE_OUT);
  const int32_t n = out.dims.h * out.dims.w * out.dims.c;
  return dse_cmsis_done(op->kind == DSE_ADD
                            ? arm_elementwise_add_s8(a.at, b.at, -op->in_zero, op->m1, op->s1, -op->in2_zero, op->m2,
                                                     op->s2, op->left_shift, out.at, op->out_zero, op->m3, op->s3,
                                                     op->act_min, op->act_max, n)
                            : arm_elementwise_mul_s8(a.at, b.at, -op->in_zero, -op->in2_zero, out.at, op->out_zero,
                                                     op->m3, op->s3, op->act_min, op->act_max, n));
}

void dse_cmsis_binary(const dse_call* call) {
  if (!dse_cmsis_takes(call) || !binary(call)) dse_binary(call);
}
