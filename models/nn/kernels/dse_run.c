/* Dispatch. */
#include <string.h>

#include "dse_batches.h"
#include "dse_factors.h"
#include "dse_internal.h"
#include "dse_technique.h"

/* What stands for an operator that nobody can compute. */
static void black_box(const dse_call* call) {
  const dse_tile* t = &call->tile;
  if (call->op->arg[2]) return;
  memset(dse_at(&call->view[DSE_OUT], 0, 0, t->c.lo), call->op->arg[0], (size_t)(t->c.hi - t->c.lo));
}

int dse_run(const dse_call* call) {
  int role;
  if (call->tile.flags & ~(uint32_t)(DSE_FIRST | DSE_LAST)) return -1;
  for (role = 0; role < DSE_ROLES; ++role)
    if (!call->view[role].base && dse_operand_box(call->op, &call->tile, (enum dse_role)role).touched) return -1;
  if (call->tile.y.lo >= call->tile.y.hi || call->tile.x.lo >= call->tile.x.hi || call->tile.c.lo >= call->tile.c.hi)
    return 0;
  if (!call->view[DSE_SCRATCH].base && dse_scratch_bytes(call->op, &call->tile) > 0) return -1;
  if (!dse_technique_fits(call->op, dse_technique_of(call->op))) return -1;
  if (dse_batch_outputs(call->op, &call->tile) > 0) {
    dse_in_batches(call);
    return 0;
  }
  if (call->op->kind != DSE_NORMALIZE && dse_in_factors(call->op) > 0) {
    dse_compensated(call);
    return 0;
  }
  if (dse_technique_of(call->op) != DSE_DIRECT) {
    dse_by_technique(call);
    return 0;
  }
  switch (call->op->kind) {
    case DSE_CONV_2D:
    case DSE_FULLY_CONNECTED:
    case DSE_TRANSPOSE_CONV:
    case DSE_MATMUL:
      dse_conv(call);
      return 0;
    case DSE_DEPTHWISE_CONV_2D:
      dse_depthwise(call);
      return 0;
    case DSE_ADD:
    case DSE_SUB:
    case DSE_MUL:
    case DSE_DIV:
    case DSE_MAXIMUM:
    case DSE_MINIMUM:
    case DSE_SQUARED_DIFFERENCE:
    case DSE_PRELU:
      dse_binary(call);
      return 0;
    case DSE_REQUANTIZE:
    case DSE_LOOKUP:
    case DSE_LOGISTIC:
    case DSE_TANH:
    case DSE_HARD_SWISH:
    case DSE_LEAKY_RELU:
    case DSE_ABS:
      dse_unary(call);
      return 0;
    case DSE_AVERAGE_POOL_2D:
      dse_average_pool(call);
      return 0;
    case DSE_MAX_POOL_2D:
      dse_max_pool(call);
      return 0;
    case DSE_SOFTMAX:
      dse_softmax(call);
      return 0;
    case DSE_LOG_SOFTMAX:
      dse_log_softmax(call);
      return 0;
    case DSE_L2_NORMALIZATION:
      dse_l2_normalization(call);
      return 0;
    case DSE_COPY:
      dse_copy(call);
      return 0;
    case DSE_GATHER:
      dse_gather(call);
      return 0;
    case DSE_PAD:
    case DSE_MIRROR_PAD:
      dse_pad(call);
      return 0;
    case DSE_MEAN:
    case DSE_REDUCE_MAX:
    case DSE_REDUCE_MIN:
      dse_reduce(call);
      return 0;
    case DSE_ARG_MAX:
    case DSE_ARG_MIN:
      dse_arg_extreme(call);
      return 0;
    case DSE_RESIZE_BILINEAR:
    case DSE_RESIZE_NEAREST_NEIGHBOR:
      dse_resize(call);
      return 0;
    case DSE_SVDF:
      dse_svdf(call);
      return 0;
    case DSE_LSTM:
      dse_lstm(call);
      return 0;
    case DSE_NORMALIZE:
      dse_normalize(call);
      return 0;
    case DSE_BLACK_BOX:
      black_box(call);
      return 0;
    default:
      return -1;
  }
}
