/* CONV_2D and FULLY_CONNECTED by CMSIS-NN. */
#include "dse_cmsis_call.h"

/* One multiplier and shift for all outputs, as networks of TensorFlow Lite have them. */
static int fully_connected(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_cmsis_part in = dse_cmsis_operand(call, DSE_IN0), out = dse_cmsis_operand(call, DSE_OUT),
                       weights = dse_cmsis_operand(call, DSE_WEIGHTS);
  const cmsis_nn_dims input = dse_cmsis_dims(out.dims.h, 1, 1, in.dims.c);
  const cmsis_nn_dims filter = dse_cmsis_dims(in.dims.c, 1, 1, out.dims.c);
  const cmsis_nn_dims bias = dse_cmsis_dims(1, 1, 1, out.dims.c), output = dse_cmsis_dims(out.dims.h, 1, 1, out.dims.c);
  dse_cmsis_room room = dse_cmsis_all();
  dse_cmsis_parameters p;
  cmsis_nn_context ctx;
  cmsis_nn_fc_params fc;
  cmsis_nn_per_tensor_quant_params q;
  if (!dse_cmsis_load(&p, &room, call) || !p.same) return 0;
  ctx = dse_cmsis_context(&room, arm_fully_connected_s8_get_buffer_size(&filter));
  if (dse_cmsis_lacks(&ctx)) return 0;
  fc.input_offset = -op->in_zero;
  fc.filter_offset = 0;
  fc.output_offset = op->out_zero;
  fc.activation = dse_cmsis_activation(op);
  q.multiplier = p.multiplier[0];
  q.shift = p.shift[0];
  if (ctx.size > 0 && /* with vectors, sums of the filters are wanted there */
      arm_vector_sum_s8((int32_t*)ctx.buf, in.dims.c, out.dims.c, weights.at, fc.input_offset, 0, p.bias) !=
          ARM_CMSIS_NN_SUCCESS)
    return 0;
  return dse_cmsis_done(
      arm_fully_connected_s8(&ctx, &fc, &q, &input, in.at, &filter, weights.at, &bias, p.bias, &output, out.at));
}

static int convolution(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_cmsis_part in = dse_cmsis_input(call), out = dse_cmsis_operand(call, DSE_OUT),
                       weights = dse_cmsis_operand(call, DSE_WEIGHTS);
  const cmsis_nn_dims filter = dse_cmsis_dims(out.dims.c, op->kernel_h, op->kernel_w, in.dims.c);
  const cmsis_nn_dims bias = dse_cmsis_dims(1, 1, 1, out.dims.c);
  dse_cmsis_room room = dse_cmsis_all();
  dse_cmsis_parameters p;
  cmsis_nn_context ctx;
  cmsis_nn_conv_params c;
  cmsis_nn_per_channel_quant_params q;
  if (!dse_cmsis_load(&p, &room, call)) return 0;
  c.input_offset = -op->in_zero;
  c.output_offset = op->out_zero;
  c.stride = dse_cmsis_tile(op->stride_h, op->stride_w);
  c.padding = dse_cmsis_padding(call, &in);
  c.dilation = dse_cmsis_tile(op->dilation_h, op->dilation_w);
  c.activation = dse_cmsis_activation(op);
  q.multiplier = p.multiplier;
  q.shift = p.shift;
  ctx = dse_cmsis_context(&room, arm_convolve_wrapper_s8_get_buffer_size(&c, &in.dims, &filter, &out.dims));
  if (dse_cmsis_lacks(&ctx)) return 0;
  return dse_cmsis_done(
      arm_convolve_wrapper_s8(&ctx, &c, &q, &in.dims, in.at, &filter, weights.at, &bias, p.bias, &out.dims, out.at));
}

void dse_cmsis_conv(const dse_call* call) {
  const int taken = dse_cmsis_takes(call);
  if (taken && call->op->kind == DSE_FULLY_CONNECTED && fully_connected(call)) return;
  if (taken && convolution(call)) return;
  dse_conv(call);
}
