/* Dispatch. */
#include "dse_internal.h"

int dse_run(const dse_call* call) {
  int role;
  for (role = 0; role < DSE_ROLES; ++role)
    if (!call->view[role].base && dse_operand_box(call->op, &call->tile, (enum dse_role)role).touched) return -1;
  if (call->tile.y.lo >= call->tile.y.hi || call->tile.x.lo >= call->tile.x.hi || call->tile.c.lo >= call->tile.c.hi)
    return 0;
  switch (call->op->kind) {
    case DSE_CONV_2D:
    case DSE_FULLY_CONNECTED:
      dse_conv(call);
      return 0;
    case DSE_DEPTHWISE_CONV_2D:
      dse_depthwise(call);
      return 0;
    case DSE_ADD:
      dse_add(call);
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
    case DSE_COPY:
      dse_copy(call);
      return 0;
    default:
      return -1;
  }
}
