/* Dynamic rescaling (block floating point): the outputs of a batch (dse_batches.h) are mantissas that share a factor,
 * a power of two that is found when the sums of the batch are known: the smallest by which all of them fit the output's
 * type. A tensor of such outputs comes with a tensor of factors, an entry of 32 bits per batch: the factor and where
 * the batch ends, in outputs from the tensor's first one, in the order (y, x, c). Where products of such a tensor are
 * summed, the sum of those of equal factor is shifted by it before it joins the others (compensation), and
 * DSE_NORMALIZE brings all mantissas to one factor. (The branch-order source, US 12,547,870.)
 *
 * An element is mantissa * 2^factor steps of the tensor's Q format. Factors are counted from that format, which fits
 * what calibration has seen, and have 4 bits: sums of compensated products need 15 bits more than others. Of CONV_2D,
 * DEPTHWISE_CONV_2D and FULLY_CONNECTED in mode qformat, correct-then-round. */
#ifndef DSE_FACTORS_H
#define DSE_FACTORS_H
#include "dse_kernels.h"
#ifdef __cplusplus
extern "C" {
#endif

enum {
  DSE_FACTOR_LEAST = -8, /* no batch loses digits for which the type of its outputs has room, down to 2^-8 */
  DSE_FACTOR_MOST = 7,   /* what is beyond 2^7 of the calibrated range is clamped */
  /* Compensated sums have this many more fraction bits, so have their biases, and their records' shifts are larger by
   * it: their accumulators have 64 bits. */
  DSE_FACTOR_DIGITS = 8
};

/* Entries of dse_op::arg. */
enum {
  DSE_ARG_IN_FACTORS = DSE_ARGS - 10,  /* entries of DSE_IN1, the factors of IN0; 0: IN0 has none */
  DSE_ARG_OUT_FACTORS = DSE_ARGS - 11, /* entries of DSE_FACTORS, one per batch; 0: outputs have none */
  DSE_ARG_LOW = DSE_ARGS - 12,         /* activation, in steps of factor 0; INT32_MIN, INT32_MAX: no limit */
  DSE_ARG_HIGH = DSE_ARGS - 13
};

/* Kinds that may read or make factors as sums of products. */
static inline int dse_takes_factors(int32_t kind) {
  return kind == DSE_CONV_2D || kind == DSE_DEPTHWISE_CONV_2D || kind == DSE_FULLY_CONNECTED;
}
/* Entries of the factors of IN0; 0: none. */
static inline int32_t dse_in_factors(const dse_op* op) {
  return dse_takes_factors(op->kind) || op->kind == DSE_NORMALIZE ? op->arg[DSE_ARG_IN_FACTORS] : 0;
}
/* Entries of the factors of OUT; 0: none. */
static inline int32_t dse_out_factors(const dse_op* op) {
  return dse_takes_factors(op->kind) || op->kind == DSE_NORMALIZE ? op->arg[DSE_ARG_OUT_FACTORS] : 0;
}

static inline int dse_has_factors(const dse_op* op) { return dse_in_factors(op) > 0 || dse_out_factors(op) > 0; }

/* An entry: its batch ends before element `end`, 0 to 2^27. */
static inline int32_t dse_factor_entry(int32_t end, int32_t factor) {
  return (int32_t)((uint32_t)end << 4 | (uint32_t)(factor - DSE_FACTOR_LEAST));
}
static inline int32_t dse_factor_of(int32_t entry) { return (entry & 15) + DSE_FACTOR_LEAST; }
static inline int32_t dse_factor_end(int32_t entry) { return (int32_t)((uint32_t)entry >> 4); }

#ifdef __cplusplus
}
#endif
#endif
