/* MEAN (and SUM), REDUCE_MAX, REDUCE_MIN over any axes. Flat. (Those over rows, columns or both of an image are pools,
 * see pool.c.) The importing side merges neighbouring axes that are both
 * reduced or both kept, so that at most four of either remain.
 *
 * arg[0]        kept dimensions, 0 to 4
 * arg[1 .. 4]   their extents; OUT is row-major in them
 * arg[5 .. 8]   their strides in the input, in elements
 * arg[9]        reduced dimensions, 0 to 4
 * arg[10 .. 13] their extents
 * arg[14 .. 17] their strides in the input
 * arg[18]       MEAN, SUM: elements per result
 * arg[19]       MEAN in onnx and qformat: 1 = divide by arg[18] (tflite and single have the division in m1 and s1) */
#include "dse_elements.h"
#include "dse_internal.h"
#include "dse_mean.h"

typedef struct reduction {
  int64_t sum; /* raw values */
  int32_t min, max;
} reduction;

static reduction reduce(const dse_call* call, int32_t base) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const int32_t rank = op->arg[9];
  const int32_t* extent = &op->arg[10];
  const int32_t* stride = &op->arg[14];
  const int32_t n = rank > 0 ? extent[rank - 1] : 1, step = rank > 0 ? stride[rank - 1] : 0;
  const int plain = !in->ring_c && !in->block_c;
  int32_t at[4] = {0, 0, 0, 0};
  reduction r;
  r.sum = 0;
  r.min = DSE_INT32_MAX;
  r.max = DSE_INT32_MIN;
  for (;;) {
    int32_t from = base, d, i;
    const uint8_t* p;
    for (d = 0; d + 1 < rank; ++d) from += at[d] * stride[d];
    p = dse_flat_at(in, from);
    for (i = 0; i < n; ++i) {
      const uint8_t* q = plain ? p + (int64_t)i * step * in->stride_c : dse_flat_at(in, from + i * step);
      const int32_t v = dse_element(q, op->in_type);
      r.sum += v;
      r.min = dse_min(r.min, v);
      r.max = dse_max(r.max, v);
    }
    for (d = rank - 2; d >= 0; --d) {
      if (++at[d] < extent[d]) break;
      at[d] = 0;
    }
    if (d < 0) return r;
  }
}

void dse_reduce(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_view* out = &call->view[DSE_OUT];
  int32_t c, d, at[4];
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    int32_t base = 0, v;
    reduction r;
    dse_coordinates(c, &op->arg[1], op->arg[0], at);
    for (d = 0; d < op->arg[0]; ++d) base += at[d] * op->arg[5 + d];
    r = reduce(call, base);
    v = op->kind == DSE_MEAN         ? dse_mean(op, r.sum, op->arg[18], op->arg[19])
        : op->kind == DSE_REDUCE_MAX ? r.max
                                     : r.min;
    dse_put_element(dse_flat_at(out, c), op->out_type, v);
  }
}
