#include "dse_npu.h"

typedef struct bits {
  const uint8_t* at;
  int32_t size, next; /* bits */
  int32_t bad;
} bits;

static uint32_t take(bits* b, int32_t count) {
  uint32_t value = 0;
  for (int32_t i = 0; i < count; ++i, ++b->next) {
    if (b->next >= b->size) {
      b->bad = 1;
      return 0;
    }
    value |= (uint32_t)(b->at[b->next >> 3] >> (b->next & 7) & 1) << i;
  }
  return value;
}

enum { NO_RUNS = 6, END = 7, PLAIN = 7, UNARY = 12, SHORT_UNARY = 8, ENTRIES = 32, SYMBOLS = 16 };

typedef struct palette {
  int32_t size, bits, direct_offset;
  int16_t entry[ENTRIES];
} palette;

static int16_t weight_of(uint32_t code) {
  int32_t magnitude = (int32_t)(code >> 1);
  return (int16_t)(code & 1 ? -magnitude : magnitude);
}

static int16_t value_of(const palette* p, uint32_t index) {
  if ((int32_t)index < p->size) return p->entry[index];
  return weight_of(index - (uint32_t)p->size + (uint32_t)p->direct_offset);
}

static void read_palette(bits* b, palette* p) {
  p->direct_offset = (int32_t)take(b, 5);
  p->size = (int32_t)take(b, 5);
  if (p->size) ++p->size;
  p->bits = (int32_t)take(b, 3) + 2;
  for (int32_t i = 0; i < p->size; ++i) p->entry[i] = weight_of(take(b, p->bits));
}

/* One stream of a slice: quotients come in unary, several of a chunk, remainders one chunk later. */
typedef struct chunks {
  int32_t divisor, truncated, plain, pairs, unary;
  int32_t quotient, open; /* of a value that the chunk before began */
  int32_t pending;        /* values whose remainders are due */
  int32_t quotients[SYMBOLS];
  int32_t counted, total; /* values whose quotients are known, all of the slice */
} chunks;

/* Takes the quotients that a chunk holds; those of the padding at the end are none. */
static int32_t quotients_of(chunks* c, uint32_t first, uint32_t second, int32_t* out) {
  int32_t n = 0, at = 0;
  for (int32_t i = 0; i < c->unary; ++i) {
    int32_t more = (int32_t)(first >> i & 1);
    if (!c->open) c->quotient = 0, c->open = 1;
    if (more) {
      ++c->quotient;
      if (c->pairs) {
        int32_t again = (int32_t)(second >> at++ & 1);
        if (again) ++c->quotient;
        if (c->truncated || !again) more = 0;
      }
    }
    if (!more) {
      c->open = 0;
      if (c->counted < c->total) out[n++] = c->quotient, ++c->counted;
    }
  }
  return n;
}

static int32_t ones(uint32_t v) {
  int32_t n = 0;
  for (; v; v &= v - 1) ++n;
  return n;
}

typedef struct writer {
  int16_t* out;
  int32_t capacity, count;
} writer;

static void put(writer* w, int16_t value) {
  if (w->count < w->capacity) w->out[w->count] = value;
  ++w->count;
}

enum { AHEAD = 64 };

/* Weights and runs of zeros come in turn; both are kept until the other has caught up. */
typedef struct merge {
  int16_t weights[AHEAD];
  int32_t runs[AHEAD];
  int32_t first_weight, weight_count, first_run, run_count, with_runs, run_next;
} merge;

static void flush(merge* m, writer* w) {
  for (;;) {
    if (m->with_runs && m->run_next) {
      if (!m->run_count) return;
      for (int32_t i = 0; i < m->runs[m->first_run]; ++i) put(w, 0);
      m->first_run = (m->first_run + 1) % AHEAD, --m->run_count, m->run_next = 0;
    } else {
      if (!m->weight_count) return;
      put(w, m->weights[m->first_weight]);
      m->first_weight = (m->first_weight + 1) % AHEAD, --m->weight_count, m->run_next = m->with_runs;
    }
  }
}

static int32_t plain_bits_of(const palette* p) {
  int32_t bits = 0;
  if (!p->size) return p->bits;
  while ((1 << bits) < p->size) ++bits;
  return bits;
}

static void read_slice(bits* b, int32_t zero_divisor, palette* p, writer* out) {
  const int32_t values = (int32_t)take(b, 15) + 1;
  const int32_t divisor = (int32_t)take(b, 3), truncated = (int32_t)take(b, 1), fresh = (int32_t)take(b, 1);
  if (fresh) read_palette(b, p);
  chunks w = {0}, z = {0};
  w.plain = divisor == PLAIN, w.divisor = w.plain ? plain_bits_of(p) : divisor, w.truncated = truncated, w.pairs = 1,
  w.total = values;
  w.unary = w.plain && w.divisor > 5 ? SHORT_UNARY : UNARY;
  const int32_t runs = zero_divisor != NO_RUNS;
  z.divisor = zero_divisor, z.total = runs ? values + fresh : 0, z.unary = zero_divisor < 3 ? UNARY : SHORT_UNARY;
  merge m = {0};
  m.with_runs = runs, m.run_next = runs && fresh;
  int32_t before_w = 0, before_z = 0; /* the chunk before was there */
  do {
    const int32_t ahead = runs ? w.counted - z.counted : 0;
    const int32_t take_w = ahead < 8 && w.counted < w.total, take_z = runs && ahead >= 0 && z.counted < z.total;
    uint32_t first = 0, second = 0, zeros = 0;
    if (take_w && !w.plain) first = take(b, w.unary);
    if (take_z) zeros = take(b, z.unary);
    if (take_w && !w.plain) second = take(b, ones(first));
    if (b->bad) return;
    for (int32_t i = 0; before_w && i < w.pending; ++i) {
      const uint32_t value = ((uint32_t)w.quotients[i] << w.divisor) + take(b, w.divisor);
      if (value > 511u + ENTRIES || m.weight_count == AHEAD) b->bad = 1;
      if (b->bad) return;
      m.weights[(m.first_weight + m.weight_count++) % AHEAD] = value_of(p, value);
    }
    for (int32_t i = 0; before_z && i < z.pending; ++i) {
      if (m.run_count == AHEAD) b->bad = 1;
      if (b->bad) return;
      m.runs[(m.first_run + m.run_count++) % AHEAD] =
          (int32_t)(((uint32_t)z.quotients[i] << z.divisor) + take(b, z.divisor));
    }
    w.pending = take_w ? quotients_of(&w, first, second, w.quotients) : 0;
    z.pending = take_z ? quotients_of(&z, zeros, 0, z.quotients) : 0;
    before_w = take_w, before_z = take_z;
    flush(&m, out);
  } while ((before_w || before_z) && !b->bad);
}

int32_t dse_npu_decode(const uint8_t* stream, int32_t bytes, int16_t* weights, int32_t capacity) {
  bits b = {stream, bytes * 8, 0, 0};
  palette p = {0};
  p.bits = 2;
  writer out = {weights, capacity, 0};
  for (;;) {
    const int32_t zero_divisor = (int32_t)take(&b, 3);
    if (b.bad) return -1;
    if (zero_divisor == END) return out.count;
    if (zero_divisor > 4 && zero_divisor != NO_RUNS) return -1;
    read_slice(&b, zero_divisor, &p, &out);
    if (b.bad) return -1;
  }
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t up(int32_t n, int32_t to) { return (n + to - 1) / to * to; }

/* One walk under way. */
typedef struct state {
  const dse_npu_walk* walk;
  void (*place)(void*, int32_t, int32_t);
  void* context;
  int32_t number;
} state;

static void micro_block(state* s, int32_t out, int32_t in, int32_t y, int32_t x, int32_t there) {
  const dse_npu_walk* k = s->walk;
  const int32_t deep = k->depthwise ? 1 : k->ifm_ublock;
  for (int32_t o = out; o < out + k->ofm_ublock; ++o)
    for (int32_t i = in; i < in + deep; ++i) {
      const int32_t inside = there && o < k->out && i < k->in;
      s->place(s->context, s->number++, inside ? ((o * k->h + y) * k->w + x) * k->in + i : -1);
    }
}

static int over(const state* s) { return s->walk->most > 0 && s->number > s->walk->most; }

static void sub_kernel(state* s, int32_t out, int32_t from, int32_t block, int32_t y, int32_t x) {
  const dse_npu_walk* k = s->walk;
  const int32_t h = least(k->most_h, k->h - y), w = least(k->most_w, k->w - x);
  const int32_t depth = k->depthwise ? k->ifm_ublock : k->part_kernel ? least(block, k->in - from) : block;
  int32_t elements = h * w;
  if (k->depthwise || (k->part_kernel && k->input_bits == 8))
    elements = up(elements, 4);
  else if (k->part_kernel)
    elements = up(elements, 2);
  const int32_t outside = k->part_kernel ? depth : 1, inside = k->part_kernel ? 1 : depth;
  const int32_t out_depth = least(k->block_depth, k->out - out);
  for (int32_t outer = 0; outer < outside && !over(s); outer += k->ifm_ublock)
    for (int32_t micro = 0; micro < out_depth && !over(s); micro += k->ofm_ublock)
      for (int32_t e = 0; e < elements && !over(s); ++e)
        for (int32_t inner = 0; inner < inside && !over(s); inner += k->ifm_ublock)
          micro_block(s, out + micro, from + outer + inner, y + e / w, x + e % w, e / w < h);
}

int32_t dse_npu_for_each_weight(const dse_npu_walk* walk, void (*place)(void* context, int32_t number, int32_t at),
                                void* context) {
  state s = {walk, place, context, 0};
  const int32_t block = walk->part_kernel || walk->input_bits == 16 ? 16 : 32, in = walk->depthwise ? 1 : walk->in;
  for (int32_t out = 0; out < walk->out && !over(&s); out += walk->block_depth)
    for (int32_t from = 0; from < in && !over(&s); from += block)
      for (int32_t y = 0; y < walk->h && !over(&s); y += walk->most_h)
        for (int32_t x = 0; x < walk->w && !over(&s); x += walk->most_w) sub_kernel(&s, out, from, block, y, x);
  return s.number;
}

void dse_npu_scales(const uint8_t* stream, int32_t n, int32_t acc_bytes, int32_t* records) {
  for (int32_t i = 0; i < n; ++i, stream += 10) {
    uint64_t bias = 0;
    for (int32_t b = 0; b < 5; ++b) bias |= (uint64_t)stream[b] << (8 * b);
    if (bias >> 39 & 1) bias |= ~(uint64_t)0 << 40;
    uint32_t multiplier = 0;
    for (int32_t b = 0; b < 4; ++b) multiplier |= (uint32_t)stream[5 + b] << (8 * b);
    *records++ = (int32_t)(uint32_t)bias;
    if (acc_bytes == 8) *records++ = (int32_t)(uint32_t)(bias >> 32);
    *records++ = (int32_t)multiplier;
    *records++ = 31 - (int32_t)stream[9];
  }
}
