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

/* What records may hold lets shifts and divisions be defined; bytes that are no records are cut to that. */
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
  if (op->rounding == DSE_ROUND_QFORMAT) {
    q.multiplier = dse_max(q.multiplier, 1);
    q.shift = dse_max(-31, dse_min(q.shift, 46));
  } else {
    q.shift = dse_max(-31, dse_min(q.shift, op->acc_bytes == 8 ? 14 : 30));
  }
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
  if (op->rounding == DSE_ROUND_TFLITE && q->shift < 0) {
    /* dse_requantize() in 32-bit lanes without branches. Sums are offset by 2^31, so that one unsigned product does for
     * both signs: it is too large by 2^31 * m, which is m after the shift. Ties of the second rounding go away from
     * zero because negative numbers are lowered by 1 before they are rounded upwards; that is exact in two shifts. */
    const uint32_t bias = (uint32_t)(int32_t)q->bias + UINT32_C(0x80000000), m = (uint32_t)q->multiplier;
    const int32_t right = -q->shift - 1, zero = op->out_zero;
    const int32_t low = op->act_min - zero, high = op->act_max - zero;
    for (i = 0; i < n; ++i) {
      const uint32_t x = (uint32_t)v[i] + bias;
      const int32_t r = (int32_t)((uint32_t)(((uint64_t)x * m + (UINT64_C(1) << 30)) >> 31) - m);
      const int32_t rounded = (((r + (r >> 31)) >> right) + 1) >> 1;
      const int32_t cut = rounded < low ? low : rounded;
      v[i] = (cut > high ? high : cut) + zero;
    }
    return;
  }
  for (i = 0; i < n; ++i) v[i] = dse_finish(op, q, v[i]);
}

/* Whether dse_finish_short() may finish sums of at most `most` in magnitude: before they are clamped, the requantised
 * values must fit in 16 bits, with some room to round. */
static inline int dse_fits_short(const dse_op* op, const dse_record* q, int64_t most) {
  const int64_t largest = most + (q->bias < 0 ? -q->bias : q->bias);
  if (op->rounding != DSE_ROUND_TFLITE || q->shift >= 0 || q->shift < -31 || op->out_type == DSE_I16) return 0;
  return largest <= DSE_INT32_MAX && largest <= INT64_C(1) << (14 - q->shift);
}

/* dse_finish_many() for such sums, clamped in 16-bit lanes; for operators with outputs of 8 bits. */
static inline void dse_finish_short(const dse_op* op, const dse_record* q, const int32_t* v, int16_t* to, int32_t n) {
  const uint32_t bias = (uint32_t)(int32_t)q->bias + UINT32_C(0x80000000), m = (uint32_t)q->multiplier;
  const int32_t right = -q->shift - 1;
  const int16_t zero = (int16_t)op->out_zero;
  const int16_t low = (int16_t)(op->act_min - zero), high = (int16_t)(op->act_max - zero);
  int32_t i;
  for (i = 0; i < n; ++i) { /* see dse_finish_many() */
    const uint32_t x = (uint32_t)v[i] + bias;
    const int32_t r = (int32_t)((uint32_t)(((uint64_t)x * m + (UINT64_C(1) << 30)) >> 31) - m);
    const int16_t rounded = (int16_t)((((r + (r >> 31)) >> right) + 1) >> 1);
    const int16_t cut = rounded < low ? low : rounded;
    to[i] = (int16_t)((cut > high ? high : cut) + zero);
  }
}

#endif
