#include "dse_decode.h"

#include <stddef.h>
#include <string.h>

enum { DSE_COORDINATE_MAX = 1 << 20, DSE_TAPS_MAX = 1 << 10 };

uint32_t dse_read_u8(dse_reader* r) {
  if (r->bad || r->at >= r->end) {
    r->bad = 1;
    return 0;
  }
  return r->bytes[r->at++];
}

uint32_t dse_read_u32(dse_reader* r) {
  uint32_t v = dse_read_u8(r);
  v |= dse_read_u8(r) << 8;
  v |= dse_read_u8(r) << 16;
  return v | dse_read_u8(r) << 24;
}

uint32_t dse_read_varint(dse_reader* r) {
  uint32_t v = 0, shift;
  for (shift = 0; shift < 35; shift += 7) {
    const uint32_t b = dse_read_u8(r);
    if (shift == 28 && b > 15) break;
    v |= (b & 127u) << shift;
    if (b < 128) return v;
  }
  r->bad = 1;
  return 0;
}

/* Two's complement without relying on how a conversion out of range behaves. */
static int32_t to_signed(uint32_t v) { return v > 0x7fffffffu ? -(int32_t)(~v) - 1 : (int32_t)v; }
static int32_t add_wrapping(int32_t a, int32_t b) { return to_signed((uint32_t)a + (uint32_t)b); }

int32_t dse_read_svarint(dse_reader* r) {
  const uint32_t v = dse_read_varint(r);
  return to_signed((v >> 1) ^ (0u - (v & 1u)));
}

uint32_t dse_read_size(dse_reader* r) {
  const uint32_t v = dse_read_varint(r);
  if (v > 0x7fffffffu) r->bad = 1;
  return r->bad ? 0 : v;
}

void dse_read_skip(dse_reader* r, uint32_t n) {
  if (r->bad || n > r->end - r->at)
    r->bad = 1;
  else
    r->at += n;
}

static int within(int32_t v, int32_t lo, int32_t hi) { return v >= lo && v <= hi; }

static int view_is_sane(const dse_runtime* rt, const dse_view_entry* v) {
  const int32_t* f = v->field;
  const int32_t far = DSE_FAR;
  if (!within(f[DSE_F_ARENA], 0, rt->arena_count - 1)) return 0;
  if (f[DSE_F_OFFSET] < 0 || (uint32_t)f[DSE_F_OFFSET] > rt->arena_size[f[DSE_F_ARENA]]) return 0;
  return within(f[DSE_F_RING_H], 0, far) && within(f[DSE_F_RING_C], 0, far) && within(f[DSE_F_BLOCK_C], 0, far) &&
         within(f[DSE_F_FIRST_H], -far, far) && within(f[DSE_F_FIRST_C], -far, far) && within(f[DSE_F_ELEM], 0, 255);
}

dse_view_entry dse_read_view(dse_runtime* rt, dse_reader* r) {
  dse_view_entry v;
  uint32_t tag = dse_read_u8(r), mask, i;
  memset(&v, 0, sizeof v);
  v.field[DSE_F_STRIDE_C] = 1;
  v.field[DSE_F_ELEM] = 1;
  if (tag == DSE_VIEW_ABSENT) {
    v.field[DSE_F_ARENA] = -1;
    return v;
  }
  if (tag < DSE_VIEW_NEW) { /* an entry, as it is or changed */
    const uint32_t entry = tag & 31u;
    if ((tag >= DSE_TABLE && tag < DSE_VIEW_DELTA) || entry >= (uint32_t)rt->view_count) {
      r->bad = 1;
      return v;
    }
    v = rt->views[entry];
    if (tag < DSE_TABLE) return v;
  } else if (tag != DSE_VIEW_NEW) {
    r->bad = 1;
    return v;
  }
  mask = dse_read_varint(r);
  if (mask >> DSE_VIEW_FIELDS) r->bad = 1;
  for (i = 0; i < DSE_VIEW_FIELDS; ++i)
    if (mask >> i & 1u) v.field[i] = add_wrapping(v.field[i], dse_read_svarint(r));
  if (r->bad || !view_is_sane(rt, &v)) {
    r->bad = 1;
    return v;
  }
  if (rt->view_count < DSE_TABLE) rt->views[rt->view_count++] = v;
  return v;
}

static dse_range range_of(int32_t lo, int32_t hi, int32_t limit, int32_t step, int32_t loop) {
  dse_range x;
  x.lo = lo;
  x.hi = hi;
  x.limit = limit;
  x.step = step;
  x.loop = loop;
  return x;
}

dse_range dse_read_range(dse_runtime* rt, dse_reader* r) {
  const uint32_t tag = dse_read_u8(r);
  dse_range x = range_of(0, 0, 0, 0, -1);
  if (tag < DSE_RANGE_SMALL) {
    if (tag >= (uint32_t)rt->range_count)
      r->bad = 1;
    else
      x = rt->ranges[tag];
    return x;
  }
  if (tag < DSE_RANGE_WHOLE) return range_of(0, (int32_t)tag - DSE_RANGE_SMALL, (int32_t)tag - DSE_RANGE_SMALL, 0, -1);
  if (tag == DSE_RANGE_WHOLE) {
    const int32_t n = (int32_t)dse_read_size(r);
    x = range_of(0, n, n, 0, -1);
  } else if (tag >= DSE_RANGE_TILES && tag < DSE_RANGE_TILES + 32) {
    const uint32_t step = dse_read_varint(r), limit = dse_read_size(r), ahead = tag & 7u;
    if (step >= 1u << 24)
      r->bad = 1;
    else
      x = range_of((int32_t)(ahead * step), (int32_t)((ahead + 1) * step), (int32_t)limit, (int32_t)step,
                   (int32_t)(tag >> 3 & 3u));
  } else if (tag >= DSE_RANGE_GENERAL && tag <= DSE_RANGE_GENERAL + DSE_MAX_LOOPS) {
    x.loop = (int32_t)(tag - DSE_RANGE_GENERAL) - 1;
    x.lo = dse_read_svarint(r);
    x.hi = add_wrapping(x.lo, dse_read_svarint(r));
    x.limit = (int32_t)dse_read_size(r);
    x.step = dse_read_svarint(r);
  } else {
    r->bad = 1;
  }
  if (x.limit > DSE_FAR) r->bad = 1; /* sums of coordinate times stride stay within 63 bits */
  if (!r->bad && rt->range_count < DSE_TABLE) rt->ranges[rt->range_count++] = x;
  return x;
}

static int32_t clamp(int64_t v, int32_t limit) { return v < 0 ? 0 : v > limit ? limit : (int32_t)v; }

dse_span dse_range_at(const dse_range* x, const int32_t* loops) {
  const int64_t shift = x->loop < 0 ? 0 : (int64_t)x->step * loops[x->loop];
  dse_span s;
  s.lo = clamp(x->lo + shift, x->limit);
  s.hi = clamp(x->hi + shift, x->limit);
  if (s.hi < s.lo) s.hi = s.lo;
  return s;
}

/* A field of an operator, as a word of dse_op; what it is unless its bit is set: the value of another, or a constant.
 */
typedef struct field {
  uint8_t word, from;
  int16_t value;
} field;
enum { CONSTANT = 0xff };
#define WORD(name) (uint8_t)(offsetof(dse_op, name) / sizeof(int32_t))
#define AS(name, other) \
  { WORD(name), WORD(other), 0 }
#define IS(name, value) \
  { WORD(name), CONSTANT, value }
static const field first_fields[] = {IS(rounding, DSE_ROUND_TFLITE),
                                     IS(in_h, 0),
                                     AS(in_w, in_h),
                                     IS(in_c, 0),
                                     AS(out_h, in_h),
                                     AS(out_w, out_h),
                                     AS(out_c, in_c),
                                     IS(kernel_h, 1),
                                     AS(kernel_w, kernel_h),
                                     IS(stride_h, 1),
                                     AS(stride_w, stride_h),
                                     IS(dilation_h, 1),
                                     AS(dilation_w, dilation_h),
                                     IS(pad_top, 0),
                                     AS(pad_left, pad_top),
                                     IS(multiplier, 1),
                                     IS(in_zero, -128),
                                     IS(in2_zero, 0),
                                     IS(out_zero, -128),
                                     IS(act_min, -128),
                                     IS(act_max, 127),
                                     IS(left_shift, 0),
                                     IS(m1, 0),
                                     IS(s1, 0),
                                     IS(m2, 0),
                                     IS(s2, 0),
                                     IS(m3, 0),
                                     IS(s3, 0)};
static const field further_fields[] = {IS(in_type, DSE_I8),     AS(in2_type, in_type), AS(out_type, in_type),
                                       IS(weight_type, DSE_I8), IS(acc_bytes, 0),      IS(groups, 0),
                                       IS(weights_zero, 0),     IS(correction, 0)};
enum { FIRST = sizeof first_fields / sizeof(field), FURTHER = sizeof further_fields / sizeof(field) };

static void read_fields(dse_reader* r, dse_op* o, const field* fields, uint32_t count, uint32_t mask) {
  uint8_t* words = (uint8_t*)o;
  uint32_t i;
  for (i = 0; i < count; ++i) {
    int32_t v = fields[i].value;
    if (mask >> i & 1u)
      v = dse_read_svarint(r);
    else if (fields[i].from != CONSTANT)
      memcpy(&v, words + fields[i].from * sizeof v, sizeof v);
    memcpy(words + fields[i].word * sizeof v, &v, sizeof v);
  }
}

/* Bounds of the words from in_h to pad_left, in the order of dse_op. */
int dse_operator_is_sane(const dse_op* o) {
  const int32_t big = DSE_COORDINATE_MAX, taps = DSE_TAPS_MAX;
  const uint8_t* words = (const uint8_t*)o;
  uint32_t i;
  int32_t v;
  for (i = WORD(in_h); i <= WORD(pad_left); ++i) {
    memcpy(&v, words + i * sizeof v, sizeof v);
    if (!within(v, i < WORD(pad_top) ? 0 : -big, i < WORD(kernel_h) || i >= WORD(pad_top) ? big : taps)) return 0;
  }
  return within(o->kind, DSE_CONV_2D, DSE_OP_KINDS - 1) && within(o->rounding, 0, DSE_ROUND_QFORMAT) &&
         (o->kind != DSE_DEPTHWISE_CONV_2D || within(o->multiplier, 1, big)) &&
         (o->kind != DSE_ADD || within(o->left_shift, 0, 30)) && within(o->s1, -31, 31) && within(o->s2, -31, 30) &&
         within(o->s3, -31, 30) && dse_op_is_sane(o);
}

int dse_read_operator(const dse_runtime* rt, uint32_t index, dse_op* o) {
  dse_reader r;
  uint32_t mask, more, i, args;
  if (index >= rt->operator_count) return DSE_ERR_MALFORMED;
  r.bytes = rt->plan;
  r.at = rt->operators;
  r.end = rt->end;
  r.bad = 0;
  for (i = 0; i < index; ++i) dse_read_skip(&r, dse_read_varint(&r));
  i = dse_read_varint(&r);
  if (r.bad || i > r.end - r.at) return DSE_ERR_MALFORMED;
  r.end = r.at + i;
  o->kind = (int32_t)dse_read_u8(&r);
  mask = dse_read_varint(&r);
  read_fields(&r, o, first_fields, FIRST, mask);
  more = mask >> FIRST & 1u ? dse_read_varint(&r) : 0;
  read_fields(&r, o, further_fields, FURTHER, more);
  i = more >> FURTHER & 1u ? dse_read_varint(&r) : 0;
  if (i > DSE_ARGS) r.bad = 1;
  for (args = 0; args < DSE_ARGS; ++args) o->arg[args] = !r.bad && args < i ? dse_read_svarint(&r) : 0;
  if (r.bad || mask >> (FIRST + 1) || more >> (FURTHER + 1) || r.at != r.end || !dse_operator_is_sane(o))
    return DSE_ERR_MALFORMED;
  return DSE_OK;
}

int dse_load_operator(dse_runtime* rt, uint32_t index) {
  int status;
  if (rt->op_index == index) return DSE_OK;
  status = dse_read_operator(rt, index, &rt->op);
  rt->op_index = status == DSE_OK ? index : 0xffffffffu;
  return status;
}

/* CRC-32C (Castagnoli, reflected), four bits at a time: a table of bytes would cost more flash than it saves time. */
uint32_t dse_crc32c(uint32_t crc, const uint8_t* data, uint32_t size) {
  static const uint32_t nibbles[16] = {0x00000000u, 0x105ec76fu, 0x20bd8edeu, 0x30e349b1u, 0x417b1dbcu, 0x5125dad3u,
                                       0x61c69362u, 0x7198540du, 0x82f63b78u, 0x92a8fc17u, 0xa24bb5a6u, 0xb21572c9u,
                                       0xc38d26c4u, 0xd3d3e1abu, 0xe330a81au, 0xf36e6f75u};
  uint32_t i;
  crc = ~crc;
  for (i = 0; i < size; ++i) {
    crc ^= data[i];
    crc = crc >> 4 ^ nibbles[crc & 15u];
    crc = crc >> 4 ^ nibbles[crc & 15u];
  }
  return ~crc;
}
