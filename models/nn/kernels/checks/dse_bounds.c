#include "dse_bounds.h"

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

enum dse_fault dse_box_fault(const dse_view* v, dse_box box, int32_t elem, const dse_room* room, int write) {
  hull at;
  if (box.h.lo >= box.h.hi || box.w.lo >= box.w.hi || box.c.lo >= box.c.hi) return DSE_FITS;
  if (!v->base) return DSE_FAULT_OPERAND;
  at.lo = at.hi = 0;
  if (!add(&at, box.h, v->first_h, v->ring_h, v->stride_h, 0) || !add(&at, box.w, 0, 0, v->stride_w, 0) ||
      !add(&at, box.c, v->first_c, v->ring_c, v->stride_c, v->block_c ? v : 0))
    return DSE_FAULT_OUTSIDE;
  return at.lo < (write ? room->writable : room->from) || at.hi + elem > room->to ? DSE_FAULT_OUTSIDE : DSE_FITS;
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

static int is_written(int role) {
  return role == DSE_OUT || role == DSE_ACC || role == DSE_STATE0 || role == DSE_STATE1 || role == DSE_FACTORS;
}

enum dse_fault dse_call_fault(const dse_op* op, const dse_tile* tile, const dse_view* view, const dse_room* room) {
  const int32_t far = 1 << 20; /* kernels multiply coordinates by strides in 32 bits */
  int role;
  enum dse_fault fault = DSE_FITS;
  if (tile->y.hi > far || tile->x.hi > far || tile->c.hi > far || tile->k.hi > far) return DSE_FAULT_MALFORMED;
  if (!is_of_outputs(op, tile)) return DSE_FAULT_MALFORMED;
  /* Both must be as wide as the wider one. */
  if (moves_elements(op->kind) && view[DSE_IN0].base && view[DSE_IN0].elem != view[DSE_OUT].elem)
    return DSE_FAULT_MALFORMED;
  for (role = 0; role < DSE_ROLES && fault == DSE_FITS; ++role) {
    dse_box box = dse_operand_box(op, tile, (enum dse_role)role);
    int32_t elem = dse_role_bytes(op, (enum dse_role)role);
    if (view[role].elem > elem) elem = view[role].elem;
    if (role == DSE_SCRATCH) { /* counted in bytes from its base */
      const int32_t bytes = dse_scratch_bytes(op, tile);
      if (bytes > 0 && !view[role].base) return DSE_FAULT_OPERAND;
      if (bytes > 0 && bytes > room[role].to) return DSE_FAULT_OUTSIDE;
      continue;
    }
    fault = dse_box_fault(&view[role], box, elem, &room[role], is_written(role));
  }
  return fault;
}
