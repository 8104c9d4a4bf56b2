/* TRANSPOSE_CONV without scattering: over the input with zeros between its pixels, or remainder by remainder. */
#include "dse_internal.h"
#include "dse_sums.h"
#include "dse_technique.h"

/* The input under the windows of the tile, in rows and columns of an image that has stride - 1 zeros between pixels:
 * those from `top` and `left` on. */
static void insert_zeros(const dse_call* call, const dse_view* to, int32_t top, int32_t left) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const int32_t rows = call->tile.y.hi - call->tile.y.lo + op->kernel_h - 1;
  const int32_t columns = call->tile.x.hi - call->tile.x.lo + op->kernel_w - 1;
  int32_t i, j, k;
  for (i = 0; i < rows; ++i) {
    const int32_t u = top + i, iy = u < 0 || u % op->stride_h ? -1 : u / op->stride_h;
    for (j = 0; j < columns; ++j) {
      const int32_t v = left + j, ix = v < 0 || v % op->stride_w ? -1 : v / op->stride_w;
      const int there = iy >= 0 && iy < op->in_h && ix >= 0 && ix < op->in_w;
      for (k = call->tile.k.lo; k < call->tile.k.hi; ++k) {
        uint8_t* p = dse_at(to, i, j, k);
        if (there)
          dse_move_element(p, dse_at(in, iy, ix, k), to->elem);
        else
          dse_put_element(p, op->in_type, op->in_zero);
      }
    }
  }
}

/* A run of outputs of row y, columns x, x + step, ...; taps that are not under `step` and the rows' stride meet zeros.
 */
typedef struct run {
  int32_t y, x, n, step;
} run;

static void sum_run(const dse_call* call, const dse_view* zeros, int32_t top, int32_t left, const run* r) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  int32_t c, ky, kx, i;
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const dse_record q = dse_record_of(call, c);
    int64_t sum[DSE_SUM_PIXELS] = {0};
    for (ky = 0; ky < op->kernel_h; ++ky) {
      const int32_t u = r->y + op->pad_top - ky, iy = dse_source(op, r->y, ky, op->stride_h, 1, op->pad_top, op->in_h);
      if (!zeros && iy < 0) continue;
      for (kx = 0; kx < op->kernel_w; ++kx) {
        const uint8_t* at[DSE_SUM_PIXELS];
        if (!zeros && (r->x + op->pad_left - kx) % op->stride_w) continue;
        for (i = 0; i < r->n; ++i) {
          const int32_t x = r->x + i * r->step, ix = dse_source(op, x, kx, op->stride_w, 1, op->pad_left, op->in_w);
          if (zeros)
            at[i] = dse_row(zeros, u - top) + (int64_t)(x + op->pad_left - kx - left) * zeros->stride_w;
          else
            at[i] = ix < 0 ? 0 : dse_row(in, iy) + (int64_t)ix * in->stride_w;
        }
        dse_sum_tap(call, zeros ? zeros : in, at, r->n, c, ky * op->kernel_w + kx, sum);
      }
    }
    for (i = 0; i < r->n; ++i) dse_put_sum(call, r->y, r->x + i * r->step, c, sum[i], &q);
  }
}

void dse_transposed(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const int inserted = dse_technique_of(op) == DSE_ZERO_INSERTION;
  const int32_t top = t->y.lo + op->pad_top - (op->kernel_h - 1), left = t->x.lo + op->pad_left - (op->kernel_w - 1);
  dse_view zeros = {0};
  run r;
  int32_t first;
  if (inserted) {
    zeros.base = call->view[DSE_SCRATCH].base;
    zeros.elem = zeros.stride_c = dse_type_bytes(op->in_type);
    zeros.stride_w = (t->k.hi - t->k.lo) * zeros.elem;
    zeros.stride_h = (t->x.hi - t->x.lo + op->kernel_w - 1) * zeros.stride_w;
    zeros.first_c = t->k.lo;
    insert_zeros(call, &zeros, top, left);
  }
  r.step = inserted ? 1 : op->stride_w;
  for (r.y = t->y.lo; r.y < t->y.hi; ++r.y)
    for (first = t->x.lo; first < dse_min(t->x.lo + r.step, t->x.hi); ++first)
      for (r.x = first; r.x < t->x.hi; r.x += DSE_SUM_PIXELS * r.step) {
        r.n = dse_min(DSE_SUM_PIXELS, (t->x.hi - r.x + r.step - 1) / r.step);
        sum_run(call, inserted ? &zeros : 0, top, left, &r);
      }
}
