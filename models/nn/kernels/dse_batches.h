/* Output batches: an engine whose sums of products stand in memory computes the N outputs of a layer in M batches. The
 * sums of a batch, at most ceil(N / M) of them and as wide as accumulators are, stand in scratch; then they are
 * rescaled into outputs, and the next batch takes their place. So scratch is traded for batches, and every M gives the
 * same outputs. M need not divide N. (The branch-order source, US 12,547,870.) */
#ifndef DSE_BATCHES_H
#define DSE_BATCHES_H
#include "dse_kernels.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Of the kinds that sum products: entries of dse_op::arg. */
enum {
  DSE_ARG_BATCHES = DSE_ARGS - 8,      /* M; 0: sums stand in registers, and there is no scratch */
  DSE_ARG_BATCH_BUFFERS = DSE_ARGS - 9 /* 2: a batch is summed while the one before is rescaled; else 1 */
};

/* Whether operators of this kind make their outputs of sums of products that may stand in memory: CONV_2D,
 * DEPTHWISE_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV, MATMUL. */
static inline int dse_sums_products(int32_t kind) {
  return kind == DSE_CONV_2D || kind == DSE_DEPTHWISE_CONV_2D || kind == DSE_FULLY_CONNECTED ||
         kind == DSE_TRANSPOSE_CONV || kind == DSE_MATMUL;
}

/* M of an operator; 0 where its sums stand in registers, or where it sums no products. */
static inline int32_t dse_batches_of(const dse_op* op) {
  return dse_sums_products(op->kind) ? op->arg[DSE_ARG_BATCHES] : 0;
}

/* Outputs of a call. */
static inline int64_t dse_outputs_of(const dse_tile* t) {
  return t->y.lo < t->y.hi && t->x.lo < t->x.hi && t->c.lo < t->c.hi
             ? ((int64_t)t->y.hi - t->y.lo) * ((int64_t)t->x.hi - t->x.lo) * ((int64_t)t->c.hi - t->c.lo)
             : 0;
}

/* Outputs of a full batch of the call: ceil(N / M), N all outputs of the operator, or all of the call where these are
 * fewer. Only the last batch of a call may be smaller. 0 where sums stand in registers, or in DSE_ACC because the call
 * is a step of several. */
int64_t dse_batch_outputs(const dse_op* op, const dse_tile* tile);

/* Bytes of the sums that stand in scratch at once; the largest int32 where it is more. */
int32_t dse_batch_scratch(const dse_op* op, const dse_tile* tile);

#ifdef __cplusplus
}
#endif
#endif
