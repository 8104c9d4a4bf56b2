/* Address arithmetic of views, hoisted out of the inner loops of the kernels. See dse_kernels.h for what an address is.
 */
#ifndef DSE_ADDRESSING_H
#define DSE_ADDRESSING_H
#include <stdint.h>
#include <string.h>

#include "dse_kernels.h"

/* Byte offset of channel c within a pixel. */
static inline int64_t dse_channel_offset(const dse_view* v, int32_t c) {
  int32_t ch = c - v->first_c;
  if (v->ring_c) ch %= v->ring_c;
  if (v->block_c) return (int64_t)(ch / v->block_c) * v->stride_block + (int64_t)(ch % v->block_c) * v->stride_c;
  return (int64_t)ch * v->stride_c;
}

/* How many channels from c on (c itself included, below hi) lie at the constant distance stride_c. */
static inline int32_t dse_channel_run(const dse_view* v, int32_t c, int32_t hi) {
  int32_t ch = c - v->first_c, n = hi - c;
  if (v->ring_c) {
    ch %= v->ring_c;
    if (v->ring_c - ch < n) n = v->ring_c - ch;
  }
  if (v->block_c && v->block_c - ch % v->block_c < n) n = v->block_c - ch % v->block_c;
  return n;
}

static inline int32_t dse_min(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t dse_max(int32_t a, int32_t b) { return a > b ? a : b; }

/* n bytes from one place to another. Only a damaged plan lets them overlap: then they are copied one by one. */
static inline void dse_move(uint8_t* to, const uint8_t* from, size_t n) {
  size_t i;
  if ((uintptr_t)to + n <= (uintptr_t)from || (uintptr_t)from + n <= (uintptr_t)to)
    memcpy(to, from, n);
  else
    for (i = 0; i < n; ++i) to[i] = from[i];
}

/* Row y of a view. */
static inline uint8_t* dse_row(const dse_view* v, int32_t y) {
  int32_t slot = y - v->first_h;
  if (v->ring_h) slot %= v->ring_h;
  return v->base + (int64_t)slot * v->stride_h;
}

/* Rows first, first + step, first + 2 step, ... of a view without a division per row. */
typedef struct dse_rows {
  uint8_t* base;
  int64_t stride;
  int32_t slot, step, ring;
} dse_rows;

static inline dse_rows dse_rows_from(const dse_view* v, int32_t first, int32_t step) {
  dse_rows r;
  r.base = v->base;
  r.stride = v->stride_h;
  r.ring = v->ring_h;
  r.slot = first - v->first_h;
  r.step = step;
  if (r.ring) {
    r.slot %= r.ring;
    r.step %= r.ring;
  }
  return r;
}
static inline uint8_t* dse_rows_at(const dse_rows* r) { return r->base + r->slot * r->stride; }
static inline void dse_rows_next(dse_rows* r) {
  r->slot += r->step;
  if (r->ring && r->slot >= r->ring) r->slot -= r->ring;
}

/* The filter taps t for which first + t * dilation lies in [0, extent). Taps outside contribute nothing. */
static inline dse_span dse_taps(int32_t first, int32_t dilation, int32_t taps, int32_t extent) {
  dse_span s;
  s.lo = 0;
  s.hi = taps;
  while (s.lo < s.hi && first + s.lo * dilation < 0) ++s.lo;
  while (s.hi > s.lo && first + (s.hi - 1) * dilation >= extent) --s.hi;
  return s;
}

/* 32-bit operands may lie anywhere. */
static inline int32_t dse_load32(const uint8_t* p) {
  int32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline void dse_store32(uint8_t* p, int32_t v) { memcpy(p, &v, sizeof v); }

/* Per-channel requantisation parameters. */
typedef struct dse_channel_params {
  int32_t bias, multiplier, shift;
} dse_channel_params;
static inline dse_channel_params dse_load_params(const dse_view* v, int32_t c) {
  const uint8_t* p = dse_row(v, c) + dse_channel_offset(v, 0);
  dse_channel_params q;
  q.bias = dse_load32(p);
  q.multiplier = dse_load32(p + 4);
  q.shift = dse_max(-31, dse_min(dse_load32(p + 8), 30)); /* bytes that are no record: cut to what is defined */
  return q;
}

#endif
