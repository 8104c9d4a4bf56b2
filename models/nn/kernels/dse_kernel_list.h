/* Which function computes which kind of operator, and which technique: what tables of kernels are made of, the one of
 * all kernels and those of packages. ROW(number, function). */
#ifndef DSE_KERNEL_LIST_H
#define DSE_KERNEL_LIST_H

/* clang-format off */
#define DSE_KERNELS_BY_KIND(ROW) \
  ROW(DSE_CONV_2D, dse_conv) \
  ROW(DSE_FULLY_CONNECTED, dse_conv) \
  ROW(DSE_TRANSPOSE_CONV, dse_conv) \
  ROW(DSE_MATMUL, dse_conv) \
  ROW(DSE_DEPTHWISE_CONV_2D, dse_depthwise) \
  ROW(DSE_ADD, dse_binary) \
  ROW(DSE_SUB, dse_binary) \
  ROW(DSE_MUL, dse_binary) \
  ROW(DSE_DIV, dse_binary) \
  ROW(DSE_MAXIMUM, dse_binary) \
  ROW(DSE_MINIMUM, dse_binary) \
  ROW(DSE_SQUARED_DIFFERENCE, dse_binary) \
  ROW(DSE_PRELU, dse_binary) \
  ROW(DSE_REQUANTIZE, dse_unary) \
  ROW(DSE_LOOKUP, dse_unary) \
  ROW(DSE_LOGISTIC, dse_unary) \
  ROW(DSE_TANH, dse_unary) \
  ROW(DSE_HARD_SWISH, dse_unary) \
  ROW(DSE_LEAKY_RELU, dse_unary) \
  ROW(DSE_ABS, dse_unary) \
  ROW(DSE_AVERAGE_POOL_2D, dse_average_pool) \
  ROW(DSE_MAX_POOL_2D, dse_max_pool) \
  ROW(DSE_SOFTMAX, dse_softmax) \
  ROW(DSE_LOG_SOFTMAX, dse_log_softmax) \
  ROW(DSE_L2_NORMALIZATION, dse_l2_normalization) \
  ROW(DSE_COPY, dse_copy) \
  ROW(DSE_GATHER, dse_gather) \
  ROW(DSE_PAD, dse_pad) \
  ROW(DSE_MIRROR_PAD, dse_pad) \
  ROW(DSE_MEAN, dse_reduce) \
  ROW(DSE_REDUCE_MAX, dse_reduce) \
  ROW(DSE_REDUCE_MIN, dse_reduce) \
  ROW(DSE_ARG_MAX, dse_arg_extreme) \
  ROW(DSE_ARG_MIN, dse_arg_extreme) \
  ROW(DSE_RESIZE_BILINEAR, dse_resize) \
  ROW(DSE_RESIZE_NEAREST_NEIGHBOR, dse_resize) \
  ROW(DSE_SVDF, dse_svdf) \
  ROW(DSE_LSTM, dse_lstm) \
  ROW(DSE_NORMALIZE, dse_normalize) \
  ROW(DSE_CIRCULANT, dse_circulant)

#define DSE_KERNELS_BY_TECHNIQUE(ROW) \
  ROW(DSE_IM2ROW, dse_im2row) \
  ROW(DSE_IM2ROW_BY_ROW, dse_im2row) \
  ROW(DSE_WINOGRAD, dse_winograd) \
  ROW(DSE_ZERO_INSERTION, dse_transposed) \
  ROW(DSE_SUB_PIXEL, dse_transposed) \
  ROW(DSE_SEPARABLE, dse_separable)
/* clang-format on */

#endif
