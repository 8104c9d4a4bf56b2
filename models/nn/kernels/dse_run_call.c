/* What every call is checked for; its kernel comes from the table. */
#include "dse_batches.h"
#include "dse_factors.h"
#include "dse_internal.h"
#include "dse_technique.h"

int dse_run_call(const dse_call* call) {
  dse_kernel kernel = 0;
  int role;
  if (call->tile.flags & ~(uint32_t)(DSE_FIRST | DSE_LAST)) return -1;
  for (role = 0; role < DSE_ROLES; ++role)
    if (!call->view[role].base && dse_operand_box(call->op, &call->tile, (enum dse_role)role).touched) return -1;
  if (call->tile.y.lo >= call->tile.y.hi || call->tile.x.lo >= call->tile.x.hi || call->tile.c.lo >= call->tile.c.hi)
    return 0;
  if (!call->view[DSE_SCRATCH].base && dse_scratch_bytes(call->op, &call->tile) > 0) return -1;
  if (!dse_technique_fits(call->op, dse_technique_of(call->op))) return -1;
  if (dse_batch_outputs(call->op, &call->tile) > 0)
    kernel = dse_kernels.batches;
  else if (call->op->kind != DSE_NORMALIZE && dse_in_factors(call->op) > 0)
    kernel = dse_kernels.factors;
  else if (dse_technique_of(call->op) != DSE_DIRECT)
    kernel = dse_kernels.technique[dse_technique_of(call->op)]; /* it fits, so it is one of them */
  else if (call->op->kind > 0 && call->op->kind < DSE_OP_KINDS)
    kernel = dse_kernels.of[call->op->kind];
  if (!kernel) return -1;
  kernel(call);
  return 0;
}
