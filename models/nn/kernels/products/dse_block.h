/* A block of pixels by filters as conv.c computes it, and the products of its patches and filters. */
#ifndef DSE_BLOCK_H
#define DSE_BLOCK_H
#include "dse_addressing.h"
#include "dse_fixedpoint.h"
#include "dse_internal.h"

enum {
  /* At most 2^15 * 2^8 per product: a piece's sum fits in 32 bits. (Products of int16 by int16 are summed in 64.) */
  PIECE = 160,
  PATCHES = 8 * PIECE, /* elements of patches held: 8 long ones or more short ones */
  PIXELS = 64,         /* at most */
  SUMS = 256,          /* pixels times filters of a block */
  WIDE_SUMS = 64,      /* the same of 64-bit sums */
  SHORT = 32,          /* elements of a window row, at most, for its patches to be gathered from a strip */
  STRIP = 256          /* elements of an input row that are widened at once */
};

typedef struct block {
  int32_t pixels, room; /* held, at most held: a multiple of 4 */
  int32_t filters, c;   /* held, the first */
  int32_t small;        /* no sum of this call is larger; 0 = not known */
  int32_t turned;       /* eight_lanes() is used: patches are held twice */
  int32_t centre;       /* of the range of the inputs less their zero point, if they have 8 bits */
  int32_t piece, pitch; /* elements of a patch summed at a time; their distance, a multiple of 8 */
  int32_t y[PIXELS], x[PIXELS];
  int32_t part[SUMS]; /* [filter][room]; 64-bit sums: of one piece */
  union {
    int16_t done[SUMS];     /* outputs, [filter][room] */
    int64_t sum[WIDE_SUMS]; /* 64-bit sums */
  } u;
  int16_t patch[PATCHES]; /* [pixel][pitch] */
  int16_t filter[2][PIECE];
} block;

static int32_t plus(int32_t a, int32_t b) { return dse_wrap_add(a, b); }

/* Four patches by two filters. */
static void dot_4x2(const int16_t* x0, int32_t pitch, const int16_t* w0, const int16_t* w1, int32_t n, int32_t* sum0,
                    int32_t* sum1) {
  const int16_t *x1 = x0 + pitch, *x2 = x1 + pitch, *x3 = x2 + pitch;
  int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0, i;
  for (i = 0; i < n; ++i) {
    a0 += x0[i] * w0[i];
    a1 += x1[i] * w0[i];
    a2 += x2[i] * w0[i];
    a3 += x3[i] * w0[i];
    b0 += x0[i] * w1[i];
    b1 += x1[i] * w1[i];
    b2 += x2[i] * w1[i];
    b3 += x3[i] * w1[i];
  }
  sum0[0] = plus(sum0[0], a0);
  sum0[1] = plus(sum0[1], a1);
  sum0[2] = plus(sum0[2], a2);
  sum0[3] = plus(sum0[3], a3);
  sum1[0] = plus(sum1[0], b0);
  sum1[1] = plus(sum1[1], b1);
  sum1[2] = plus(sum1[2], b2);
  sum1[3] = plus(sum1[3], b3);
}

static void dot_1x2(const int16_t* x, const int16_t* w0, const int16_t* w1, int32_t n, int32_t* sum0, int32_t* sum1) {
  int32_t a = 0, b = 0, i;
  for (i = 0; i < n; ++i) {
    a += x[i] * w0[i];
    b += x[i] * w1[i];
  }
  *sum0 = plus(*sum0, a);
  *sum1 = plus(*sum1, b);
}

static int64_t dot_wide(const int16_t* x, const int16_t* w, int32_t n) {
  int64_t sum = 0;
  int32_t i;
  for (i = 0; i < n; ++i) sum += (int32_t)x[i] * w[i];
  return sum;
}

/* Whether eight_lanes() may multiply by the filter: two products with values of 8 bits must fit in 16 bits together. */
static int fits_pairs(const int16_t* w) {
  int32_t k;
  for (k = 0; k < 8; k += 2)
    if (dse_max(w[k], -w[k]) + dse_max(w[k + 1], -w[k + 1]) > 255) return 0;
  return 1;
}

/* Products of patches of 8 elements, turned over by turn_over(), for n pixels: sums of so few are cheaper made in as
 * many lanes as there are pixels than added up across lanes. */
static void eight_lanes(const int16_t* restrict x, int32_t centre, const int16_t* w, int32_t* restrict sum, int32_t n) {
  int16_t lanes[8][8];
  int32_t i, k, offset = 0;
  for (k = 0; k < 8; ++k) {
    offset += centre * w[k];
    for (i = 0; i < 8; ++i) lanes[k][i] = w[k];
  }
  for (; n > 0; n -= 8, x += 8, sum += 8)
    for (i = 0; i < 8; ++i) {
      int32_t a = offset;
      for (k = 0; k < 8; k += 2)
        a += (int16_t)(x[k * PIXELS + i] * lanes[k][i] + x[(k + 1) * PIXELS + i] * lanes[k + 1][i]);
      sum[i] = a;
    }
}

/* [pixel][8] to [element][pixel], behind it, less the centre of the range: values of 8 bits again. */
static void turn_over(block* b) {
  const int16_t* restrict src = b->patch;
  int16_t* restrict dst = b->patch + 8 * PIXELS;
  const int16_t centre = (int16_t)b->centre;
  int32_t p, k;
  for (p = 0; p < PIXELS; ++p)
    for (k = 0; k < 8; ++k) dst[k * PIXELS + p] = (int16_t)(src[p * 8 + k] - centre);
}

/* One piece of all patches of the block by the filters f and f + 1; n is a multiple of 8. */
static void multiply(block* b, int32_t f, int32_t n, int wide) {
  const int16_t *w0 = b->filter[0], *w1 = b->filter[1];
  const int32_t at = f * b->room;
  int32_t p = 0;
  if (wide) {
    for (p = 0; p < b->pixels; ++p) {
      b->u.sum[at + p] += dot_wide(b->patch + p * b->pitch, w0, n);
      b->u.sum[at + b->room + p] += dot_wide(b->patch + p * b->pitch, w1, n);
    }
    return;
  }
  if (b->turned && fits_pairs(w0) && fits_pairs(w1)) {
    eight_lanes(b->patch + 8 * PIXELS, b->centre, w0, &b->part[at], b->pixels);
    eight_lanes(b->patch + 8 * PIXELS, b->centre, w1, &b->part[at + b->room], b->pixels);
    return;
  }
  for (; p + 2 < b->pixels; p += 4)
    dot_4x2(b->patch + p * b->pitch, b->pitch, w0, w1, n, &b->part[at + p], &b->part[at + b->room + p]);
  for (; p < b->pixels; ++p) dot_1x2(b->patch + p * b->pitch, w0, w1, n, &b->part[at + p], &b->part[at + b->room + p]);
}

#endif
