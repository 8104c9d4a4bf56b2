/* GATHER: OUT[i] = IN0[offset + sum over d of coordinate d of i * stride d]: TRANSPOSE, SLICE, STRIDED_SLICE. Flat.
 *
 * arg[0]       rank, 1 to DSE_FLAT_RANK
 * arg[1 .. 6]  extents of the output
 * arg[7 .. 12] strides of the input per output dimension, in elements; may be negative
 * arg[13]      index of the input element that becomes OUT[0] */
#include <stddef.h>

#include "dse_elements.h"
#include "dse_internal.h"

void dse_gather(const dse_call* call) {
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const int32_t rank = call->op->arg[0], last = rank - 1;
  const int32_t* extent = &call->op->arg[1];
  const int32_t* stride = &call->op->arg[7];
  const int32_t step = stride[last];
  int32_t at[DSE_FLAT_RANK], c, n, i, d;
  dse_coordinates(call->tile.c.lo, extent, rank, at);
  for (c = call->tile.c.lo; c < call->tile.c.hi; c += n, dse_next_row(extent, rank, at)) {
    int32_t from = call->op->arg[13];
    for (d = 0; d < rank; ++d) from += at[d] * stride[d];
    n = dse_min(extent[last] - at[last], call->tile.c.hi - c);
    if (step == 1 && dse_flat_dense(in, from, n) && dse_flat_dense(out, c, n)) {
      dse_move(dse_flat_at(out, c), dse_flat_at(in, from), (size_t)n * (size_t)out->elem);
    } else {
      for (i = 0; i < n; ++i) dse_move_element(dse_flat_at(out, c + i), dse_flat_at(in, from + i * step), out->elem);
    }
  }
}
