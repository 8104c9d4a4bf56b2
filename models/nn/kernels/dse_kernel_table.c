/* Which function computes which kind of operator. A package has a table of its own, of those that it needs. */
#include <string.h>

#include "dse_batches.h"
#include "dse_factors.h"
#include "dse_internal.h"
#include "dse_kernel_list.h"
#include "dse_technique.h"

/* What stands for an operator that nobody can compute. */
static void black_box(const dse_call* call) {
  const dse_tile* t = &call->tile;
  if (call->op->arg[2]) return;
  memset(dse_at(&call->view[DSE_OUT], 0, 0, t->c.lo), call->op->arg[0], (size_t)(t->c.hi - t->c.lo));
}

#define ROW(number, function) [number] = function,
const dse_kernel_set dse_kernels = {{DSE_KERNELS_BY_KIND(ROW)[DSE_BLACK_BOX] = black_box},
                                    dse_in_batches,
                                    dse_compensated,
                                    {DSE_KERNELS_BY_TECHNIQUE(ROW)}};
