/* PAD and MIRROR_PAD: the input with a border, which is a constant or the input mirrored. Flat.
 *
 * arg[0]        rank, 1 to DSE_FLAT_RANK
 * arg[1 .. 6]   extents of the output
 * arg[7 .. 12]  extents of the input
 * arg[13 .. 18] elements before the input
 * arg[19, 20]   PAD: the constant, low and high word
 * arg[19]       MIRROR_PAD: 1 = the edge is mirrored with the rest (SYMMETRIC), 0 = it is not (REFLECT) */
#include <stddef.h>

#include "dse_elements.h"
#include "dse_internal.h"

/* The input coordinate behind output coordinate `at`, -1 where the constant is. */
static int32_t source(const dse_op* op, int32_t d, int32_t at) {
  const int32_t extent = op->arg[7 + d], i = at - op->arg[13 + d];
  if (i >= 0 && i < extent) return i;
  if (op->kind == DSE_PAD) return -1;
  if (i < 0) return -i - op->arg[19];
  return 2 * extent - 2 - i + op->arg[19];
}

/* The constant for n elements. */
static void fill(const dse_view* out, int32_t c, int32_t n, const uint8_t* value) {
  int32_t i;
  if (out->elem == 1 && dse_flat_dense(out, c, n)) {
    memset(dse_flat_at(out, c), *value, (size_t)n);
    return;
  }
  for (i = 0; i < n; ++i) dse_move_element(dse_flat_at(out, c + i), value, out->elem);
}

/* n elements of the output that lie in one row of the last dimension, from coordinate `at` on. `base`: index of that
 * row's first input element. */
static void pad_row(const dse_call* call, int32_t c, int32_t n, int32_t at, int32_t base, const uint8_t* value) {
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const int32_t last = call->op->arg[0] - 1, extent = call->op->arg[7 + last], before = call->op->arg[13 + last];
  int32_t i = 0, run;
  while (i < n) {
    const int32_t from = source(call->op, last, at + i);
    if (from < 0) {
      run = at + i < before ? dse_min(n - i, before - at - i) : n - i;
      fill(out, c + i, run, value);
    } else if (at + i >= before && at + i < before + extent) {
      run = dse_min(n - i, extent - from);
      if (dse_flat_dense(in, base + from, run) && dse_flat_dense(out, c + i, run)) {
        dse_move(dse_flat_at(out, c + i), dse_flat_at(in, base + from), (size_t)run * (size_t)out->elem);
      } else {
        int32_t k;
        for (k = 0; k < run; ++k)
          dse_move_element(dse_flat_at(out, c + i + k), dse_flat_at(in, base + from + k), out->elem);
      }
    } else {
      run = 1;
      dse_move_element(dse_flat_at(out, c + i), dse_flat_at(in, base + from), out->elem);
    }
    i += run;
  }
}

void dse_pad(const dse_call* call) {
  const dse_op* op = call->op;
  const int32_t rank = op->arg[0], last = rank - 1;
  const int32_t* extent = &op->arg[1];
  int32_t at[DSE_FLAT_RANK], c, n, d;
  uint8_t value[8];
  memcpy(value, &op->arg[19], 4);
  memcpy(value + 4, &op->arg[20], 4);
  dse_coordinates(call->tile.c.lo, extent, rank, at);
  for (c = call->tile.c.lo; c < call->tile.c.hi; c += n, dse_next_row(extent, rank, at)) {
    int32_t base = 0;
    n = dse_min(extent[last] - at[last], call->tile.c.hi - c);
    for (d = 0; d < last && base >= 0; ++d) {
      const int32_t from = source(op, d, at[d]);
      base = from < 0 ? -1 : base * op->arg[7 + d] + from;
    }
    if (base < 0)
      fill(&call->view[DSE_OUT], c, n, value);
    else
      pad_row(call, c, n, at[last], base * op->arg[7 + last], value);
  }
}
