/* DEPTHWISE_CONV_2D by CMSIS-NN. */
#include "dse_cmsis_call.h"

static int depthwise(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_cmsis_part in = dse_cmsis_input(call), out = dse_cmsis_operand(call, DSE_OUT);
  const int8_t* weights = (const int8_t*)dse_at(&call->view[DSE_WEIGHTS], call->tile.c.lo, 0, 0);
  const cmsis_nn_dims filter = dse_cmsis_dims(1, op->kernel_h, op->kernel_w, out.dims.c);
  const cmsis_nn_dims bias = dse_cmsis_dims(1, 1, 1, out.dims.c);
  dse_cmsis_room room = dse_cmsis_all();
  dse_cmsis_parameters p;
  cmsis_nn_context ctx;
  cmsis_nn_dw_conv_params c;
  cmsis_nn_per_channel_quant_params q;
  if (!dse_cmsis_load(&p, &room, call)) return 0;
  c.input_offset = -op->in_zero;
  c.output_offset = op->out_zero;
  c.ch_mult = op->multiplier;
  c.stride = dse_cmsis_tile(op->stride_h, op->stride_w);
  c.padding = dse_cmsis_padding(call, &in);
  c.dilation = dse_cmsis_tile(op->dilation_h, op->dilation_w);
  c.activation = dse_cmsis_activation(op);
  q.multiplier = p.multiplier;
  q.shift = p.shift;
  ctx = dse_cmsis_context(&room, arm_depthwise_conv_wrapper_s8_get_buffer_size(&c, &in.dims, &filter, &out.dims));
  if (dse_cmsis_lacks(&ctx)) return 0;
  return dse_cmsis_done(
      arm_depthwise_conv_wrapper_s8(&ctx, &c, &q, &in.dims, in.at, &filter, weights, &bias, p.bias, &out.dims, out.at));
}

void dse_cmsis_depthwise(const dse_call* call) {
  if (!dse_cmsis_takes(call) || !depthwise(call)) dse_depthwise(call);
}
