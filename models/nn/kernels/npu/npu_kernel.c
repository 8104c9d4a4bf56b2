/* What a kernel of a stream computes: its operation's calls, whole or block by block. */
#include <string.h>

#include "dse_bounds.h"
#include "dse_npu_machine.h"

/* Words of a meaning, one after the other. */
typedef struct reader {
  const uint8_t* bytes;
  uint32_t at, end;
  int bad;
} reader;

static int32_t next(reader* r) {
  uint32_t v;
  if (r->at >= r->end) {
    r->bad = 1;
    return 0;
  }
  v = dse_npu_word(r->bytes, r->at++);
  return v > 0x7fffffffu ? -(int32_t)(~v) - 1 : (int32_t)v;
}

static uint32_t head(const dse_npu_machine* m, uint32_t word) { return dse_npu_word(m->meaning, word); }

/* A call that is ready but for its tile. */
typedef struct prepared {
  dse_op op;
  dse_call call;
  dse_room room[DSE_ROLES];
} prepared;

static dse_span span_of(reader* r) {
  dse_span s;
  s.lo = next(r);
  s.hi = next(r);
  return s;
}

static int is_view(const dse_view* v) {
  return v->ring_h >= 0 && v->ring_h <= DSE_FAR && v->ring_c >= 0 && v->ring_c <= DSE_FAR && v->block_c >= 0 &&
         v->block_c <= DSE_FAR && v->first_h >= -DSE_FAR && v->first_h <= DSE_FAR && v->first_c >= -DSE_FAR &&
         v->first_c <= DSE_FAR && v->elem >= 0 && v->elem <= 255;
}

/* The bytes that a place is of, and whether they may be written. */
static int extent_of(const dse_npu_machine* m, int32_t place, const dse_npu_decoded* decoded, dse_npu_extent* out,
                     int* writable) {
  *writable = place != DSE_NPU_CONSTANTS && place < DSE_NPU_IN_MEANING;
  switch (place) {
    case DSE_NPU_IN_MEMORY:
      out->base = m->memory;
      out->size = head(m, DSE_NPU_HEAD_HELD);
      return 1;
    case DSE_NPU_IN_MEANING:
      out->base = (uint8_t*)(uintptr_t)m->meaning + head(m, DSE_NPU_HEAD_CONSTANTS); /* only read from */
      out->size = m->meaning_bytes - head(m, DSE_NPU_HEAD_CONSTANTS);
      return 1;
    case DSE_NPU_DECODED:
      *out = decoded->weights;
      return decoded->weights.base != 0;
    case DSE_NPU_RECORDS:
      *out = decoded->records;
      return decoded->records.base != 0;
    default:
      return place >= 0 && place < DSE_NPU_TABLES && dse_npu_region_of(m, (uint32_t)place, out);
  }
}

static int operand(const dse_npu_machine* m, const uint32_t* registers, const dse_npu_decoded* decoded, reader* r,
                   dse_view* v, dse_room* room) {
  const int32_t place = next(r), offset = next(r), ring = next(r);
  dse_npu_extent extent;
  int writable = 0;
  v->stride_h = next(r);
  v->stride_w = next(r);
  v->stride_c = next(r);
  v->first_h = next(r);
  v->first_c = next(r);
  v->ring_h = next(r);
  v->ring_c = next(r);
  v->block_c = next(r);
  v->stride_block = next(r);
  v->elem = next(r);
  if (r->bad || offset < 0 || !extent_of(m, place, decoded, &extent, &writable)) return DSE_NPU_MALFORMED;
  if (ring == DSE_NPU_IFM_RING && registers[dse_npu_ifm_ring]) v->ring_h = (int32_t)registers[dse_npu_ifm_ring];
  if (ring == DSE_NPU_OFM_RING && registers[dse_npu_ofm_ring]) v->ring_h = (int32_t)registers[dse_npu_ofm_ring];
  if (!is_view(v) || (uint32_t)offset > extent.size) return DSE_NPU_MALFORMED;
  v->base = extent.base ? extent.base + offset : 0;
  room->from = -(int64_t)offset;
  room->to = (int64_t)extent.size - offset;
  room->writable = writable ? room->from : room->to + 1;
  return DSE_NPU_OK;
}

static int prepare(const dse_npu_machine* m, const uint32_t* registers, const dse_npu_decoded* decoded, reader* r,
                   prepared* out) {
  const uint32_t op = (uint32_t)next(r);
  uint32_t mask;
  int role, status = DSE_NPU_OK;
  memset(out, 0, sizeof *out);
  out->call.tile.y = span_of(r);
  out->call.tile.x = span_of(r);
  out->call.tile.c = span_of(r);
  out->call.tile.k = span_of(r);
  out->call.tile.flags = (uint32_t)next(r);
  mask = (uint32_t)next(r);
  if (r->bad || op >= head(m, DSE_NPU_HEAD_OPERATORS) || mask >> DSE_ROLES || (mask >> DSE_SCRATCH & 1u))
    return DSE_NPU_MALFORMED;
  if (!m->operator_at(m->context, head(m, DSE_NPU_HEAD_FIRST_OPERATOR) + op, &out->op)) return DSE_NPU_MALFORMED;
  for (role = 0; role < DSE_ROLES && status == DSE_NPU_OK; ++role)
    if (mask >> role & 1u) status = operand(m, registers, decoded, r, &out->call.view[role], &out->room[role]);
  out->call.op = &out->op;
  return status;
}

static int is_span(dse_span s) { return s.lo >= 0 && s.lo <= s.hi; }

/* Gives the call the scratch that this tile needs, of working memory from `free` on, looks at all addresses, and runs
 * it. */
static int run(const dse_npu_machine* m, prepared* p, const dse_tile* tile, uint32_t free) {
  static const int of_fault[] = {DSE_NPU_OK, DSE_NPU_MALFORMED, DSE_NPU_OPERAND, DSE_NPU_OUTSIDE};
  enum dse_fault fault;
  if (!is_span(tile->y) || !is_span(tile->x) || !is_span(tile->c) || !is_span(tile->k)) return DSE_NPU_MALFORMED;
  if (tile->y.hi > p->op.out_h || tile->x.hi > p->op.out_w || tile->c.hi > p->op.out_c) return DSE_NPU_MALFORMED;
  p->call.tile = *tile;
  p->call.view[DSE_SCRATCH].base = dse_scratch_bytes(&p->op, tile) > 0 ? m->memory + free : 0;
  p->room[DSE_SCRATCH].to = (int64_t)m->memory_bytes - free;
  fault = dse_call_fault(&p->op, tile, p->call.view, p->room);
  if (fault != DSE_FITS) return of_fault[fault];
  return dse_run_call(&p->call) == 0 ? DSE_NPU_OK : DSE_NPU_OPERAND;
}

static int run_calls(const dse_npu_machine* m, const uint32_t* registers, reader* r) {
  static const dse_npu_decoded none = {{0, 0}, {0, 0}, 0};
  int32_t n = next(r);
  int status = r->bad || n < 0 ? DSE_NPU_MALFORMED : DSE_NPU_OK;
  dse_tile tile;
  prepared p;
  for (; n > 0 && status == DSE_NPU_OK; --n) {
    status = prepare(m, registers, &none, r, &p);
    tile = p.call.tile;
    if (status == DSE_NPU_OK) status = run(m, &p, &tile, head(m, DSE_NPU_HEAD_HELD));
  }
  return status;
}

static dse_npu_coded coded_of(reader* r) {
  dse_npu_coded c;
  int32_t words[DSE_NPU_CODED_WORDS];
  uint32_t i;
  for (i = 0; i < DSE_NPU_CODED_WORDS; ++i) words[i] = next(r);
  memcpy(&c, words, sizeof c);
  return c;
}

/* Rows, columns and channels of an operation's outputs; what of them a kernel makes; the blocks in which. */
typedef struct part {
  int32_t h, w, c;
  dse_span y, ch;
  int32_t block_h, block_w, block_c;
} part;

static dse_span piece(int32_t from, int32_t block, int32_t end) {
  dse_span s;
  s.lo = from;
  s.hi = end - from < block ? end : from + block;
  return s;
}

/* The call, and the fused one on what it made. */
static int run_both(const dse_npu_machine* m, prepared* p, prepared* fused, const dse_tile* tile, uint32_t free) {
  dse_tile after;
  const int status = run(m, p, tile, free);
  if (!fused || status != DSE_NPU_OK) return status;
  after = fused->call.tile;
  after.y = tile->y;
  after.x = tile->x;
  after.c = tile->c;
  return run(m, fused, &after, free);
}

static int run_tiles(const dse_npu_machine* m, prepared* p, prepared* fused, const part* k, uint32_t free) {
  dse_tile tile = p->call.tile;
  int32_t y, x, c;
  int status = DSE_NPU_OK;
  if (k->block_h < 1 || k->block_w < 1 || k->block_c < 1) return DSE_NPU_MALFORMED;
  for (y = k->y.lo; y < k->y.hi && status == DSE_NPU_OK; y = tile.y.hi)
    for (x = 0, tile.y = piece(y, k->block_h, k->y.hi); x < k->w && status == DSE_NPU_OK; x = tile.x.hi)
      for (c = k->ch.lo, tile.x = piece(x, k->block_w, k->w); c < k->ch.hi && status == DSE_NPU_OK; c = tile.c.hi) {
        tile.c = piece(c, k->block_c, k->ch.hi);
        status = run_both(m, p, fused, &tile, free);
      }
  return status;
}

/* The call's own tile, but for channels that are some of all. */
static int run_whole(const dse_npu_machine* m, prepared* p, prepared* fused, const part* k, uint32_t free) {
  dse_tile tile = p->call.tile;
  if (k->ch.hi - k->ch.lo < k->c) tile.c = k->ch;
  return run_both(m, p, fused, &tile, free);
}

static int run_blocks(const dse_npu_machine* m, const uint32_t* registers, reader* r, part* k) {
  const int32_t flags = next(r);
  dse_npu_decoded decoded = {{0, 0}, {0, 0}, 0};
  const uint8_t* zeros;
  dse_npu_coded coded;
  prepared call, fused;
  int status;
  decoded.used = head(m, DSE_NPU_HEAD_HELD);
  k->h = next(r);
  k->w = next(r);
  k->c = next(r);
  if (flags & DSE_NPU_CODED) { /* first, so that the calls' places can be bound */
    coded = coded_of(r);
    zeros = r->bytes + 4 * (uint64_t)r->at;
    if (r->bad || coded.zeros < 0 || (uint32_t)coded.zeros > r->end - r->at) return DSE_NPU_MALFORMED;
    r->at += (uint32_t)coded.zeros;
    status = dse_npu_decode_kernel(m, registers, &coded, zeros, k->ch.lo, k->ch.hi, decoded.used, &decoded);
    if (status != DSE_NPU_OK) return status;
  }
  if (k->y.lo < 0 || k->y.hi > k->h || k->ch.lo < 0 || k->ch.hi > k->c) return DSE_NPU_MALFORMED;
  if ((flags & DSE_NPU_WHOLE) && (k->y.lo > 0 || k->y.hi < k->h)) return DSE_NPU_MALFORMED;
  k->block_h = (int32_t)registers[dse_npu_block_h];
  k->block_w = (int32_t)registers[dse_npu_block_w];
  k->block_c = (int32_t)registers[dse_npu_block_c];
  status = prepare(m, registers, &decoded, r, &call);
  if (status == DSE_NPU_OK && (flags & DSE_NPU_FUSED)) status = prepare(m, registers, &decoded, r, &fused);
  if (status != DSE_NPU_OK) return status;
  return (flags & DSE_NPU_WHOLE ? run_whole : run_tiles)(m, &call, flags & DSE_NPU_FUSED ? &fused : 0, k, decoded.used);
}

/* Words up to the constants, if the head makes sense. */
static uint32_t words_of(const uint8_t* meaning, uint32_t bytes) {
  const uint32_t n = bytes >= 4 * DSE_NPU_HEAD_WORDS ? dse_npu_word(meaning, DSE_NPU_HEAD_CONSTANTS) : 0;
  const uint64_t tables = DSE_NPU_HEAD_WORDS + (n ? dse_npu_word(meaning, DSE_NPU_HEAD_OPERATIONS) : 0) +
                          DSE_NPU_KERNEL_WORDS * (uint64_t)(n ? dse_npu_word(meaning, DSE_NPU_HEAD_KERNELS) : 0);
  if (n > bytes || n % 4 || tables > n / 4) return 0; /* 0 words: none */
  if (dse_npu_word(meaning, DSE_NPU_HEAD_HELD) % 8) return 0;
  return dse_npu_word(meaning, DSE_NPU_HEAD_HELD) <= dse_npu_word(meaning, DSE_NPU_HEAD_MEMORY) ? n / 4 : 0;
}

uint32_t dse_npu_memory_bytes(const uint8_t* meaning, uint32_t bytes) {
  return words_of(meaning, bytes) ? dse_npu_word(meaning, DSE_NPU_HEAD_MEMORY) : 0;
}

int dse_npu_kernel(const dse_npu_machine* m, const uint32_t* registers, uint32_t number) {
  const uint32_t words = words_of(m->meaning, m->meaning_bytes);
  uint32_t operation;
  reader r;
  part k;
  if (!words || number >= head(m, DSE_NPU_HEAD_KERNELS)) return DSE_NPU_MALFORMED;
  if (m->memory_bytes < head(m, DSE_NPU_HEAD_MEMORY)) return DSE_NPU_MEMORY;
  r.bytes = m->meaning;
  r.end = words;
  r.bad = 0;
  r.at = DSE_NPU_HEAD_WORDS + head(m, DSE_NPU_HEAD_OPERATIONS) + DSE_NPU_KERNEL_WORDS * number;
  operation = (uint32_t)next(&r);
  k.y = span_of(&r);
  k.ch = span_of(&r);
  if (operation >= head(m, DSE_NPU_HEAD_OPERATIONS)) return DSE_NPU_MALFORMED;
  r.at = head(m, DSE_NPU_HEAD_WORDS + operation);
  switch (next(&r)) {
    case DSE_NPU_CALLS:
      return r.bad ? DSE_NPU_MALFORMED : run_calls(m, registers, &r);
    case DSE_NPU_BLOCKS:
      return r.bad ? DSE_NPU_MALFORMED : run_blocks(m, registers, &r, &k);
    default:
      return DSE_NPU_MALFORMED;
  }
}
