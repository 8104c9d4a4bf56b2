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

enum { DSE_FAR = 1 << 28 }; /* coordinates of views and ranges lie within it, so that none of their sums overflows */

/* Half-open range. */
typedef struct dse_span {
  int32_t lo, hi;
} dse_span;

/* Which part of an operator to compute: output rows, columns and channels, and for operators that accumulate over input
 * channels (convolution, fully connected, transposed convolution, matrix product) the input channels k of this step. */
typedef struct dse_tile {
  dse_span y, x, c, k;
  uint32_t flags;
} dse_tile;
enum {
  DSE_FIRST = 1u, /* accumulation starts here: the accumulator view (if any) is written, not read */
  DSE_LAST = 2u   /* accumulation ends here: add bias, requantise, write OUT */
};
/* FIRST|LAST together: no accumulator view is touched. Operators that do not accumulate over input channels (see
 * above) ignore the flags and k: each call completes its outputs. SOFTMAX reads all channels.
 */

enum dse_op_kind {
  DSE_CONV_2D = 1,
  DSE_DEPTHWISE_CONV_2D = 2,
  DSE_FULLY_CONNECTED = 3, /* computed as a 1x1 convolution over an image of `batch` rows, 1 column, IC channels */
  DSE_ADD = 4,             /* a broadcast operand has a view with stride 0 in the dimensions that it lacks */
  DSE_AVERAGE_POOL_2D = 5,
  DSE_MAX_POOL_2D = 6,
  DSE_SOFTMAX = 7,
  DSE_COPY = 8, /* OUT = IN0, element for element (RESHAPE that is not aliased, a part of CONCATENATION, SPLIT, PACK,
                   UNPACK, reads and writes of state); both views in the coordinates of the output */
  DSE_TRANSPOSE_CONV = 9,
  DSE_MATMUL = 10, /* OUT(y, c) = sum over k of IN0(y, k) * IN1(k, c): both operands are activations; transposed
                      operands are views with exchanged strides */
  DSE_SUB = 11,    /* element-wise with two operands, as ADD */
  DSE_MUL = 12,
  DSE_MAXIMUM = 13,
  DSE_MINIMUM = 14,
  DSE_SQUARED_DIFFERENCE = 15,
  DSE_DIV = 16,
  DSE_REQUANTIZE = 17, /* element-wise with one operand: from one type, scale and zero point to another (QUANTIZE,
                          DEQUANTIZE, RELU, RELU6, a part of a CONCATENATION of unequal scales) */
  DSE_LOOKUP = 18,     /* OUT = LUT[IN0 - type minimum]: 256 entries of the output's type */
  DSE_LOGISTIC = 19,
  DSE_TANH = 20,
  DSE_HARD_SWISH = 21,
  DSE_LEAKY_RELU = 22,
  DSE_PRELU = 23, /* IN1 = alpha, broadcast */
  DSE_ABS = 24,
  DSE_LOG_SOFTMAX = 25,      /* over the channels of each pixel */
  DSE_L2_NORMALIZATION = 26, /* over the channels of each pixel */
  DSE_MEAN = 27,             /* MEAN and SUM over any axes; flat, see DSE_FLAT */
  DSE_REDUCE_MAX = 28,
  DSE_REDUCE_MIN = 29,
  DSE_PAD = 30, /* flat */
  DSE_MIRROR_PAD = 31,
  DSE_GATHER = 32, /* OUT[i] = IN0[an affine function of i's coordinates]: TRANSPOSE, STRIDED_SLICE, SLICE; flat */
  DSE_RESIZE_BILINEAR = 33,
  DSE_RESIZE_NEAREST_NEIGHBOR = 34,
  DSE_SVDF = 35, /* computed whole; STATE0 = its memory */
  DSE_LSTM = 36, /* computed whole; STATE0 = hidden state, STATE1 = cell state */
  DSE_ARG_MAX = 37,
  DSE_ARG_MIN = 38,
  DSE_BLACK_BOX = 39, /* an operator that has a price and no arithmetic: it reads IN0 and IN1, and OUT is filled; flat,
                         of bytes, whatever the tensors hold; of plans and simulations alone, no target runs it */
  DSE_NORMALIZE = 40, /* OUT and IN0 are mantissas, IN1 the factors of IN0: all are brought to the largest of these,
                         which is the only entry of FACTORS (dse_factors.h); flat */
  DSE_CIRCULANT = 41, /* CONV_2D or FULLY_CONNECTED with block-circulant weights (dse_circulant.h) */
  DSE_OP_KINDS = 42
};
/* Flat kinds see IN0 and OUT as one row of one column: y = x = 0, c = the row-major index of the element. What the
 * index means (shape, strides, axes) is in dse_op::arg. Any range of c may be computed; their input box is the whole
 * input. BLACK_BOX: every byte of OUT is arg[0], IN1 has arg[1] bytes, arg[2]: there is no OUT. */

enum dse_rounding { DSE_ROUND_TFLITE = 0, DSE_ROUND_SINGLE = 1, DSE_ROUND_ONNX = 2, DSE_ROUND_QFORMAT = 3 };
/* Element types. */
enum dse_type { DSE_I8 = 0, DSE_U8 = 1, DSE_I16 = 2, DSE_I32 = 3, DSE_I64 = 4, DSE_F32 = 5 };
/* qformat: where the correction factor is multiplied in (docs/how/arithmetic.md). */
enum dse_correction { DSE_ROUND_THEN_CORRECT = 0, DSE_CORRECT_THEN_ROUND = 1 };

#define DSE_ARGS 24

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
   * s1 = input left shift, left_shift = diff_min (2.8). MATMUL, averages in mode onnx: m1, s1 of all channels. */
  int32_t left_shift, m1, s1, m2, s2, m3, s3;
  int32_t in_type, in2_type, out_type, weight_type; /* enum dse_type */
  int32_t acc_bytes;     /* 0 or 4: 32-bit accumulators and records of 12 bytes {int32 bias, multiplier, shift};
                            8: 64-bit accumulators and records of 16 bytes {int64 bias, int32 multiplier, int32 shift} */
  int32_t groups;        /* convolution: 0 or 1 = one; output channel c reads input group c / (out_c / groups) */
  int32_t weights_zero;  /* zero point of all weights (uint8; mode onnx) */
  int32_t correction;    /* qformat: enum dse_correction; the records' multipliers are the factors */
  int32_t arg[DSE_ARGS]; /* what only one kind needs: the file of that kind says what each one is */
} dse_op;

/* Entries of dse_op::arg that mean the same for every kind that has them; kinds number their own from 0. They size
 * operands and tell what a call costs; kernels need not read them. */
enum {
  DSE_ARG_WEIGHT_BYTES = DSE_ARGS - 1, /* SVDF, LSTM: bytes of DSE_WEIGHTS */
  DSE_ARG_LUT = DSE_ARGS - 1,          /* LOOKUP, SOFTMAX, LOG_SOFTMAX: elements of DSE_LUT, 0 = none */
  DSE_ARG_RECORDS = DSE_ARGS - 2,      /* SVDF, LSTM: records of DSE_QPARAMS */
  DSE_ARG_STATE0 = DSE_ARGS - 3,       /* elements of DSE_STATE0 and DSE_STATE1 */
  DSE_ARG_STATE1 = DSE_ARGS - 4,
  DSE_ARG_MACS = DSE_ARGS - 5,   /* SVDF, LSTM: multiply-accumulates of the call */
  DSE_ARG_CYCLES = DSE_ARG_MACS, /* BLACK_BOX: cycles that the call takes */
  DSE_ARG_STORE = DSE_ARGS - 6   /* qformat: DSE_STORE_ flags */
};
enum {
  DSE_STORE_SHIFTS = 1,  /* the output's format is not the accumulator's high half */
  DSE_STORE_CORRECTS = 2 /* a correction factor other than 1 */
};

/* Bytes of an element. */
static inline int32_t dse_type_bytes(int32_t type) {
  return type == DSE_I16 ? 2 : type == DSE_I32 || type == DSE_F32 ? 4 : type == DSE_I64 ? 8 : 1;
}

/* Bytes of a record of DSE_QPARAMS. */
static inline int32_t dse_record_bytes(const dse_op* op) {
  return op->acc_bytes == 8 && op->kind != DSE_SVDF && op->kind != DSE_LSTM ? 16 : 12;
}

/* Operands of a call, by role. */
enum dse_role {
  DSE_IN0 = 0,
  DSE_IN1 = 1,
  DSE_OUT = 2,
  DSE_WEIGHTS = 3, /* of weight_type: h = output channel, w = tap, c = input channel (depthwise: c = 0 only) */
  DSE_QPARAMS = 4, /* h = output channel; 12 or 16 bytes (see acc_bytes) at c = 0: bias, int32 multiplier, int32 shift
                      (little endian) */
  DSE_ACC = 5,     /* partial sums of acc_bytes each, coordinates of the output */
  DSE_SCRATCH = 6,
  DSE_LUT = 7,    /* constants of kinds that look values up */
  DSE_STATE0 = 8, /* read and written, kept between runs of the network */
  DSE_STATE1 = 9,
  DSE_FACTORS = 10, /* 32-bit entries of the factors that outputs share (dse_factors.h); written */
  DSE_ROLES = 11
};

typedef struct dse_call {
  const dse_op* op;
  dse_tile tile;
  dse_view view[DSE_ROLES]; /* base == 0: absent */
} dse_call;

#define DSE_MOST_TECHNIQUES 8

/* Computes a call that is in order. */
typedef void (*dse_kernel)(const dse_call* call);

/* The one table by which kernels are called: by kind, and those for outputs in batches, for inputs that have factors,
 * and for convolutions by a technique. Null: there is none. */
typedef struct dse_kernel_set {
  dse_kernel of[DSE_OP_KINDS];
  dse_kernel batches, factors;
  dse_kernel technique[DSE_MOST_TECHNIQUES]; /* by number (dse_technique.h) */
} dse_kernel_set;
extern const dse_kernel_set dse_kernels;

/* Runs one call. Returns 0, or -1 for a kind without a kernel or an absent operand. Never reads or writes outside the
 * boxes that dse_operand_box() names. */
int dse_run_call(const dse_call* call);

/* The box of coordinates that a call reads (or, for OUT and ACC, writes) of the operand `role`. Empty spans: not
 * touched. */
typedef struct dse_box {
  dse_span h, w, c;
  int32_t touched;
} dse_box;
dse_box dse_operand_box(const dse_op* op, const dse_tile* tile, enum dse_role role);

/* Bytes of scratch that the call needs: of LSTM, of convolutions by a technique (dse_technique.h) and of circulant
 * products (dse_circulant.h). */
int32_t dse_scratch_bytes(const dse_op* op, const dse_tile* tile);

/* 1 if no call of the operator can touch anything outside its operand boxes, given operands whose elements have
 * dse_role_bytes(); 0 otherwise. For parameters from files that may be damaged; extents and windows are the caller's to
 * check. */
int dse_op_is_sane(const dse_op* op);
/* Bytes of an element of an operand, as the kernel reads or writes it. */
int32_t dse_role_bytes(const dse_op* op, enum dse_role role);

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
