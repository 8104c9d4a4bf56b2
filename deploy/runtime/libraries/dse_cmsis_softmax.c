/* SOFTMAX by CMSIS-NN. */
#include "dse_cmsis_call.h"

void dse_cmsis_softmax(const dse_call* call) {
  if (dse_cmsis_takes(call)) {
    const dse_op* op = call->op;
    const dse_cmsis_part in = dse_cmsis_operand(call, DSE_IN0), out = dse_cmsis_operand(call, DSE_OUT);
    arm_softmax_s8(in.at, in.dims.h * in.dims.w, in.dims.c, op->m1, op->s1, op->left_shift, out.at);
    ++dse_cmsis_calls;
  } else {
    dse_softmax(call);
  }
}
