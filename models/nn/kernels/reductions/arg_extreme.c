/* ARG_MAX and ARG_MIN along one axis: the index of the first extreme, as int32 or int64. Flat.
 *
 * arg[0]  extent of the axis
 * arg[1]  elements behind it: the distance of two elements along the axis */
#include "dse_elements.h"
#include "dse_internal.h"

void dse_arg_extreme(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const int32_t extent = op->arg[0], inner = op->arg[1];
  int32_t c, i;
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const int32_t base = c / inner * inner * extent + c % inner;
    int32_t best = dse_element(dse_flat_at(in, base), op->in_type);
    int64_t index = 0;
    for (i = 1; i < extent; ++i) {
      const int32_t v = dse_element(dse_flat_at(in, base + i * inner), op->in_type);
      if (op->kind == DSE_ARG_MAX ? v > best : v < best) {
        best = v;
        index = i;
      }
    }
    if (op->out_type == DSE_I64)
      memcpy(dse_flat_at(out, c), &index, sizeof index);
    else
      dse_store32(dse_flat_at(out, c), (int32_t)index);
  }
}
