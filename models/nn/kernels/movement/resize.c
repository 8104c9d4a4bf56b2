/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR, channel by channel (dse_resize.h). */
#include "dse_elements.h"
#include "dse_internal.h"
#include "dse_resize.h"

static int64_t mix(const uint8_t* row, const dse_view* in, dse_resize_pair x) {
  const int64_t a = (int8_t)row[(int64_t)x.lo * in->stride_w], b = (int8_t)row[(int64_t)x.hi * in->stride_w];
  return a * (1024 - x.weight) + b * x.weight;
}

static void bilinear_pixel(const dse_call* call, int32_t y, int32_t x) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const dse_resize_pair py = dse_resize_between(op, 0, y, op->in_h), px = dse_resize_between(op, 1, x, op->in_w);
  const uint8_t* upper = dse_row(in, py.lo);
  const uint8_t* lower = dse_row(in, py.hi);
  uint8_t* po = dse_row(out, y) + (int64_t)x * out->stride_w;
  int32_t c;
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const int64_t channel = dse_channel_offset(in, c), half = INT64_C(1) << 19;
    const int64_t v = mix(upper + channel, in, px) * (1024 - py.weight) + mix(lower + channel, in, px) * py.weight;
    const int64_t r = op->rounding == DSE_ROUND_SINGLE ? (v + half) >> 20 : (v > 0 ? v + half : v - half) / (2 * half);
    po[dse_channel_offset(out, c)] = (uint8_t)r;
  }
}

/* One of the four products of the reference: an input times what is left of the way in rows and in columns. */
static float part(const uint8_t* row, const dse_view* in, int32_t x, float by_row, float by_column) {
  return dse_rounded_product(dse_rounded_product((float)row[(int64_t)x * in->stride_w], by_row), by_column);
}

static void bilinear_pixel_of_bytes(const dse_call* call, int32_t y, int32_t x) {
  const dse_op* op = call->op;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  const dse_resize_reals py = dse_resize_between_reals(op, 0, y, op->in_h);
  const dse_resize_reals px = dse_resize_between_reals(op, 1, x, op->in_w);
  const uint8_t* upper = dse_row(in, py.lo);
  const uint8_t* lower = dse_row(in, py.hi);
  const float up = 1.0f - py.weight, left = 1.0f - px.weight;
  uint8_t* po = dse_row(out, y) + (int64_t)x * out->stride_w;
  int32_t c;
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const int64_t channel = dse_channel_offset(in, c);
    float sum = part(upper + channel, in, px.lo, up, left);
    sum += part(lower + channel, in, px.lo, py.weight, left);
    sum += part(upper + channel, in, px.hi, up, px.weight);
    sum += part(lower + channel, in, px.hi, py.weight, px.weight);
    po[dse_channel_offset(out, c)] = (uint8_t)(sum >= 256.0f ? 255 : sum > 0.0f ? (int32_t)sum : 0);
  }
}

void dse_resize(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const dse_view* in = &call->view[DSE_IN0];
  const dse_view* out = &call->view[DSE_OUT];
  int32_t y, x, c;
  for (y = t->y.lo; y < t->y.hi; ++y) {
    for (x = t->x.lo; x < t->x.hi; ++x) {
      if (op->kind == DSE_RESIZE_BILINEAR && op->in_type == DSE_U8) {
        bilinear_pixel_of_bytes(call, y, x);
      } else if (op->kind == DSE_RESIZE_BILINEAR) {
        bilinear_pixel(call, y, x);
      } else {
        const uint8_t* pi = dse_row(in, dse_resize_nearest(op, 0, y, op->in_h)) +
                            (int64_t)dse_resize_nearest(op, 1, x, op->in_w) * in->stride_w;
        uint8_t* po = dse_row(out, y) + (int64_t)x * out->stride_w;
        for (c = t->c.lo; c < t->c.hi; ++c)
          dse_move_element(po + dse_channel_offset(out, c), pi + dse_channel_offset(in, c), out->elem);
      }
    }
  }
}
