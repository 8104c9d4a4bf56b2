#include "dse_exec.h"

#include <string.h>

#include "dse_transfer.h"

/* Lowest and highest byte offset of what a box touches. */
typedef struct hull {
  int64_t lo, hi;
} hull;

static void include(hull* h, int64_t v) {
  if (v < h->lo) h->lo = v;
  if (v > h->hi) h->hi = v;
}

/* The address is linear in the brick and in the place within a brick, so its extremes are in the outermost bricks, or,
 * as those may be cut, in their neighbours. */
static hull bricks(int32_t lo, int32_t hi, const dse_view* v) {
  const int32_t n = v->block_c, first = lo / n, last = hi / n;
  hull h;
  int i;
  h.lo = INT64_MAX;
  h.hi = INT64_MIN;
  for (i = 0; i < 4; ++i) {
    int32_t b = i < 2 ? first : last;
    if (i == 1 && first < last) ++b;
    if (i == 2 && first < last) --b;
    include(&h, (int64_t)b * v->stride_block + (int64_t)(b == first ? lo % n : 0) * v->stride_c);
    include(&h, (int64_t)b * v->stride_block + (int64_t)(b == last ? hi % n : n - 1) * v->stride_c);
  }
  return h;
}

/* Adds what coordinates [s.lo, s.hi) of one dimension add; `bricked`: channels in bricks of that view, or null. `first`
 * is within DSE_FAR. @returns 0 if a bound is not, or a ring or brick would see a negative coordinate. */
static int add(hull* sum, dse_span s, int32_t first, int32_t ring, int32_t stride, const dse_view* bricked) {
  int32_t lo, hi;
  hull h;
  if (s.lo < -DSE_FAR || s.hi > DSE_FAR) return 0;
  lo = s.lo - first;
  hi = s.hi - 1 - first;
  if ((ring || bricked) && lo < 0) return 0;
  if (ring) {
    const int whole = hi - lo + 1 >= ring || lo % ring > hi % ring;
    lo = whole ? 0 : lo % ring;
    hi = whole ? ring - 1 : hi % ring;
  }
  if (bricked) {
    h = bricks(lo, hi, bricked);
  } else {
    h.lo = h.hi = (int64_t)lo * stride;
    include(&h, (int64_t)hi * stride);
  }
  sum->lo += h.lo;
  sum->hi += h.hi;
  return 1;
}

static int fits(const dse_runtime* rt, const dse_task* t, int role, dse_box box, int32_t elem, int write) {
  const dse_view* v = &t->view[role];
  const uint32_t arena = t->arena[role];
  hull at;
  if (box.h.lo >= box.h.hi || box.w.lo >= box.w.hi || box.c.lo >= box.c.hi) return DSE_OK;
  if (!v->base) return DSE_ERR_OPERAND;
  at.lo = at.hi = v->base - rt->arena[arena];
  if (!add(&at, box.h, v->first_h, v->ring_h, v->stride_h, 0) || !add(&at, box.w, 0, 0, v->stride_w, 0) ||
      !add(&at, box.c, v->first_c, v->ring_c, v->stride_c, v->block_c ? v : 0))
    return DSE_ERR_ARENA;
  if (at.lo < 0 || at.hi + elem > (int64_t)rt->arena_size[arena]) return DSE_ERR_ARENA;
  if (write && (int32_t)arena == rt->constants_arena && at.lo < (int64_t)rt->constants_size) return DSE_ERR_ARENA;
  return DSE_OK;
}

/* A tile of outputs that there are: kernels find channels, coordinates, states and filters by them. Copies go by their
 * views. */
static int is_of_outputs(const dse_op* op, const dse_tile* tile) {
  if (op->kind == DSE_COPY) return 1;
  return tile->y.lo >= 0 && tile->y.hi <= op->out_h && tile->x.lo >= 0 && tile->x.hi <= op->out_w && tile->c.lo >= 0 &&
         tile->c.hi <= op->out_c;
}

/* Elements go from IN0 to OUT as they are, as wide as the views say. */
static int moves_elements(int32_t kind) {
  return kind == DSE_COPY || kind == DSE_GATHER || kind == DSE_PAD || kind == DSE_MIRROR_PAD ||
         kind == DSE_RESIZE_NEAREST_NEIGHBOR;
}

static int check_call(const dse_runtime* rt, const dse_task* t) {
  const dse_tile* tile = &t->tile;
  const int32_t far = 1 << 20; /* kernels multiply coordinates by strides in 32 bits */
  int role, status = DSE_OK;
  if (tile->y.hi > far || tile->x.hi > far || tile->c.hi > far || tile->k.hi > far) return DSE_ERR_MALFORMED;
  if (!is_of_outputs(&t->op, tile)) return DSE_ERR_MALFORMED;
  for (role = 0; role < DSE_ROLES && status == DSE_OK; ++role) {
    dse_box box = dse_operand_box(&t->op, tile, (enum dse_role)role);
    int32_t elem = dse_role_bytes(&t->op, (enum dse_role)role);
    /* Both must be as wide as the wider one. */
    if (moves_elements(t->op.kind) && t->view[DSE_IN0].base && t->view[DSE_IN0].elem != t->view[DSE_OUT].elem)
      return DSE_ERR_MALFORMED;
    if (t->view[role].elem > elem) elem = t->view[role].elem;
    if (role == DSE_SCRATCH) { /* counted in bytes from its base */
      const int32_t bytes = dse_scratch_bytes(&t->op, tile);
      const int64_t at = t->view[role].base ? t->view[role].base - rt->arena[t->arena[role]] : 0;
      if (bytes > 0 && !t->view[role].base) return DSE_ERR_OPERAND;
      if (bytes > 0 && at + bytes > (int64_t)rt->arena_size[t->arena[role]]) return DSE_ERR_ARENA;
      continue;
    }
    status =
        fits(rt, t, role, box, elem,
             role == DSE_OUT || role == DSE_ACC || role == DSE_STATE0 || role == DSE_STATE1 || role == DSE_FACTORS);
  }
  return status;
}

static dse_box copy_box(const dse_task* t) {
  dse_box b;
  b.h = t->tile.y;
  b.w = t->tile.x;
  b.c = t->tile.c;
  b.touched = 1;
  return b;
}

int dse_check(const dse_runtime* rt, const dse_task* t) {
  int status = DSE_OK;
  int32_t elem;
  switch (t->kind) {
    case DSE_TASK_WAIT:
      return DSE_OK;
    case DSE_TASK_CALL:
      return check_call(rt, t);
    case DSE_TASK_COPY:
      elem = t->view[DSE_OUT].elem > 1 ? t->view[DSE_OUT].elem : 1;
      if (!t->fill) status = fits(rt, t, DSE_IN0, copy_box(t), elem, 0);
      return status != DSE_OK ? status : fits(rt, t, DSE_OUT, copy_box(t), elem, 1);
    default:
      return DSE_ERR_UNSUPPORTED;
  }
}

int dse_execute(const dse_runtime* rt, const dse_task* t) {
  const int status = dse_check(rt, t);
  dse_call call;
  if (status != DSE_OK) return status;
  if (t->kind == DSE_TASK_COPY)
    dse_transfer(&t->view[DSE_OUT], t->fill ? 0 : &t->view[DSE_IN0], t->tile.y, t->tile.x, t->tile.c, t->value);
  if (t->kind != DSE_TASK_CALL) return DSE_OK;
  call.op = &t->op;
  call.tile = t->tile;
  memcpy(call.view, t->view, sizeof call.view);
  return dse_run_call(&call) == 0 ? DSE_OK : DSE_ERR_OPERAND;
}
