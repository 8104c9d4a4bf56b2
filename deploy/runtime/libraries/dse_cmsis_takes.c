/* Which calls CMSIS-NN takes, and what it needs for them. Compiled without the library: the exporter asks as well. */
#include "dse_addressing.h"
#include "dse_batches.h"
#include "dse_cmsis_nn.h"
#include "dse_factors.h"
#include "dse_internal.h"
#include "dse_technique.h"

static int64_t extent(dse_span s) { return (int64_t)s.hi - s.lo; }

/* The box of bytes lies without a gap: channels innermost, then columns, then rows, which do not wrap. */
static int dense(const dse_view* v, dse_box b) {
  const int64_t h = extent(b.h), w = extent(b.w), c = extent(b.c);
  return b.touched && v->block_c == 0 && dse_channel_run(v, b.c.lo, b.c.hi) == c &&
         (v->ring_h == 0 || (b.h.lo - v->first_h) % v->ring_h + h <= v->ring_h) && (c == 1 || v->stride_c == 1) &&
         (w == 1 || v->stride_w == c) && (h == 1 || v->stride_h == w * c);
}

static int operand_is_dense(const dse_call* call, enum dse_role role) {
  return dense(&call->view[role], dse_operand_box(call->op, &call->tile, role));
}

/* Columns of the image that the input is a part of: what the library is told. */
int32_t dse_cmsis_columns(const dse_call* call) {
  const dse_box b = dse_operand_box(call->op, &call->tile, DSE_IN0);
  const int32_t rows = b.h.hi - b.h.lo, channels = b.c.hi - b.c.lo;
  if (rows <= 1 || channels <= 0) return b.w.hi - b.w.lo;
  return call->view[DSE_IN0].stride_h / channels;
}

/* The input under windows: its rows may have columns that no window reaches, as long as none wants padding there. Not
 * of windows of one row and several columns: the library works out from the columns where they end. */
static int input_is_dense(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_view* v = &call->view[DSE_IN0];
  dse_box b = dse_operand_box(op, &call->tile, DSE_IN0);
  const int64_t after =
      ((int64_t)call->tile.x.hi - 1) * op->stride_w - op->pad_left + (int64_t)(op->kernel_w - 1) * op->dilation_w + 1;
  const int32_t columns = dse_cmsis_columns(call);
  if (after <= b.w.hi && columns > b.w.hi - b.w.lo && (op->kernel_h > 1 || op->kernel_w == 1)) {
    if (!b.touched || (b.w.hi - b.w.lo > 1 && v->stride_w != b.c.hi - b.c.lo)) return 0;
    b.w.hi = b.w.lo + columns;
  }
  return dense(v, b);
}

static int is_int8(const dse_op* op) { return op->in_type == DSE_I8 && op->out_type == DSE_I8; }

/* Sums of products: weights and parameters per output channel. */
static int products(const dse_call* call) {
  const dse_op* op = call->op;
  return op->weight_type == DSE_I8 && op->weights_zero == 0 && op->acc_bytes != 8 && op->groups <= 1 &&
         call->tile.flags == (DSE_FIRST | DSE_LAST) && input_is_dense(call) && operand_is_dense(call, DSE_OUT);
}

static int conv(const dse_call* call) {
  return products(call) && call->tile.k.lo == 0 && call->tile.k.hi == call->op->in_c &&
         operand_is_dense(call, DSE_WEIGHTS);
}

/* Weights lie tap after tap, in each all channels of the call. */
static int depthwise(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_view* w = &call->view[DSE_WEIGHTS];
  const int64_t channels = extent(call->tile.c);
  return products(call) && call->tile.c.lo % op->multiplier == 0 && channels % op->multiplier == 0 && w->ring_h == 0 &&
         (channels == 1 || w->stride_h == 1) && (op->kernel_h * op->kernel_w == 1 || w->stride_w == channels);
}

/* Neither operand is broadcast: both lie as the output does. */
static int binary(const dse_call* call) {
  return call->op->in2_type == DSE_I8 && operand_is_dense(call, DSE_IN0) && operand_is_dense(call, DSE_IN1) &&
         operand_is_dense(call, DSE_OUT);
}

static int pool(const dse_call* call) {
  const dse_op* op = call->op;
  return op->arg[0] == 0 && op->arg[1] == 0 && input_is_dense(call) && operand_is_dense(call, DSE_OUT);
}

/* The library's output has 8 fraction bits from -128 on. */
static int softmax(const dse_call* call) {
  const dse_op* op = call->op;
  return op->arg[0] == 8 && op->out_zero == -128 && op->act_min == -128 && op->act_max == 127 && op->s1 >= 0 &&
         op->s1 < 31 && call->tile.c.lo == 0 && call->tile.c.hi == op->in_c && operand_is_dense(call, DSE_IN0) &&
         operand_is_dense(call, DSE_OUT);
}

int dse_cmsis_takes(const dse_call* call) {
  const dse_op* op = call->op;
  if (op->rounding != DSE_ROUND_TFLITE || !is_int8(op) || dse_batch_outputs(op, &call->tile) > 0 ||
      dse_in_factors(op) > 0 || dse_out_factors(op) > 0 || dse_technique_of(op) != DSE_DIRECT)
    return 0;
  switch (op->kind) {
    case DSE_CONV_2D:
    case DSE_FULLY_CONNECTED:
      return conv(call);
    case DSE_DEPTHWISE_CONV_2D:
      return depthwise(call);
    case DSE_ADD:
    case DSE_MUL:
      return binary(call);
    case DSE_AVERAGE_POOL_2D:
    case DSE_MAX_POOL_2D:
      return pool(call);
    case DSE_SOFTMAX:
      return softmax(call);
    default:
      return 0;
  }
}

/* Buffers as its functions arm_..._get_buffer_size() give them, the most of its three builds (plain C, DSP, vectors).
 */
uint32_t dse_cmsis_bytes(const dse_call* call) {
  const dse_op* op = call->op;
  const int64_t channels = extent(call->tile.c), taps = (int64_t)op->kernel_h * op->kernel_w;
  const int64_t parameters = 3 * 4 * channels;
  int64_t bytes = 0;
  switch (op->kind) {
    case DSE_CONV_2D: /* four patches, or two of 16 bits, in multiples of 16 elements */
      bytes = parameters + 4 * ((taps * op->in_c + 15) / 16 * 16);
      break;
    case DSE_FULLY_CONNECTED: /* a sum per output; or as a convolution */
      bytes = parameters + dse_max((int32_t)(4 * channels), 4 * ((op->in_c + 15) / 16 * 16));
      break;
    case DSE_DEPTHWISE_CONV_2D: /* patches of all channels in 16 bits, or four of 124 channels */
      bytes = parameters + (2 * taps * channels > 4 * 124 * taps ? 2 * taps * channels : 4 * 124 * taps);
      break;
    case DSE_AVERAGE_POOL_2D: /* a sum per channel */
      bytes = 4 * channels;
      break;
    default:
      break;
  }
  return (uint32_t)(bytes + 64); /* to align the parts */
}
