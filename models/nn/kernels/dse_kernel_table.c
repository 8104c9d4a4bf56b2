/* Which function computes which kind of operator. A package has a table of its own, of those that it needs. */
#include <string.h>

#include "dse_batches.h"
#include "dse_factors.h"
#include "dse_internal.h"
#include "dse_technique.h"

/* What stands for an operator that nobody can compute. */
static void black_box(const dse_call* call) {
  const dse_tile* t = &call->tile;
  if (call->op->arg[2]) return;
  memset(dse_at(&call->view[DSE_OUT], 0, 0, t->c.lo), call->op->arg[0], (size_t)(t->c.hi - t->c.lo));
}

const dse_kernel_set dse_kernels = {{[DSE_CONV_2D] = dse_conv,
                                     [DSE_FULLY_CONNECTED] = dse_conv,
                                     [DSE_TRANSPOSE_CONV] = dse_conv,
                                     [DSE_MATMUL] = dse_conv,
                                     [DSE_DEPTHWISE_CONV_2D] = dse_depthwise,
                                     [DSE_ADD] = dse_binary,
                                     [DSE_SUB] = dse_binary,
                                     [DSE_MUL] = dse_binary,
                                     [DSE_DIV] = dse_binary,
                                     [DSE_MAXIMUM] = dse_binary,
                                     [DSE_MINIMUM] = dse_binary,
                                     [DSE_SQUARED_DIFFERENCE] = dse_binary,
                                     [DSE_PRELU] = dse_binary,
                                     [DSE_REQUANTIZE] = dse_unary,
                                     [DSE_LOOKUP] = dse_unary,
                                     [DSE_LOGISTIC] = dse_unary,
                                     [DSE_TANH] = dse_unary,
                                     [DSE_HARD_SWISH] = dse_unary,
                                     [DSE_LEAKY_RELU] = dse_unary,
                                     [DSE_ABS] = dse_unary,
                                     [DSE_AVERAGE_POOL_2D] = dse_average_pool,
                                     [DSE_MAX_POOL_2D] = dse_max_pool,
                                     [DSE_SOFTMAX] = dse_softmax,
                                     [DSE_LOG_SOFTMAX] = dse_log_softmax,
                                     [DSE_L2_NORMALIZATION] = dse_l2_normalization,
                                     [DSE_COPY] = dse_copy,
                                     [DSE_GATHER] = dse_gather,
                                     [DSE_PAD] = dse_pad,
                                     [DSE_MIRROR_PAD] = dse_pad,
                                     [DSE_MEAN] = dse_reduce,
                                     [DSE_REDUCE_MAX] = dse_reduce,
                                     [DSE_REDUCE_MIN] = dse_reduce,
                                     [DSE_ARG_MAX] = dse_arg_extreme,
                                     [DSE_ARG_MIN] = dse_arg_extreme,
                                     [DSE_RESIZE_BILINEAR] = dse_resize,
                                     [DSE_RESIZE_NEAREST_NEIGHBOR] = dse_resize,
                                     [DSE_SVDF] = dse_svdf,
                                     [DSE_LSTM] = dse_lstm,
                                     [DSE_NORMALIZE] = dse_normalize,
                                     [DSE_BLACK_BOX] = black_box},
                                    dse_in_batches,
                                    dse_compensated,
                                    {[DSE_IM2ROW] = dse_im2row,
                                     [DSE_IM2ROW_BY_ROW] = dse_im2row,
                                     [DSE_WINOGRAD] = dse_winograd,
                                     [DSE_ZERO_INSERTION] = dse_transposed,
                                     [DSE_SUB_PIXEL] = dse_transposed,
                                     [DSE_SEPARABLE] = dse_separable}};
