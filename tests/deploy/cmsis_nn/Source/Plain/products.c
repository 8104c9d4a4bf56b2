/* Convolutions, depthwise convolutions and products with matrices, over contiguous tensors. Buffers are as large as the
 * library's DSP build has them, and are written over, so that a buffer that is too small is found. */
#include <string.h>

#include "arm_nnfunctions.h"
#include "plain.h"

static int use_buffer(const cmsis_nn_context* ctx, int32_t bytes) {
  if (bytes == 0) return 1;
  if (!ctx->buf || ctx->size < bytes) return 0;
  memset(ctx->buf, 0x5a, (size_t)bytes);
  return 1;
}

static int inside(int32_t v, int32_t n) { return v >= 0 && v < n; }

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params* params, const cmsis_nn_dims* input,
                                                const cmsis_nn_dims* filter, const cmsis_nn_dims* output) {
  const int32_t patch = (filter->h * filter->w * input->c + 3) / 4 * 4;
  (void)params, (void)output;
  return filter->h * filter->w == 1 ? 0 : 2 * patch * 2;
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context* ctx, const cmsis_nn_conv_params* p,
                                            const cmsis_nn_per_channel_quant_params* q, const cmsis_nn_dims* id,
                                            const int8_t* input, const cmsis_nn_dims* fd, const int8_t* filter,
                                            const cmsis_nn_dims* bd, const int32_t* bias, const cmsis_nn_dims* od,
                                            int8_t* output) {
  int32_t y, x, o, i, j, c;
  (void)bd;
  if (id->c != fd->c || fd->n != od->c) return ARM_CMSIS_NN_ARG_ERROR;
  if (!use_buffer(ctx, arm_convolve_wrapper_s8_get_buffer_size(p, id, fd, od))) return ARM_CMSIS_NN_ARG_ERROR;
  for (y = 0; y < od->h; ++y)
    for (x = 0; x < od->w; ++x)
      for (o = 0; o < od->c; ++o) {
        int32_t sum = bias[o];
        for (i = 0; i < fd->h; ++i)
          for (j = 0; j < fd->w; ++j) {
            const int32_t r = y * p->stride.h - p->padding.h + i * p->dilation.h;
            const int32_t s = x * p->stride.w - p->padding.w + j * p->dilation.w;
            if (!inside(r, id->h) || !inside(s, id->w)) continue;
            for (c = 0; c < id->c; ++c)
              sum = plain_add(sum, (input[(r * id->w + s) * id->c + c] + p->input_offset) *
                                       filter[((o * fd->h + i) * fd->w + j) * fd->c + c]);
          }
        output[(y * od->w + x) * od->c + o] =
            plain_output(plain_requantise(sum, q->multiplier[o], q->shift[o]), p->output_offset, p->activation);
      }
  return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params* params, const cmsis_nn_dims* input,
                                                      const cmsis_nn_dims* filter, const cmsis_nn_dims* output) {
  (void)params;
  return input->c == output->c ? 2 * input->c * filter->w * filter->h : 0;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context* ctx, const cmsis_nn_dw_conv_params* p,
                                                  const cmsis_nn_per_channel_quant_params* q, const cmsis_nn_dims* id,
                                                  const int8_t* input, const cmsis_nn_dims* fd, const int8_t* filter,
                                                  const cmsis_nn_dims* bd, const int32_t* bias, const cmsis_nn_dims* od,
                                                  int8_t* output) {
  int32_t y, x, o, i, j;
  (void)bd;
  if (id->c * p->ch_mult != od->c || fd->c != od->c) return ARM_CMSIS_NN_ARG_ERROR;
  if (!use_buffer(ctx, arm_depthwise_conv_wrapper_s8_get_buffer_size(p, id, fd, od))) return ARM_CMSIS_NN_ARG_ERROR;
  for (y = 0; y < od->h; ++y)
    for (x = 0; x < od->w; ++x)
      for (o = 0; o < od->c; ++o) {
        int32_t sum = bias[o];
        for (i = 0; i < fd->h; ++i)
          for (j = 0; j < fd->w; ++j) {
            const int32_t r = y * p->stride.h - p->padding.h + i * p->dilation.h;
            const int32_t s = x * p->stride.w - p->padding.w + j * p->dilation.w;
            if (inside(r, id->h) && inside(s, id->w))
              sum = plain_add(sum, (input[(r * id->w + s) * id->c + o / p->ch_mult] + p->input_offset) *
                                       filter[(i * fd->w + j) * fd->c + o]);
          }
        output[(y * od->w + x) * od->c + o] =
            plain_output(plain_requantise(sum, q->multiplier[o], q->shift[o]), p->output_offset, p->activation);
      }
  return ARM_CMSIS_NN_SUCCESS;
}

/* As with vectors: the sums of the filters are wanted in the buffer, and used. */
int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims* fd) { return 4 * fd->c; }

arm_cmsis_nn_status arm_vector_sum_s8(int32_t* sums, const int32_t columns, const int32_t rows, const int8_t* data,
                                      const int32_t lhs_offset, const int32_t rhs_offset, const int32_t* bias) {
  int32_t i, j;
  for (i = 0; i < rows; ++i) {
    int32_t sum = columns * rhs_offset;
    for (j = 0; j < columns; ++j) sum += data[i * columns + j];
    sums[i] = plain_add(bias[i], sum * lhs_offset);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context* ctx, const cmsis_nn_fc_params* p,
                                           const cmsis_nn_per_tensor_quant_params* q, const cmsis_nn_dims* id,
                                           const int8_t* input, const cmsis_nn_dims* fd, const int8_t* filter,
                                           const cmsis_nn_dims* bd, const int32_t* bias, const cmsis_nn_dims* od,
                                           int8_t* output) {
  const int32_t* sums = (const int32_t*)ctx->buf;
  int32_t n, o, i;
  (void)bd, (void)bias;
  if (!sums || ctx->size < 4 * od->c || fd->c != od->c) return ARM_CMSIS_NN_ARG_ERROR;
  for (n = 0; n < id->n; ++n)
    for (o = 0; o < od->c; ++o) {
      int32_t sum = sums[o];
      for (i = 0; i < fd->n; ++i)
        sum = plain_add(sum, input[n * fd->n + i] * (filter[o * fd->n + i] + p->filter_offset));
      output[n * od->c + o] =
          plain_output(plain_requantise(sum, q->multiplier, q->shift), p->output_offset, p->activation);
    }
  return ARM_CMSIS_NN_SUCCESS;
}
