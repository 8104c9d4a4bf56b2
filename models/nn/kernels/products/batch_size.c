/* How many outputs a batch has, and the scratch of its sums (dse_batches.h). */
#include "dse_addressing.h"
#include "dse_batches.h"

/* Extents of damaged files stay within 64 bits. */
static int64_t extent(int32_t n) { return dse_max(0, dse_min(n, 1 << 20)); }

int64_t dse_batch_outputs(const dse_op* op, const dse_tile* tile) {
  const uint32_t whole = DSE_FIRST | DSE_LAST;
  const int64_t batches = dse_batches_of(op), n = dse_outputs_of(tile);
  const int64_t all = extent(op->out_h) * extent(op->out_w) * extent(op->out_c);
  int64_t each;
  if (batches <= 0 || (op->kind != DSE_DEPTHWISE_CONV_2D && (tile->flags & whole) != whole)) return 0;
  each = all / batches + (all % batches != 0);
  return n < each ? n : each;
}

int32_t dse_batch_scratch(const dse_op* op, const dse_tile* tile) {
  const int64_t outputs = dse_batch_outputs(op, tile);
  const int64_t buffers = op->arg[DSE_ARG_BATCH_BUFFERS] == 2 && outputs < dse_outputs_of(tile) ? 2 : 1;
  const int64_t each = buffers * dse_role_bytes(op, DSE_ACC);
  return outputs > INT32_MAX / each ? INT32_MAX : (int32_t)(outputs * each);
}
