/* The one definition of each operator's arithmetic, on tiles. C99, no heap, no globals, no libc beyond memcpy/memset.
 * The simulator, the interpreter and the exported firmware all run these same kernels.
 *
 * Coordinates are always those of the whole tensor: (y, x, c) = (row, column, channel). A view says where such an
 * element lies; a tile says which part of the operator is to be computed. So a kernel needs no knowledge of tiling or
 * of rings. */
#ifndef DSE_KERNELS_H
#define DSE_KERNELS_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Address of element (y, x, c):
 *   base + slot(y) * stride_h + x * stride_w + channel(slotc) where
 *   slot(y)  = ring_h ? (y - first_h) mod ring_h : y - first_h
 *   slotc    = ring_c ? (c - first_c) mod ring_c : c - first_c
 *   channel(k) = block_c ? (k / block_c) * stride_block + (k % block_c) * stride_c : k * stride_c
 * All strides are in bytes. For a ring, y - first_h >= 0 always holds. Weights use h = output channel, w = filter tap
 * (ky * kernel_w + kx), c = input channel; per-channel quantisation parameters use h = output channel. */
typedef struct dse_view {
  uint8_t* base;
  int32_t stride_h, stride_w, stride_c;
  int32_t first_h, first_c;
  int32_t ring_h, ring_c;        /* rows / channels held; 0 = not a ring */
  int32_t block_c, stride_block; /* channel bricks (NPU layouts); block_c 0 = none */
  int32_t elem;                  /* bytes per element */
} dse_view;

/* Half-open range. */
typedef struct dse_span {
  int32_t lo, hi;
} dse_span;

/* Which part of an operator to compute: output rows, columns and channels, and for operators that accumulate over input
 * channels (convolution, fully connected) the input channels k of this step. */
typedef struct dse_tile {
  dse_span y, x, c, k;
  uint32_t flags;
} dse_tile;
enum {
  DSE_FIRST = 1u, /* accumulation starts here: the accumulator view (if any) is written, not read */
  DSE_LAST = 2u   /* accumulation ends here: add bias, requantise, write OUT */
};
/* FIRST|LAST together: no accumulator view is touched. Operators that do not accumulate over input channels (all but
 * convolution and fully connected) ignore the flags and k: each call completes its outputs. SOFTMAX reads all channels.
 */

enum dse_op_kind {
  DSE_CONV_2D = 1,
  DSE_DEPTHWISE_CONV_2D = 2,
  DSE_FULLY_CONNECTED = 3, /* computed as a 1x1 convolution over an image of `batch` rows, 1 column, IC channels */
  DSE_ADD = 4,             /* a broadcast operand has a view with stride 0 in the dimensions that it lacks */
  DSE_AVERAGE_POOL_2D = 5,
  DSE_MAX_POOL_2D = 6,
  DSE_SOFTMAX = 7,
  DSE_COPY =
      8 /* OUT = IN0, byte for byte (a RESHAPE that is not aliased); both views in the coordinates of the output */
};
enum dse_rounding { DSE_ROUND_TFLITE = 0, DSE_ROUND_SINGLE = 1 };

/* Parameters of one operator, independent of any tile. Not every field is used by every kind. */
typedef struct dse_op {
  int32_t kind;     /* enum dse_op_kind */
  int32_t rounding; /* enum dse_rounding */
  int32_t in_h, in_w, in_c;
  int32_t out_h, out_w, out_c;
  int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
  int32_t multiplier; /* depthwise channel multiplier: out channel = in channel * multiplier + m */
  int32_t in_zero, in2_zero, out_zero;
  int32_t act_min, act_max;
  /* ADD: left shift and three (multiplier, shift) pairs (tflite_kernels 2.4). SOFTMAX: m1 = input multiplier,
   * s1 = input left shift, left_shift = diff_min (2.8). */
  int32_t left_shift, m1, s1, m2, s2, m3, s3;
} dse_op;

/* Operands of a call, by role. */
enum dse_role {
  DSE_IN0 = 0,
  DSE_IN1 = 1,
  DSE_OUT = 2,
  DSE_WEIGHTS = 3, /* int8: h = output channel, w = tap, c = input channel (depthwise: c = 0 only) */
  DSE_QPARAMS =
      4,       /* h = output channel; 12 bytes at c = 0: int32 bias, int32 multiplier, int32 shift (little endian) */
  DSE_ACC = 5, /* int32 partial sums, coordinates of the output */
  DSE_SCRATCH = 6,
  DSE_ROLES = 7
};

typedef struct dse_call {
  const dse_op* op;
  dse_tile tile;
  dse_view view[DSE_ROLES]; /* base == 0: absent */
} dse_call;

/* Runs one call. Returns 0, or -1 for an unknown kind or an absent operand. Never reads or writes outside the boxes
 * that dse_operand_box() names. */
int dse_run(const dse_call* call);

/* The box of coordinates that a call reads (or, for OUT and ACC, writes) of the operand `role`. Empty spans: not
 * touched. */
typedef struct dse_box {
  dse_span h, w, c;
  int32_t touched;
} dse_box;
dse_box dse_operand_box(const dse_op* op, const dse_tile* tile, enum dse_role role);

/* Bytes of scratch the call needs (0 for all but SOFTMAX variants that want some). */
int32_t dse_scratch_bytes(const dse_op* op, const dse_tile* tile);

/* Pointer to element (y, x, c). */
static inline uint8_t* dse_at(const dse_view* v, int32_t y, int32_t x, int32_t c) {
  int32_t row = y - v->first_h, ch = c - v->first_c;
  if (v->ring_h) row %= v->ring_h;
  if (v->ring_c) ch %= v->ring_c;
  int32_t off = v->block_c ? (ch / v->block_c) * v->stride_block + (ch % v->block_c) * v->stride_c : ch * v->stride_c;
  return v->base + (int64_t)row * v->stride_h + (int64_t)x * v->stride_w + off;
}

#ifdef __cplusplus
}
#endif
#endif
