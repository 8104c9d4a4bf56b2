/* Pools, sums, products and softmax, over contiguous tensors. */
#include <string.h>

#include "arm_nnfunctions.h"
#include "plain.h"

int32_t arm_avgpool_s8_get_buffer_size(const int output_width, const int channels) {
  (void)output_width;
  return 4 * channels;
}

static void pool(const cmsis_nn_pool_params* p, const cmsis_nn_dims* id, const int8_t* input, const cmsis_nn_dims* fd,
                 const cmsis_nn_dims* od, int8_t* output, int averages) {
  int32_t y, x, c, i, j;
  for (y = 0; y < od->h; ++y)
    for (x = 0; x < od->w; ++x)
      for (c = 0; c < id->c; ++c) {
        int32_t sum = 0, count = 0, most = -128, v;
        for (i = 0; i < fd->h; ++i)
          for (j = 0; j < fd->w; ++j) {
            const int32_t r = y * p->stride.h - p->padding.h + i, s = x * p->stride.w - p->padding.w + j;
            if (r < 0 || s < 0 || r >= id->h || s >= id->w) continue;
            v = input[(r * id->w + s) * id->c + c];
            sum += v, ++count, most = v > most ? v : most;
          }
        v = !averages ? most : sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
        output[(y * od->w + x) * od->c + c] = plain_output(v, 0, p->activation);
      }
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context* ctx, const cmsis_nn_pool_params* p, const cmsis_nn_dims* id,
                                   const int8_t* input, const cmsis_nn_dims* fd, const cmsis_nn_dims* od,
                                   int8_t* output) {
  if (!ctx->buf || ctx->size < 4 * id->c) return ARM_CMSIS_NN_ARG_ERROR;
  memset(ctx->buf, 0x5a, 4 * (size_t)id->c);
  pool(p, id, input, fd, od, output, 1);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context* ctx, const cmsis_nn_pool_params* p, const cmsis_nn_dims* id,
                                    const int8_t* input, const cmsis_nn_dims* fd, const cmsis_nn_dims* od,
                                    int8_t* output) {
  (void)ctx;
  pool(p, id, input, fd, od, output, 0);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t* a, const int8_t* b, const int32_t offset1, const int32_t m1,
                                           const int32_t s1, const int32_t offset2, const int32_t m2, const int32_t s2,
                                           const int32_t left_shift, int8_t* output, const int32_t out_offset,
                                           const int32_t m3, const int32_t s3, const int32_t act_min,
                                           const int32_t act_max, const int32_t count) {
  const cmsis_nn_activation activation = {act_min, act_max};
  int32_t i;
  for (i = 0; i < count; ++i) {
    const int32_t v = plain_requantise((a[i] + offset1) * (1 << left_shift), m1, s1);
    const int32_t w = plain_requantise((b[i] + offset2) * (1 << left_shift), m2, s2);
    output[i] = plain_output(plain_requantise(plain_add(v, w), m3, s3), out_offset, activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t* a, const int8_t* b, const int32_t offset1,
                                           const int32_t offset2, int8_t* output, const int32_t out_offset,
                                           const int32_t m, const int32_t s, const int32_t act_min,
                                           const int32_t act_max, const int32_t count) {
  const cmsis_nn_activation activation = {act_min, act_max};
  int32_t i;
  for (i = 0; i < count; ++i)
    output[i] = plain_output(plain_requantise((a[i] + offset1) * (b[i] + offset2), m, s), out_offset, activation);
  return ARM_CMSIS_NN_SUCCESS;
}

/* x in Q0, shifted left by n with its sign kept at the limits. */
static int32_t saturated(int64_t v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v; }

/* exp(x) of x in [-1/4, 0) in Q0, by four terms around -1/8. */
static int32_t near_zero(int32_t x) {
  const int32_t a = plain_add(x, 1 << 28), a2 = plain_high_product(a, a), a3 = plain_high_product(a2, a);
  const int32_t a4 = plain_divide(plain_high_product(a2, a2), 2);
  const int32_t rest = plain_divide(plain_high_product(plain_add(a4, a3), 715827883) + a2, 1);
  return 1895147668 + plain_high_product(1895147668, plain_add(a, rest));
}

/* exp(x) of x <= 0 in Q5. Result in Q0. */
static int32_t exponential(int32_t x) {
  static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int32_t quarter = 1 << 24, rest = plain_add(x & (quarter - 1), -quarter);
  int32_t out = near_zero(saturated((int64_t)rest * 32)), remainder = plain_add(rest, (int32_t)(0u - (uint32_t)x)), k;
  for (k = 0; k < 7; ++k)
    if (remainder & (quarter << k)) out = plain_high_product(out, factors[k]);
  return x == 0 ? INT32_MAX : out;
}

/* 1 / (1 + x) of x in [0, 1) in Q0, by three steps of Newton. */
static int32_t reciprocal(int32_t x) {
  const int64_t sum = (int64_t)x + INT32_MAX;
  const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  int32_t v = plain_add(1515870810, plain_high_product(half, -1010580540)), i;
  for (i = 0; i < 3; ++i)
    v = plain_add(v, saturated((int64_t)plain_high_product(v, plain_add(1 << 29, -plain_high_product(half, v))) * 4));
  return saturated((int64_t)v * 2);
}

void arm_softmax_s8(const int8_t* input, const int32_t rows, const int32_t row_size, const int32_t multiplier,
                    const int32_t shift, const int32_t diff_min, int8_t* output) {
  const cmsis_nn_activation all = {-128, 127};
  int32_t row, i;
  for (row = 0; row < rows; ++row, input += row_size, output += row_size) {
    int32_t most = -128, sum = 0, headroom = 0, scale;
    for (i = 0; i < row_size; ++i) most = input[i] > most ? input[i] : most;
    for (i = 0; i < row_size; ++i)
      if (input[i] - most >= diff_min)
        sum += plain_divide(exponential(plain_requantise(input[i] - most, multiplier, shift)), 12);
    while (headroom < 31 && !((uint32_t)sum << headroom & 0x80000000u)) ++headroom;
    scale = reciprocal((int32_t)(((uint32_t)sum << headroom) - 0x80000000u));
    for (i = 0; i < row_size; ++i) {
      const int32_t d = input[i] - most;
      const int32_t v =
          d < diff_min ? 0
                       : plain_divide(plain_high_product(scale, exponential(plain_requantise(d, multiplier, shift))),
                                      12 - headroom + 23);
      output[i] = plain_output(v, -128, all);
    }
  }
}
