/* SOFTMAX from int16 to int16 by two tables of 513 entries each: LUT[0..512] = exp over [-10, 0], LUT[513..1025] =
 * 1 / (1 + x) over [0, 1], both in 2^-15. (m1, s1) brings differences to steps of 10 / 65535. */
#include "dse_addressing.h"
#include "dse_elements.h"
#include "dse_elementwise.h"
#include "dse_fixedpoint.h"

enum { ENTRIES = 513 };

static int32_t value(const dse_call* call, const uint8_t* pixel, int32_t c) {
  return dse_element(pixel + dse_channel_offset(&call->view[DSE_IN0], c), DSE_I16);
}

/* Entry of the table that starts at `first`, linearly interpolated; v is an int16. */
static int32_t interpolated(const dse_view* table, int32_t first, int32_t v) {
  const int32_t k = first + 256 + (v >> 7);
  const int32_t at = dse_element(dse_at(table, 0, 0, k), DSE_I16);
  const int32_t next = dse_element(dse_at(table, 0, 0, k + 1), DSE_I16);
  return (int16_t)(at + (((int16_t)(next - at) * (v & 127) + 64) >> 7));
}

static int32_t exponential(const dse_call* call, int32_t difference) {
  const dse_op* op = call->op;
  const int64_t scaled = dse_requantize(difference, op->m1, dse_min(op->s1, 30), op->rounding);
  return interpolated(&call->view[DSE_LUT], 0, dse_clamp(scaled + 32767, -32768, 32767));
}

void dse_softmax16_pixel(const dse_call* call, const uint8_t* in, uint8_t* out, int32_t max) {
  int32_t c, sum = 0, headroom, normalised, reciprocal, shift;
  for (c = 0; c < call->op->in_c; ++c) sum = dse_wrap_add(sum, exponential(call, value(call, in, c) - max));
  /* sum = 2^(31 - headroom) * (1 + f): the table has 1 / (1 + f). A sum below 1 has only a damaged table. */
  headroom = dse_max(1, dse_min(dse_clz32((uint32_t)sum), 30));
  normalised = (int32_t)((((uint32_t)sum << (headroom - 1)) + (UINT32_C(1) << 13)) >> 14);
  reciprocal = interpolated(&call->view[DSE_LUT], ENTRIES,
                            dse_clamp((int64_t)normalised - ((INT32_C(1) << 15) + (INT32_C(1) << 16)), -32768, 32767));
  shift = 31 - headroom;
  for (c = call->tile.c.lo; c < call->tile.c.hi; ++c) {
    const int64_t e = exponential(call, value(call, in, c) - max);
    const int32_t v = dse_clamp((e * reciprocal + (INT64_C(1) << (shift - 1))) >> shift, 0, 32767);
    dse_put_element(out + dse_channel_offset(&call->view[DSE_OUT], c), DSE_I16, v);
  }
}
