#include "dse_exec.h"

#include <string.h>

#include "dse_addressing.h"

/* Lowest and highest byte offset that a dimension adds. */
typedef struct hull {
  int64_t lo, hi;
} hull;

static void include(hull* h, int64_t v) {
  if (v < h->lo) h->lo = v;
  if (v > h->hi) h->hi = v;
}

/* Slots that coordinates [lo, hi) fall on. @returns 0 if a ring or brick would see a negative coordinate. */
static int slots(dse_span s, int32_t first, int32_t ring, int32_t block, int64_t* lo, int64_t* hi) {
  *lo = (int64_t)s.lo - first;
  *hi = (int64_t)s.hi - 1 - first;
  if ((ring || block) && *lo < 0) return 0;
  if (!ring) return 1;
  if (*hi - *lo + 1 >= ring || *lo % ring > *hi % ring) {
    *lo = 0;
    *hi = ring - 1;
  } else {
    *lo %= ring;
    *hi %= ring;
  }
  return 1;
}

static hull linear(int64_t lo, int64_t hi, int64_t stride) {
  hull h;
  h.lo = h.hi = lo * stride;
  include(&h, hi * stride);
  return h;
}

/* The address is linear in the brick and in the place within a brick, so its extremes are in the outermost bricks, or,
 * as those may be cut, in their neighbours. */
static hull bricks(int64_t lo, int64_t hi, const dse_view* v) {
  const int64_t n = v->block_c, first = lo / n, last = hi / n;
  int64_t candidate[4];
  hull h;
  int i;
  candidate[0] = first;
  candidate[1] = first < last ? first + 1 : last;
  candidate[2] = first < last ? last - 1 : last;
  candidate[3] = last;
  h.lo = h.hi = first * v->stride_block + lo % n * v->stride_c;
  for (i = 0; i < 4; ++i) {
    const int64_t b = candidate[i];
    include(&h, b * v->stride_block + (b == first ? lo % n : 0) * (int64_t)v->stride_c);
    include(&h, b * v->stride_block + (b == last ? hi % n : n - 1) * (int64_t)v->stride_c);
  }
  return h;
}

static int fits(const dse_runtime* rt, const dse_task* t, int role, dse_box box, int32_t elem, int write) {
  const dse_view* v = &t->view[role];
  const uint32_t arena = t->arena[role];
  int64_t row_lo, row_hi, ch_lo, ch_hi, begin, end;
  hull y, x, c;
  if (box.h.lo >= box.h.hi || box.w.lo >= box.w.hi || box.c.lo >= box.c.hi) return DSE_OK;
  if (!v->base) return DSE_ERR_OPERAND;
  if (!slots(box.h, v->first_h, v->ring_h, 0, &row_lo, &row_hi) ||
      !slots(box.c, v->first_c, v->ring_c, v->block_c, &ch_lo, &ch_hi))
    return DSE_ERR_ARENA;
  y = linear(row_lo, row_hi, v->stride_h);
  x = linear(box.w.lo, box.w.hi - 1, v->stride_w);
  c = v->block_c ? bricks(ch_lo, ch_hi, v) : linear(ch_lo, ch_hi, v->stride_c);
  begin = (int64_t)(v->base - rt->arena[arena]) + y.lo + x.lo + c.lo;
  end = (int64_t)(v->base - rt->arena[arena]) + y.hi + x.hi + c.hi + elem;
  if (begin < 0 || end > (int64_t)rt->arena_size[arena]) return DSE_ERR_ARENA;
  if (write && (int32_t)arena == rt->constants_arena && begin < (int64_t)rt->constants_size) return DSE_ERR_ARENA;
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

/* `count` pieces of `bytes`, at constant distances on both sides; joined where they touch. */
static void pieces(uint8_t* to, int64_t to_step, const uint8_t* from, int64_t from_step, int64_t count, int64_t bytes,
                   int value) {
  int64_t i, k;
  if (to_step == bytes && (!from || from_step == bytes)) {
    bytes *= count;
    count = 1;
  }
  for (i = 0; i < count; ++i) {
    uint8_t* out = to + i * to_step;
    const uint8_t* in = from ? from + i * from_step : 0;
    if (!in) {
      memset(out, value, (size_t)bytes);
    } else if ((uintptr_t)out + (uintptr_t)bytes <= (uintptr_t)in ||
               (uintptr_t)in + (uintptr_t)bytes <= (uintptr_t)out) {
      memcpy(out, in, (size_t)bytes);
    } else {
      for (k = 0; k < bytes; ++k) out[k] = in[k];
    }
  }
}

static void copy(const dse_task* t) {
  const dse_view* to = &t->view[DSE_OUT];
  const dse_view* from = t->fill ? to : &t->view[DSE_IN0];
  const int32_t elem = to->elem > 1 ? to->elem : 1, columns = t->tile.x.hi - t->tile.x.lo;
  int32_t y, c, i, n, whole;
  for (y = t->tile.y.lo; y < t->tile.y.hi; ++y)
    for (c = t->tile.c.lo; c < t->tile.c.hi; c += n) {
      uint8_t* o = dse_row(to, y) + dse_channel_offset(to, c) + (int64_t)t->tile.x.lo * to->stride_w;
      const uint8_t* in = dse_row(from, y) + dse_channel_offset(from, c) + (int64_t)t->tile.x.lo * from->stride_w;
      n = dse_min(dse_channel_run(from, c, t->tile.c.hi), dse_channel_run(to, c, t->tile.c.hi));
      whole = to->stride_c == elem && from->stride_c == elem ? n : 1; /* channels that lie together on both sides */
      for (i = 0; i < n; i += whole)
        pieces(o + (int64_t)i * to->stride_c, to->stride_w, t->fill ? 0 : in + (int64_t)i * from->stride_c,
               from->stride_w, columns, (int64_t)whole * elem, t->value);
    }
}

int dse_execute(const dse_runtime* rt, const dse_task* t) {
  const int status = dse_check(rt, t);
  dse_call call;
  if (status != DSE_OK) return status;
  if (t->kind == DSE_TASK_COPY) copy(t);
  if (t->kind != DSE_TASK_CALL) return DSE_OK;
  call.op = &t->op;
  call.tile = t->tile;
  memcpy(call.view, t->view, sizeof call.view);
  return dse_run(&call) == 0 ? DSE_OK : DSE_ERR_OPERAND;
}
