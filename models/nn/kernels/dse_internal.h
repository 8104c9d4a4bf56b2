/* One function per family of operators; dse_run_call() dispatches to them after it has checked that every operand is
 * there.
 */
#ifndef DSE_INTERNAL_H
#define DSE_INTERNAL_H
#include "dse_kernels.h"

/* In the flags of a tile, between kernels alone: the other flags count for depthwise convolutions too, whose sums are
 * left in DSE_ACC without DSE_LAST. */
enum { DSE_SUMS = 4 };

void dse_conv(const dse_call* call); /* CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV, MATMUL */
void dse_depthwise(const dse_call* call);
void dse_average_pool(const dse_call* call);
void dse_max_pool(const dse_call* call);
void dse_binary(const dse_call* call); /* ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, SQUARED_DIFFERENCE, PRELU */
void dse_unary(const dse_call* call);  /* REQUANTIZE, LOOKUP, LOGISTIC, TANH, HARD_SWISH, LEAKY_RELU, ABS */
void dse_softmax(const dse_call* call);
void dse_log_softmax(const dse_call* call);
void dse_l2_normalization(const dse_call* call);
void dse_copy(const dse_call* call);
void dse_gather(const dse_call* call);
void dse_pad(const dse_call* call);         /* PAD and MIRROR_PAD */
void dse_reduce(const dse_call* call);      /* MEAN, REDUCE_MAX, REDUCE_MIN */
void dse_arg_extreme(const dse_call* call); /* ARG_MAX, ARG_MIN */
void dse_resize(const dse_call* call);
dse_span dse_resize_span(const dse_op* op, int32_t axis, dse_span out); /* input rows (0), columns (1) of a resize */
void dse_im2row(const dse_call* call);                                  /* IM2ROW, IM2ROW_BY_ROW */
void dse_winograd(const dse_call* call);
void dse_transposed(const dse_call* call); /* ZERO_INSERTION, SUB_PIXEL */
void dse_separable(const dse_call* call);
void dse_in_batches(const dse_call* call);  /* dse_batches.h */
void dse_compensated(const dse_call* call); /* products of operands with factors (dse_factors.h) */
void dse_normalize(const dse_call* call);
void dse_circulant(const dse_call* call); /* dse_circulant.h */
void dse_svdf(const dse_call* call);
void dse_lstm(const dse_call* call);

#endif
