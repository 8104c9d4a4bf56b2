/* Weights and scales of a kernel as they lie in memory: decoded, and brought back into the operator's own order. */
#include "dse_npu.h"
#include "dse_npu_machine.h"

enum { QUANTUM = 16, SCALE_BYTES = 10, MOST = 1 << 16, MOST_FILTER = 1 << 26 };

static int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
static int32_t record_words(const dse_npu_coded* c) { return c->acc_bytes == 8 ? 4 : 3; }
static int64_t own_filter(const dse_npu_coded* c) { return (int64_t)c->own_h * c->own_w * c->own_in; }

static int between(int32_t v, int32_t lo, int32_t hi) { return v >= lo && v <= hi; }

/* Within what the walk and this file can compute with. */
static int is_sane(const dse_npu_coded* c) {
  return between(c->h, 1, MOST) && between(c->w, 1, MOST) && between(c->in, 1, MOST) && between(c->out, 1, MOST) &&
         (int64_t)c->h * c->w <= MOST && (int64_t)c->h * c->w * c->in <= MOST_FILTER &&
         (int64_t)c->h * c->w * c->in * c->out <= MOST_FILTER && between(c->block_depth, 1, MOST) &&
         between(c->ifm_ublock, 1, 64) && between(c->ofm_ublock, 1, 64) && between(c->cores, 1, 2) &&
         between(c->most_h, 1, MOST) && between(c->most_w, 1, MOST) && between(c->own_h, 1, MOST) &&
         between(c->own_w, 1, MOST) && between(c->own_in, 1, MOST) && (int64_t)c->own_h * c->own_w <= MOST &&
         own_filter(c) * c->out <= MOST_FILTER && between(c->before, 0, MOST) && between(c->by, 1, MOST) &&
         between(c->gap_h, 1, MOST) && between(c->gap_w, 1, MOST);
}

/* Where a weight of a channel lies in the operator's own order, by its place [h][w][in]; -1: a zero that was put in. */
static int32_t own_place(const dse_npu_coded* c, int32_t at) {
  const int32_t taps = c->h * c->w, channel = at % c->in;
  const int32_t tap = c->backwards ? taps - 1 - at / c->in : at / c->in;
  const int32_t y = tap / c->w, x = tap % c->w, wide = c->in / c->by;
  int32_t flat, column;
  if (y % c->gap_h || x % c->gap_w || wide < 1) return -1;
  flat = x / c->gap_w * c->by + channel / wide; /* the column of the operator's own, with those before it */
  column = flat - c->before;
  if (column < 0 || column >= c->own_w || y / c->gap_h >= c->own_h || channel % wide >= c->own_in) return -1;
  return (y / c->gap_h * c->own_w + column) * c->own_in + channel % wide;
}

static dse_npu_walk walk_of(const dse_npu_coded* c, int32_t channels, int32_t core, int32_t part_kernel, int32_t most) {
  dse_npu_walk w;
  w.h = c->h;
  w.w = c->w;
  w.in = c->in;
  w.out = channels;
  w.block_depth = (c->block_depth + c->cores - 1 - core) / c->cores;
  if (w.block_depth < 1) w.block_depth = 1;
  w.ifm_ublock = c->ifm_ublock;
  w.ofm_ublock = c->ofm_ublock;
  w.most_h = c->most_h;
  w.most_w = c->most_w;
  w.part_kernel = part_kernel;
  w.depthwise = c->depthwise;
  w.input_bits = c->input_bits;
  w.most = most;
  return w;
}

static void count(void* context, int32_t number, int32_t at) {
  (void)context;
  (void)number;
  (void)at;
}

int64_t dse_npu_decoding_bytes(const dse_npu_coded* c) {
  int64_t most = 0;
  int32_t core, part;
  if (!is_sane(c)) return 0;
  for (core = 0; core < c->cores; ++core)
    for (part = 0; part < 2; ++part) {
      const dse_npu_walk w = walk_of(c, (c->out - core + c->cores - 1) / c->cores, core, part, 0);
      const int64_t n = dse_npu_for_each_weight(&w, count, 0); /* of the plan's own, not of an untrusted one */
      if (n > most) most = n;
    }
  return up((int64_t)4 * record_words(c) * c->out, 8) + up(own_filter(c) * c->out, 8) + up(2 * most, 8);
}

typedef struct placing {
  const dse_npu_coded* coded;
  const int16_t* stream;
  uint8_t* weights;
  int32_t streamed, filter, first, cores, bad; /* first: channel of the core's first */
  const uint8_t* zeros;
} placing;

static void place(void* context, int32_t number, int32_t at) {
  placing* p = (placing*)context;
  const dse_npu_coded* c = p->coded;
  int32_t value, channel, own;
  uint32_t zero = 0; /* modulo 2^32: a damaged one is any number */
  if (number >= p->streamed) {
    p->bad = 1;
    return;
  }
  value = p->stream[number];
  if (at < 0) {
    if (value != 0) p->bad = 1;
    return;
  }
  channel = p->first + at / p->filter * p->cores;
  own = own_place(c, at % p->filter);
  if (own < 0) return;
  if (c->zeros > 0) zero = dse_npu_word(p->zeros, c->zeros == 1 ? 0 : (uint32_t)channel);
  p->weights[(int64_t)channel * own_filter(c) + own] = (uint8_t)((uint32_t)value + zero);
}

/* What one core decodes: every `cores`-th channel from `first` on. */
static int decode_core(const dse_npu_machine* m, const dse_npu_coded* c, const dse_npu_extent* memory, uint32_t base,
                       uint32_t length, int32_t channels, int32_t first, int32_t core, int32_t part_kernel,
                       const uint8_t* zeros, dse_npu_decoded* out) {
  const uint32_t scales = (uint32_t)up((int64_t)SCALE_BYTES * channels, QUANTUM);
  dse_npu_walk walk;
  const uint32_t room = (m->memory_bytes - out->used) / 2;
  int16_t* stream = (int16_t*)(void*)(m->memory + out->used);
  const int32_t words = record_words(c);
  int32_t made, n, k, one[4];
  placing p;
  if (base < scales || base > memory->size || length > memory->size - base || length > 1u << 27) return DSE_NPU_OUTSIDE;
  made = dse_npu_decode(memory->base + base, (int32_t)length, stream, room > MOST_FILTER ? MOST_FILTER : (int32_t)room);
  if (made < 0) return DSE_NPU_MALFORMED;
  if ((uint32_t)made > room || made > MOST_FILTER) return DSE_NPU_MEMORY;
  walk = walk_of(c, channels, core, part_kernel, made < 1 ? 1 : made);
  p.coded = c;
  p.stream = stream;
  p.weights = out->weights.base;
  p.streamed = made;
  p.filter = c->h * c->w * c->in;
  p.first = first;
  p.cores = c->cores;
  p.zeros = zeros;
  p.bad = 0;
  if (dse_npu_for_each_weight(&walk, place, &p) != made || p.bad) return DSE_NPU_MALFORMED;
  for (n = 0; n < channels; ++n) {
    uint8_t* to = out->records.base + (int64_t)4 * words * (first + n * c->cores);
    dse_npu_scales(memory->base + base - scales + SCALE_BYTES * n, 1, c->acc_bytes, one);
    for (k = 0; k < 4 * words; ++k) to[k] = (uint8_t)((uint32_t)one[k / 4] >> (k % 4 * 8));
  }
  return DSE_NPU_OK;
}

int dse_npu_decode_kernel(const dse_npu_machine* m, const uint32_t* r, const dse_npu_coded* c, const uint8_t* zeros,
                          int32_t c0, int32_t c1, uint32_t free, dse_npu_decoded* out) {
  dse_npu_extent memory;
  int64_t records, weights;
  int32_t core;
  if (!is_sane(c) || c0 < 0 || c1 > c->out || c0 >= c1) return DSE_NPU_MALFORMED;
  if (c->zeros < 0 || (c->zeros > 1 && c->zeros != c->out)) return DSE_NPU_MALFORMED;
  if (!dse_npu_region_of(m, r[dse_npu_weight_region], &memory)) return DSE_NPU_MALFORMED;
  records = up((int64_t)4 * record_words(c) * c->out, 8);
  weights = up(own_filter(c) * c->out, 8);
  if ((int64_t)free + records + weights > (int64_t)m->memory_bytes) return DSE_NPU_MEMORY;
  out->records.base = m->memory + free;
  out->records.size = (uint32_t)records;
  out->weights.base = out->records.base + records;
  out->weights.size = (uint32_t)weights;
  out->used = free + (uint32_t)(records + weights);
  for (core = 0; core < c->cores && core < c1 - c0; ++core) {
    const int status = decode_core(m, c, &memory, r[core ? dse_npu_weight1_base : dse_npu_weight_base],
                                   r[core ? dse_npu_weight1_length : dse_npu_weight_length],
                                   (c1 - c0 - core + c->cores - 1) / c->cores, c0 + core, core,
                                   (int32_t)(r[dse_npu_traversal] & 1u), zeros, out);
    if (status != DSE_NPU_OK) return status;
  }
  return DSE_NPU_OK;
}
