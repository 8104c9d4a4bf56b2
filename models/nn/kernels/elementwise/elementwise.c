/* The loops over a tile that all element-wise kernels share. */
#include "dse_addressing.h"
#include "dse_elementwise.h"

void dse_load_values(const uint8_t* from, int32_t stride, int32_t type, int32_t n, int32_t* to) {
  int32_t i;
  switch (type) {
    case DSE_I8:
      for (i = 0; i < n; ++i) to[i] = (int8_t)from[(int64_t)i * stride];
      break;
    case DSE_U8:
      for (i = 0; i < n; ++i) to[i] = from[(int64_t)i * stride];
      break;
    case DSE_I16:
      for (i = 0; i < n; ++i) {
        int16_t v;
        memcpy(&v, from + (int64_t)i * stride, sizeof v);
        to[i] = v;
      }
      break;
    default:
      for (i = 0; i < n; ++i) to[i] = dse_load32(from + (int64_t)i * stride);
  }
}

void dse_store_values(const int32_t* from, int32_t n, uint8_t* to, int32_t stride, int32_t type) {
  int32_t i;
  switch (type) {
    case DSE_I8:
    case DSE_U8:
      for (i = 0; i < n; ++i) to[(int64_t)i * stride] = (uint8_t)from[i];
      break;
    case DSE_I16:
      for (i = 0; i < n; ++i) {
        const uint16_t v = (uint16_t)from[i];
        memcpy(to + (int64_t)i * stride, &v, sizeof v);
      }
      break;
    default:
      for (i = 0; i < n; ++i) dse_store32(to + (int64_t)i * stride, from[i]);
  }
}

/* The channels of one pixel follow those of the pixel before at the distance of channels: a row is one run. */
static int rows_are_runs(const dse_view* v, int32_t channels) {
  return !v->ring_c && !v->block_c && (int64_t)v->stride_c * channels == v->stride_w;
}

/* n elements from the given places on. */
static void run(const dse_call* call, dse_element_function* f, const uint8_t* a, const uint8_t* b, uint8_t* o,
                int32_t n) {
  const dse_op* op = call->op;
  const dse_view* va = &call->view[DSE_IN0];
  const dse_view* vb = &call->view[DSE_IN1];
  const dse_view* vo = &call->view[DSE_OUT];
  int32_t x[DSE_PIECE], y[DSE_PIECE], z[DSE_PIECE];
  while (n > 0) {
    const int32_t piece = dse_min(n, DSE_PIECE);
    dse_load_values(a, va->stride_c, op->in_type, piece, x);
    if (b) dse_load_values(b, vb->stride_c, op->in2_type, piece, y);
    f(call, x, b ? y : 0, z, piece);
    dse_store_values(z, piece, o, vo->stride_c, op->out_type);
    a += (int64_t)piece * va->stride_c;
    if (b) b += (int64_t)piece * vb->stride_c;
    o += (int64_t)piece * vo->stride_c;
    n -= piece;
  }
}

void dse_element_wise(const dse_call* call, dse_element_function* f) {
  const dse_tile* t = &call->tile;
  const dse_view* va = &call->view[DSE_IN0];
  const dse_view* vb = &call->view[DSE_IN1];
  const dse_view* vo = &call->view[DSE_OUT];
  const int two = dse_operand_box(call->op, t, DSE_IN1).touched;
  const int32_t channels = t->c.hi - t->c.lo, columns = t->x.hi - t->x.lo;
  const int whole = rows_are_runs(va, channels) && rows_are_runs(vo, channels) && (!two || rows_are_runs(vb, channels));
  const int32_t pixels = whole ? 1 : columns;
  int32_t y, x, c, n;
  for (y = t->y.lo; y < t->y.hi; ++y) {
    for (c = t->c.lo; c < t->c.hi; c += n) {
      const uint8_t* a = dse_row(va, y) + dse_channel_offset(va, c) + (int64_t)t->x.lo * va->stride_w;
      const uint8_t* b = two ? dse_row(vb, y) + dse_channel_offset(vb, c) + (int64_t)t->x.lo * vb->stride_w : 0;
      uint8_t* o = dse_row(vo, y) + dse_channel_offset(vo, c) + (int64_t)t->x.lo * vo->stride_w;
      n = dse_min(dse_channel_run(va, c, t->c.hi), dse_channel_run(vo, c, t->c.hi));
      if (two) n = dse_min(n, dse_channel_run(vb, c, t->c.hi));
      for (x = 0; x < pixels; ++x) {
        run(call, f, a, b, o, whole ? channels * columns : n);
        a += va->stride_w;
        if (two) b += vb->stride_w;
        o += vo->stride_w;
      }
    }
  }
}
