/* AVERAGE_POOL_2D and MAX_POOL_2D by CMSIS-NN. */
#include "dse_cmsis_call.h"

static int pool(const dse_call* call, int averages) {
  const dse_op* op = call->op;
  const dse_cmsis_part in = dse_cmsis_input(call), out = dse_cmsis_operand(call, DSE_OUT);
  const cmsis_nn_dims filter = dse_cmsis_dims(1, op->kernel_h, op->kernel_w, 1);
  dse_cmsis_room room = dse_cmsis_all();
  cmsis_nn_context ctx;
  cmsis_nn_pool_params p;
  p.stride = dse_cmsis_tile(op->stride_h, op->stride_w);
  p.padding = dse_cmsis_padding(call, &in);
  p.activation = dse_cmsis_activation(op);
  ctx = dse_cmsis_context(&room, averages ? arm_avgpool_s8_get_buffer_size(out.dims.w, in.dims.c) : 0);
  if (dse_cmsis_lacks(&ctx)) return 0;
  return dse_cmsis_done(averages ? arm_avgpool_s8(&ctx, &p, &in.dims, in.at, &filter, &out.dims, out.at)
                                 : arm_max_pool_s8(&ctx, &p, &in.dims, in.at, &filter, &out.dims, out.at));
}

void dse_cmsis_average_pool(const dse_call* call) {
  if (!dse_cmsis_takes(call) || !pool(call, 1)) dse_average_pool(call);
}
void dse_cmsis_max_pool(const dse_call* call) {
  if (!dse_cmsis_takes(call) || !pool(call, 0)) dse_max_pool(call);
}
