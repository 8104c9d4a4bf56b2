#include "dse_decode.h"

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

int dse_operator_is_sane(const dse_op* o) {
  const int32_t big = DSE_COORDINATE_MAX, taps = DSE_TAPS_MAX;
  return within(o->kind, DSE_CONV_2D, DSE_OP_KINDS - 1) && within(o->rounding, 0, DSE_ROUND_QFORMAT) &&
         within(o->in_h, 0, big) && within(o->in_w, 0, big) && within(o->in_c, 0, big) && within(o->out_h, 0, big) &&
         within(o->out_w, 0, big) && within(o->out_c, 0, big) && within(o->kernel_h, 0, taps) &&
         within(o->kernel_w, 0, taps) && within(o->stride_h, 0, taps) && within(o->stride_w, 0, taps) &&
         within(o->dilation_h, 0, taps) && within(o->dilation_w, 0, taps) && within(o->pad_top, -big, big) &&
         within(o->pad_left, -big, big) && (o->kind != DSE_DEPTHWISE_CONV_2D || within(o->multiplier, 1, big)) &&
         (o->kind != DSE_ADD || within(o->left_shift, 0, 30)) && within(o->s1, -31, 31) && within(o->s2, -31, 30) &&
         within(o->s3, -31, 30) && dse_op_is_sane(o);
}

/* One field: as predicted, or read. */
static void field(dse_reader* r, uint32_t mask, int bit, int32_t* out, int32_t predicted) {
  *out = mask >> bit & 1u ? dse_read_svarint(r) : predicted;
}

int dse_load_operator(dse_runtime* rt, uint32_t index) {
  dse_op* o = &rt->op;
  dse_reader r;
  uint32_t mask, more, i, args;
  if (rt->op_index == index) return DSE_OK;
  if (index >= rt->operator_count) return DSE_ERR_MALFORMED;
  r.bytes = rt->plan;
  r.at = rt->operators;
  r.end = rt->end;
  r.bad = 0;
  for (i = 0; i < index; ++i) dse_read_skip(&r, dse_read_varint(&r));
  i = dse_read_varint(&r);
  if (r.bad || i > r.end - r.at) return DSE_ERR_MALFORMED;
  r.end = r.at + i;
  rt->op_index = 0xffffffffu;
  o->kind = (int32_t)dse_read_u8(&r);
  mask = dse_read_varint(&r);
  field(&r, mask, 0, &o->rounding, DSE_ROUND_TFLITE);
  field(&r, mask, 1, &o->in_h, 0);
  field(&r, mask, 2, &o->in_w, o->in_h);
  field(&r, mask, 3, &o->in_c, 0);
  field(&r, mask, 4, &o->out_h, o->in_h);
  field(&r, mask, 5, &o->out_w, o->out_h);
  field(&r, mask, 6, &o->out_c, o->in_c);
  field(&r, mask, 7, &o->kernel_h, 1);
  field(&r, mask, 8, &o->kernel_w, o->kernel_h);
  field(&r, mask, 9, &o->stride_h, 1);
  field(&r, mask, 10, &o->stride_w, o->stride_h);
  field(&r, mask, 11, &o->dilation_h, 1);
  field(&r, mask, 12, &o->dilation_w, o->dilation_h);
  field(&r, mask, 13, &o->pad_top, 0);
  field(&r, mask, 14, &o->pad_left, o->pad_top);
  field(&r, mask, 15, &o->multiplier, 1);
  field(&r, mask, 16, &o->in_zero, -128);
  field(&r, mask, 17, &o->in2_zero, 0);
  field(&r, mask, 18, &o->out_zero, -128);
  field(&r, mask, 19, &o->act_min, -128);
  field(&r, mask, 20, &o->act_max, 127);
  field(&r, mask, 21, &o->left_shift, 0);
  field(&r, mask, 22, &o->m1, 0);
  field(&r, mask, 23, &o->s1, 0);
  field(&r, mask, 24, &o->m2, 0);
  field(&r, mask, 25, &o->s2, 0);
  field(&r, mask, 26, &o->m3, 0);
  field(&r, mask, 27, &o->s3, 0);
  more = mask >> 28 & 1u ? dse_read_varint(&r) : 0;
  field(&r, more, 0, &o->in_type, DSE_I8);
  field(&r, more, 1, &o->in2_type, o->in_type);
  field(&r, more, 2, &o->out_type, o->in_type);
  field(&r, more, 3, &o->weight_type, DSE_I8);
  field(&r, more, 4, &o->acc_bytes, 0);
  field(&r, more, 5, &o->groups, 0);
  field(&r, more, 6, &o->weights_zero, 0);
  field(&r, more, 7, &o->correction, 0);
  i = more >> 8 & 1u ? dse_read_varint(&r) : 0;
  if (i > DSE_ARGS) r.bad = 1;
  for (args = 0; args < DSE_ARGS; ++args) o->arg[args] = !r.bad && args < i ? dse_read_svarint(&r) : 0;
  if (r.bad || mask >> 29 || more >> 9 || r.at != r.end || !dse_operator_is_sane(o)) return DSE_ERR_MALFORMED;
  rt->op_index = index;
  return DSE_OK;
}

/* CRC-32 as Ethernet and zlib compute it, bit by bit: plans are small and a table would cost flash. */
uint32_t dse_crc32(const uint8_t* data, uint32_t size) {
  uint32_t crc = 0xffffffffu, i;
  int bit;
  for (i = 0; i < size; ++i) {
    crc ^= data[i];
    for (bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1u ? 0xedb88320u : 0u);
  }
  return ~crc;
}
