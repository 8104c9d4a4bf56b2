/* Elements of any type, and walks over the coordinates of flat operands (see "flat kinds" in dse_kernels.h). */
#ifndef DSE_ELEMENTS_H
#define DSE_ELEMENTS_H
#include "dse_addressing.h"

/* Value of an integer element of at most 32 bits. */
static inline int32_t dse_element(const uint8_t* p, int32_t type) {
  int16_t v;
  switch (type) {
    case DSE_I8:
      return (int8_t)*p;
    case DSE_U8:
      return *p;
    case DSE_I16:
      memcpy(&v, p, sizeof v);
      return v;
    default:
      return dse_load32(p);
  }
}

/* Stores the low bits of v. */
static inline void dse_put_element(uint8_t* p, int32_t type, int32_t v) {
  const int16_t h = (int16_t)v;
  switch (type) {
    case DSE_I8:
    case DSE_U8:
      *p = (uint8_t)v;
      return;
    case DSE_I16:
      memcpy(p, &h, sizeof h);
      return;
    default:
      dse_store32(p, v);
  }
}

/* Moves one element of 1, 2, 4 or 8 bytes. */
static inline void dse_move_element(uint8_t* to, const uint8_t* from, int32_t bytes) {
  switch (bytes) {
    case 2:
      memcpy(to, from, 2);
      return;
    case 4:
      memcpy(to, from, 4);
      return;
    case 8:
      memcpy(to, from, 8);
      return;
    default:
      *to = *from;
  }
}

/* Element `c` of a flat operand. */
static inline uint8_t* dse_flat_at(const dse_view* v, int32_t c) { return dse_row(v, 0) + dse_channel_offset(v, c); }

/* The first `n` elements from c on lie one behind the other. */
static inline int dse_flat_dense(const dse_view* v, int32_t c, int32_t n) {
  return v->stride_c == v->elem && dse_channel_run(v, c, c + n) == n;
}

/* bias + the sum of n int8 weights, flat, from `first` on, times (values - zero); the int8 values are channels of
 * `pixel`, from first_value on. Wraps. */
static inline int32_t dse_weighted_sum(const dse_view* weights, int32_t first, const dse_view* values,
                                       const uint8_t* pixel, int32_t first_value, int32_t n, int32_t zero,
                                       int32_t bias) {
  uint32_t sum = (uint32_t)bias;
  int32_t k;
  /* Most of the time both lie one behind the other. A sum of 2^15 products fits in 32 bits. */
  if (n <= 32768 && dse_flat_dense(weights, first, n) && dse_flat_dense(values, first_value, n)) {
    const int8_t* w = (const int8_t*)dse_flat_at(weights, first);
    const int8_t* v = (const int8_t*)pixel + dse_channel_offset(values, first_value);
    int32_t dense = 0;
    for (k = 0; k < n; ++k) dense += w[k] * (v[k] - zero);
    return (int32_t)(sum + (uint32_t)dense);
  }
  for (k = 0; k < n; ++k) {
    const int32_t w = (int8_t)*dse_flat_at(weights, first + k);
    const int32_t v = (int8_t)pixel[dse_channel_offset(values, first_value + k)];
    sum += (uint32_t)(w * (v - zero));
  }
  return (int32_t)sum;
}

/* Coordinates of a row-major index in up to DSE_FLAT_RANK dimensions. */
#define DSE_FLAT_RANK 6
static inline void dse_coordinates(int32_t index, const int32_t* extent, int32_t rank, int32_t* at) {
  int32_t d;
  for (d = rank - 1; d >= 0; --d) {
    at[d] = index % extent[d];
    index /= extent[d];
  }
}

/* Goes to the next row of the last dimension: its coordinate becomes 0, the others count on. */
static inline void dse_next_row(const int32_t* extent, int32_t rank, int32_t* at) {
  int32_t d = rank - 1;
  at[d] = 0;
  while (--d >= 0) {
    if (++at[d] < extent[d]) return;
    at[d] = 0;
  }
}

#endif
