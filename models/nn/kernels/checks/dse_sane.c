/* Whether the parameters of an operator hold together: no call of a sane operator touches anything outside the boxes of
 * dse_operand_box(), whatever bytes it works on. For plans that may be damaged. */
#include <string.h>

#include "dse_batches.h"
#include "dse_circulant.h"
#include "dse_elements.h"
#include "dse_factors.h"
#include "dse_internal.h"
#include "dse_technique.h"

enum { FAR = 1 << 24, TAPS = 1 << 15 };

static int within(int32_t v, int32_t lo, int32_t hi) { return v >= lo && v <= hi; }

/* The product of extents, each at least 1; -1 beyond FAR. */
static int32_t volume(const int32_t* extent, int32_t rank) {
  int64_t n = 1;
  int32_t d;
  for (d = 0; d < rank; ++d) {
    if (!within(extent[d], 1, FAR)) return -1;
    n *= extent[d];
    if (n > FAR) return -1;
  }
  return (int32_t)n;
}

/* Every index first + sum of coordinate * stride lies in [0, elements). */
static int reaches(int64_t lo, int64_t hi, const int32_t* extent, const int32_t* stride, int32_t rank,
                   int32_t elements) {
  int32_t d;
  for (d = 0; d < rank; ++d) {
    const int64_t far = (int64_t)(extent[d] - 1) * stride[d];
    if (far < 0)
      lo += far;
    else
      hi += far;
  }
  return lo >= 0 && hi < elements;
}

/* Flat kinds read one row of one column: without one, their input's box would be empty, and nobody would check it. */
static int flat_input(const dse_op* o) { return o->in_h >= 1 && o->in_w >= 1; }

static int sane_gather(const dse_op* o) {
  const int32_t* a = o->arg;
  return flat_input(o) && within(a[0], 1, DSE_FLAT_RANK) && volume(a + 1, a[0]) == o->out_c &&
         reaches(a[13], a[13], a + 1, a + 7, a[0], o->in_c);
}

static int sane_pad(const dse_op* o) {
  const int32_t* a = o->arg;
  int32_t d;
  if (!flat_input(o)) return 0;
  if (!within(a[0], 1, DSE_FLAT_RANK) || volume(a + 1, a[0]) != o->out_c || volume(a + 7, a[0]) != o->in_c) return 0;
  for (d = 0; d < a[0]; ++d) {
    const int64_t before = a[13 + d], after = (int64_t)a[1 + d] - a[7 + d] - before;
    const int32_t limit = o->kind == DSE_PAD ? FAR : a[7 + d] - (a[19] ? 0 : 1);
    if (before < 0 || after < 0 || before > limit || after > limit) return 0;
  }
  return o->kind == DSE_PAD || within(a[19], 0, 1);
}

static int sane_reduce(const dse_op* o) {
  const int32_t* a = o->arg;
  int64_t far = 0, near = 0;
  int32_t d;
  if (!flat_input(o) || !within(a[0], 0, 4) || !within(a[9], 0, 4) || volume(a + 1, a[0]) != o->out_c ||
      volume(a + 10, a[9]) < 1)
    return 0;
  for (d = 0; d < a[9]; ++d) {
    const int64_t last = (int64_t)(a[10 + d] - 1) * a[14 + d];
    if (last < 0)
      near += last;
    else
      far += last;
  }
  return a[18] >= 1 && reaches(near, far, a + 1, a + 5, a[0], o->in_c);
}

/* Windows that the image never cuts, as the sums of MEAN want them. */
static int whole_windows(int32_t in, int32_t out, int32_t taps, int32_t stride, int32_t pad) {
  return taps >= 1 && pad == 0 && (int64_t)(out - 1) * stride + taps <= in;
}

static int sane_average(const dse_op* o) {
  const int32_t* a = o->arg;
  if (!within(a[0], 0, 1) || !within(a[1], 0, 1) || !within(a[2], 0, 1)) return 0;
  if (a[0] && (o->kernel_h < 1 || o->kernel_w < 1)) return 0;
  return !a[1] || (whole_windows(o->in_h, o->out_h, o->kernel_h, o->stride_h, o->pad_top) &&
                   whole_windows(o->in_w, o->out_w, o->kernel_w, o->stride_w, o->pad_left) && within(o->s1, -31, 30));
}

static int sane_arg_extreme(const dse_op* o) {
  const int32_t* a = o->arg;
  return flat_input(o) && within(a[0], 1, FAR) && within(a[1], 1, FAR) && o->out_c % a[1] == 0 &&
         (int64_t)o->out_c * a[0] == o->in_c;
}

static int sane_resize(const dse_op* o) {
  const int32_t* a = o->arg;
  const int32_t out[2] = {o->out_h, o->out_w};
  int32_t i;
  if (o->in_h < 1 || o->in_w < 1 || o->in_c != o->out_c) return 0;
  for (i = 0; i < 2; ++i) {
    if (o->kind == DSE_RESIZE_BILINEAR && o->in_type == DSE_U8) {
      float step; /* none, or from 2^-24 to 2^24 */
      if (a[i] != 0 && !within(a[i], 0x33800000, 0x4b800000)) return 0;
      memcpy(&step, &a[i], sizeof step);
      if (!((float)out[i] * step <= 16777216.0f)) return 0;
    } else if (o->kind == DSE_RESIZE_BILINEAR) {
      if (!within(a[i], 0, 1 << 24) || !within(a[2 + i], -(1 << 24), 1 << 24)) return 0;
      if ((int64_t)out[i] * a[i] > INT64_C(0x3fffffff)) return 0;
    } else if (!within(a[i], 1 << 23, (1 << 24) - 1) || !within(a[2 + i], -100, 30)) {
      return 0;
    }
  }
  return within(a[4], 0, 1) && within(a[5], 0, 1);
}

static int sane_svdf(const dse_op* o) {
  const int32_t* a = o->arg;
  const int64_t filters = (int64_t)o->out_c * a[0], size = a[3] == DSE_I16 ? 2 : 1;
  return within(a[0], 1, TAPS) && within(a[1], 1, TAPS) && within(a[2], -(1 << 16), 1 << 16) && filters <= FAR &&
         (a[3] == DSE_I8 || a[3] == DSE_I16) && o->in_h == o->out_h && o->in_w == 1 && o->out_w == 1 && o->in_h >= 1 &&
         o->in_c >= 1 && filters * a[1] <= FAR && filters * o->in_c <= FAR &&
         filters * a[1] * o->in_h == a[DSE_ARG_STATE0] &&
         filters * o->in_c + filters * a[1] * size == a[DSE_ARG_WEIGHT_BYTES] && a[DSE_ARG_RECORDS] == o->out_c;
}

static int sane_lstm(const dse_op* o) {
  const int32_t* a = o->arg;
  const int64_t units = o->out_c, features = o->in_c, batch = a[0] == 1 ? o->in_w : o->in_h;
  return within(a[0], 0, 1) && a[1] >= -1 && within(a[3], 0, 31) && units >= 1 && features >= 1 && units <= TAPS &&
         features <= TAPS && o->in_h == o->out_h && o->in_w == o->out_w && batch * units == a[DSE_ARG_STATE0] &&
         batch * units == a[DSE_ARG_STATE1] && 4 * units * (features + units) == a[DSE_ARG_WEIGHT_BYTES] &&
         4 * units + 4 == a[DSE_ARG_RECORDS];
}

static int sane_groups(const dse_op* o) {
  return o->groups <= 1 ||
         (o->in_c >= o->groups && o->out_c >= o->groups && o->in_c % o->groups == 0 && o->out_c % o->groups == 0);
}

/* Elements less their zero points are summed as int16. */
static int narrow(int32_t type) { return type == DSE_I8 || type == DSE_U8 || type == DSE_I16; }

/* Sums of products: the kernels count the elements of a filter and divide by the filters of a group. */
static int sane_weighted(const dse_op* o) {
  const int64_t taps = (int64_t)o->kernel_h * o->kernel_w;
  const int32_t limit = 1 << 17;
  return within(o->kernel_h, 0, TAPS) && within(o->kernel_w, 0, TAPS) && o->in_c >= 0 && o->out_c >= 1 &&
         taps * dse_max(o->in_c, 1) <= FAR && narrow(o->in_type) && narrow(o->out_type) &&
         narrow(o->kind == DSE_MATMUL ? o->in2_type : o->weight_type) && within(o->act_min, -limit, limit) &&
         within(o->act_max, -limit, limit);
}

/* Products of 16 bits by 16 are summed in 64. */
static int sums_fit(const dse_op* o) {
  return o->acc_bytes == 8 || o->in_type != DSE_I16 ||
         (o->kind == DSE_MATMUL ? o->in2_type : o->weight_type) != DSE_I16;
}

/* Sums of spectra have 8 bits after the point and must fit 62: of 2^22 products at most. */
static int sane_circulant(const dse_op* o) {
  const int32_t b = o->arg[DSE_ARG_BLOCK];
  if (!within(b, 1, DSE_LARGEST_BLOCK) || o->groups > 1 || o->in_h < 1 || o->in_w < 1 || o->in_c < 1 ||
      o->kernel_h < 1 || o->kernel_w < 1 || !within(o->stride_h, 1, TAPS) || !within(o->stride_w, 1, TAPS) ||
      !within(o->dilation_h, 1, TAPS) || !within(o->dilation_w, 1, TAPS) || o->out_c > FAR || !sane_weighted(o) ||
      (int64_t)o->kernel_h * o->kernel_w * (o->in_c + b) > 1 << 22 || o->weights_zero != 0)
    return 0;
  if ((int64_t)(o->kernel_h - 1) * o->dilation_h >= FAR || dse_circulant_scratch(o) == INT32_MAX) return 0;
  if (o->arg[DSE_ARG_DOMAIN] == DSE_TIME) return sums_fit(o) && (o->weight_type == DSE_I8 || o->weight_type == DSE_I16);
  return o->arg[DSE_ARG_DOMAIN] == DSE_FREQUENCY && dse_transforms(b) && o->weight_type == DSE_I16 && o->acc_bytes == 8;
}

/* Factors are of whole operators in Q formats, and their entries count outputs in 28 bits. */
static int sane_factors(const dse_op* o) {
  const int64_t n = (int64_t)o->out_h * o->out_w;
  const int32_t in = dse_in_factors(o), out = dse_out_factors(o), batches = dse_batches_of(o);
  int64_t each;
  if (in == 0 && out == 0) return 1;
  if (!within(in, 0, FAR) || !within(out, 0, FAR) || o->rounding != DSE_ROUND_QFORMAT ||
      dse_technique_of(o) != DSE_DIRECT || o->out_h < 1 || o->out_w < 1 || o->out_c < 1 || n > FAR ||
      n * o->out_c > 8 * FAR || (o->out_type != DSE_I8 && o->out_type != DSE_I16) || o->in_h < 1 || o->in_w < 1 ||
      o->in_c < 1)
    return 0;
  if (in > 0 && o->in2_type != DSE_I32) return 0;
  if (o->kind == DSE_NORMALIZE) return in > 0 && out == 1 && o->in_type == o->out_type && o->in_c == o->out_c;
  if (in > 0 && (o->acc_bytes != 8 || o->correction != DSE_CORRECT_THEN_ROUND)) return 0;
  if (out == 0) return 1;
  if (batches < 1 || o->correction != DSE_CORRECT_THEN_ROUND) return 0;
  each = (n * o->out_c + batches - 1) / batches;
  return out == (n * o->out_c + each - 1) / each;
}

int dse_op_is_sane(const dse_op* o) {
  const int32_t types[4] = {o->in_type, o->in2_type, o->out_type, o->weight_type};
  const int32_t zeros[4] = {o->in_zero, o->in2_zero, o->out_zero, o->weights_zero};
  int32_t i;
  for (i = 0; i < 4; ++i)
    if (!within(types[i], DSE_I8, DSE_F32) || !within(zeros[i], -(1 << 16), 1 << 16)) return 0;
  /* These two round in the shift to the right by 31 - s1. */
  if ((o->rounding == DSE_ROUND_SINGLE || o->rounding == DSE_ROUND_ONNX) && o->s1 > 30) return 0;
  if (!within(o->acc_bytes, 0, 8) || (o->acc_bytes & 3) || !within(o->groups, 0, FAR) || !within(o->correction, 0, 1) ||
      !sane_factors(o))
    return 0;
  switch (o->kind) {
    case DSE_CONV_2D:
      return sane_groups(o) && sane_weighted(o) && sums_fit(o) && dse_technique_fits(o, dse_technique_of(o));
    case DSE_FULLY_CONNECTED:
    case DSE_MATMUL:
      return o->groups <= 1 && sane_weighted(o) && sums_fit(o);
    case DSE_DEPTHWISE_CONV_2D:
      return o->multiplier >= 1 && sane_weighted(o) && dse_technique_fits(o, dse_technique_of(o));
    case DSE_TRANSPOSE_CONV: /* operand boxes know no groups of it */
      return o->stride_h >= 1 && o->stride_w >= 1 && o->groups <= 1 && sane_weighted(o) && sums_fit(o) &&
             dse_technique_fits(o, dse_technique_of(o));
    case DSE_GATHER:
      return sane_gather(o);
    case DSE_PAD:
    case DSE_MIRROR_PAD:
      return sane_pad(o);
    case DSE_MEAN:
    case DSE_REDUCE_MAX:
    case DSE_REDUCE_MIN:
      return sane_reduce(o);
    case DSE_AVERAGE_POOL_2D:
      return sane_average(o);
    case DSE_ARG_MAX:
    case DSE_ARG_MIN:
      return sane_arg_extreme(o);
    case DSE_RESIZE_BILINEAR:
    case DSE_RESIZE_NEAREST_NEIGHBOR:
      return sane_resize(o);
    case DSE_SVDF:
      return sane_svdf(o);
    case DSE_LSTM:
      return sane_lstm(o);
    case DSE_LOOKUP:
      return o->arg[DSE_ARG_LUT] == 256;
    case DSE_SOFTMAX: /* from 16 bits to 16 bits by two tables of 513 entries */
      return o->in_c >= 1 && narrow(o->in_type) && o->arg[DSE_ARG_LUT] == (o->in_type == DSE_I16 ? 1026 : 0);
    case DSE_LOG_SOFTMAX:
    case DSE_L2_NORMALIZATION:
      return o->in_c >= 1;
    case DSE_CIRCULANT:
      return sane_circulant(o);
    case DSE_NORMALIZE:
      return dse_in_factors(o) > 0;
    case DSE_BLACK_BOX: /* of simulations alone */
      return 0;
    default:
      return 1;
  }
}

int32_t dse_role_bytes(const dse_op* op, enum dse_role role) {
  if (op->kind == DSE_COPY) return 1; /* as wide as the views say */
  switch (role) {
    case DSE_IN0:
      return dse_type_bytes(op->in_type);
    case DSE_IN1:
      return dse_type_bytes(op->in2_type);
    case DSE_OUT:
      return dse_type_bytes(op->out_type);
    case DSE_WEIGHTS:
      return dse_type_bytes(op->weight_type);
    case DSE_QPARAMS:
      return dse_record_bytes(op);
    case DSE_ACC:
      return op->acc_bytes == 8 ? 8 : 4;
    case DSE_LUT:
      return dse_type_bytes(op->out_type);
    case DSE_STATE0:
      return op->kind == DSE_SVDF ? dse_type_bytes(op->arg[3]) : 1;
    case DSE_STATE1:
      return 2;
    case DSE_FACTORS:
      return 4;
    default:
      return 1;
  }
}
