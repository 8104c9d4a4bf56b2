/* From accumulators to outputs: bias, requantisation in every rounding mode, clamping, storing. */
#ifndef DSE_FINISH_H
#define DSE_FINISH_H
#include "dse_elements.h"
#include "dse_fixedpoint.h"

/* A record of QPARAMS. Q formats: multiplier = correction factor, shift = binary digits to the right. */
typedef struct dse_record {
  int64_t bias;
  int32_t multiplier, shift;
} dse_record;

static inline dse_record dse_load_record(const dse_op* op, const dse_view* v, int32_t c) {
  const uint8_t* p = dse_row(v, c) + dse_channel_offset(v, 0);
  dse_record q;
  if (op->acc_bytes == 8) {
    memcpy(&q.bias, p, 8);
    p += 8;
  } else {
    q.bias = dse_load32(p);
    p += 4;
  }
  q.multiplier = dse_load32(p);
  q.shift = dse_load32(p + 4);
  return q;
}

/* The output's value of a complete sum. 32-bit accumulators wrap. */
static inline int32_t dse_finish(const dse_op* op, const dse_record* q, int64_t sum) {
  int64_t v;
  sum = (int64_t)((uint64_t)sum + (uint64_t)q->bias);
  if (op->acc_bytes != 8) sum = (int32_t)sum;
  if (op->rounding == DSE_ROUND_QFORMAT) {
    const int32_t half = op->out_type == DSE_I16 ? 1 << 15 : 1 << 7; /* Q formats are signed */
    v = dse_store_qformat(sum, q->multiplier, q->shift, op->correction, -half, half - 1);
  } else if (op->acc_bytes == 8) {
    v = dse_requantize_wide(sum, q->multiplier, q->shift);
  } else {
    v = dse_requantize((int32_t)sum, q->multiplier, q->shift, op->rounding);
  }
  return dse_clamp(v + op->out_zero, op->act_min, op->act_max);
}

/* The same of n complete 32-bit sums of one channel, in place. */
static inline void dse_finish_many(const dse_op* op, const dse_record* q, int32_t* v, int32_t n) {
  int32_t i;
  if (op->rounding ==
      DSE_ROUND_TFLITE) { /* dse_requantize() without branches, in 32-bit lanes; the multiplier is >= 0 */
    const uint32_t bias = (uint32_t)(int32_t)q->bias, m = (uint32_t)q->multiplier;
    const int32_t left = q->shift > 0 ? q->shift : 0, right = q->shift > 0 ? 0 : -q->shift;
    const int32_t mask = (int32_t)((UINT32_C(1) << right) - 1), half = mask >> 1;
    const int32_t zero = op->out_zero, low = op->act_min - zero, high = op->act_max - zero;
    for (i = 0; i < n; ++i) {
      const uint32_t x = ((uint32_t)v[i] + bias) << left;
      const uint32_t negative = (uint32_t)((int32_t)x >> 31);
      const uint32_t high_part = (uint32_t)(((uint64_t)x * m + (UINT64_C(1) << 30)) >> 31);
      const int32_t r = (int32_t)(high_part - (negative & (2 * m)));
      const int32_t rounded = (r >> right) + ((r & mask) > half + (r < 0) ? 1 : 0);
      const int32_t cut = rounded < low ? low : rounded;
      v[i] = (cut > high ? high : cut) + zero;
    }
    return;
  }
  for (i = 0; i < n; ++i) v[i] = dse_finish(op, q, v[i]);
}

#endif
