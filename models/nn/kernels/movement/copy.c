/* COPY: OUT = IN0. Both views are in the coordinates of the output. */
#include <stddef.h>

#include "dse_addressing.h"
#include "dse_internal.h"

void dse_copy(const dse_call* call) {
  const dse_tile* t = &call->tile;
  const dse_view* vi = &call->view[DSE_IN0];
  const dse_view* vo = &call->view[DSE_OUT];
  const size_t elem = vo->elem > 0 ? (size_t)vo->elem : 1u;
  const int dense = vi->stride_c == (int32_t)elem && vo->stride_c == (int32_t)elem;
  int32_t y, x, c, i, n;
  for (y = t->y.lo; y < t->y.hi; ++y) {
    for (c = t->c.lo; c < t->c.hi; c += n) {
      const uint8_t* ri = dse_row(vi, y) + dse_channel_offset(vi, c);
      uint8_t* ro = dse_row(vo, y) + dse_channel_offset(vo, c);
      n = dse_min(dse_channel_run(vi, c, t->c.hi), dse_channel_run(vo, c, t->c.hi));
      if (dense && vi->stride_w == n * (int32_t)elem && vo->stride_w == n * (int32_t)elem) {
        /* pixels without gaps */
        const int64_t first = (int64_t)t->x.lo * vi->stride_w;
        dse_move(ro + first, ri + first, (size_t)(t->x.hi - t->x.lo) * (size_t)n * elem);
        continue;
      }
      for (x = t->x.lo; x < t->x.hi; ++x) {
        const uint8_t* pi = ri + (int64_t)x * vi->stride_w;
        uint8_t* po = ro + (int64_t)x * vo->stride_w;
        if (dense) {
          dse_move(po, pi, (size_t)n * elem);
        } else {
          for (i = 0; i < n; ++i) dse_move(po + (int64_t)i * vo->stride_c, pi + (int64_t)i * vi->stride_c, elem);
        }
      }
    }
  }
}
