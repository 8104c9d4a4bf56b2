/* Fixed point as TensorFlow Lite's reference kernels have it: docs/how/arithmetic.md. */
#ifndef PLAIN_H
#define PLAIN_H
#include "arm_nnfunctions.h"

static inline int32_t plain_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

/* a * b / 2^31 to nearest, ties upwards; of two -2^31, 2^31 - 1. */
static inline int32_t plain_high_product(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  return (int32_t)((product + (product >= 0 ? (INT64_C(1) << 30) : 1 - (INT64_C(1) << 30))) / (INT64_C(1) << 31));
}

/* v / 2^n to nearest, ties away from zero. */
static inline int32_t plain_divide(int32_t v, int32_t n) {
  const int64_t half = n > 0 ? INT64_C(1) << (n - 1) : 0;
  return (int32_t)(v >= 0 ? (v + half) >> n : -((-(int64_t)v + half) >> n));
}

static inline int32_t plain_requantise(int32_t v, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
  return plain_divide(plain_high_product((int32_t)((uint32_t)v << left), multiplier), right);
}

static inline int8_t plain_output(int32_t v, int32_t offset, cmsis_nn_activation a) {
  v = plain_add(v, offset);
  return (int8_t)(v < a.min ? a.min : v > a.max ? a.max : v);
}

#endif
