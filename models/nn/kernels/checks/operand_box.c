/* Which coordinates of each operand a call touches: the hull, clamped to the image. */
#include "dse_addressing.h"
#include "dse_batches.h"
#include "dse_circulant.h"
#include "dse_factors.h"
#include "dse_internal.h"
#include "dse_technique.h"

static dse_span span(int32_t lo, int32_t hi) {
  dse_span s;
  s.lo = lo;
  s.hi = dse_max(lo, hi);
  return s;
}

static dse_box box(dse_span h, dse_span w, dse_span c) {
  dse_box b;
  b.h = h;
  b.w = w;
  b.c = c;
  b.touched = h.lo < h.hi && w.lo < w.hi && c.lo < c.hi;
  return b;
}

static dse_box none(void) { return box(span(0, 0), span(0, 0), span(0, 0)); }

/* Input coordinates under the windows of the outputs `out`. */
static dse_span window(dse_span out, int32_t stride, int32_t pad, int32_t taps, int32_t dilation, int32_t extent) {
  if (out.lo >= out.hi) return span(0, 0);
  return span(dse_max(0, out.lo * stride - pad),
              dse_min(extent, (out.hi - 1) * stride - pad + (taps - 1) * dilation + 1));
}

static dse_box flat(int32_t elements) { return box(span(0, 1), span(0, 1), span(0, elements)); }

/* Input coordinates from which a transposed convolution scatters into the outputs `out`. */
static dse_span scattering(dse_span out, int32_t stride, int32_t pad, int32_t taps, int32_t extent) {
  /* input i reaches outputs i * stride - pad .. i * stride - pad + taps - 1 */
  const int32_t lo = out.lo + pad - taps + 1, hi = out.hi - 1 + pad;
  return span(lo <= 0 ? 0 : (lo + stride - 1) / stride, dse_min(extent, hi / stride + 1));
}

static dse_box input_box(const dse_op* op, const dse_tile* t) {
  const dse_span h = window(t->y, op->stride_h, op->pad_top, op->kernel_h, op->dilation_h, op->in_h);
  const dse_span w = window(t->x, op->stride_w, op->pad_left, op->kernel_w, op->dilation_w, op->in_w);
  switch (op->kind) {
    case DSE_CONV_2D:
    case DSE_FULLY_CONNECTED:
      if (op->groups > 1) { /* k counts from the first channel of the group */
        const int32_t outs = op->out_c / op->groups, ins = op->in_c / op->groups;
        const int32_t first = t->c.lo / outs, last = (t->c.hi - 1) / outs;
        return box(h, w, span(first * ins + t->k.lo, last * ins + t->k.hi));
      }
      return box(h, w, t->k);
    case DSE_CIRCULANT:
      return box(h, w, span(0, op->in_c));
    case DSE_TRANSPOSE_CONV:
      return box(scattering(t->y, op->stride_h, op->pad_top, op->kernel_h, op->in_h),
                 scattering(t->x, op->stride_w, op->pad_left, op->kernel_w, op->in_w), t->k);
    case DSE_MATMUL:
      return box(t->y, span(0, 1), t->k);
    case DSE_DEPTHWISE_CONV_2D:
      if (t->c.lo >= t->c.hi) return none();
      return box(h, w, span(t->c.lo / op->multiplier, (t->c.hi - 1) / op->multiplier + 1));
    case DSE_AVERAGE_POOL_2D:
    case DSE_MAX_POOL_2D:
      return box(h, w, t->c);
    case DSE_SOFTMAX:
    case DSE_LOG_SOFTMAX:
    case DSE_L2_NORMALIZATION:
      return box(t->y, t->x, span(0, dse_max(op->in_c, t->c.hi))); /* a damaged tile may have more */
    case DSE_RESIZE_BILINEAR:
    case DSE_RESIZE_NEAREST_NEIGHBOR:
      return box(dse_resize_span(op, 0, t->y), dse_resize_span(op, 1, t->x), t->c);
    case DSE_MEAN:
    case DSE_REDUCE_MAX:
    case DSE_REDUCE_MIN:
    case DSE_PAD:
    case DSE_MIRROR_PAD:
    case DSE_GATHER:
    case DSE_ARG_MAX:
    case DSE_ARG_MIN:
    case DSE_SVDF:
    case DSE_LSTM:
    case DSE_BLACK_BOX:
      return box(span(0, op->in_h), span(0, op->in_w), span(0, op->in_c));
    default:
      return box(t->y, t->x, t->c);
  }
}

static dse_box second_input_box(const dse_op* op, const dse_tile* t) {
  if (dse_in_factors(op) > 0) return flat(dse_in_factors(op));
  switch (op->kind) {
    case DSE_ADD:
    case DSE_SUB:
    case DSE_MUL:
    case DSE_DIV:
    case DSE_MAXIMUM:
    case DSE_MINIMUM:
    case DSE_SQUARED_DIFFERENCE:
    case DSE_PRELU:
      return box(t->y, t->x, t->c);
    case DSE_MATMUL:
      return box(t->k, span(0, 1), t->c);
    case DSE_BLACK_BOX:
      return flat(op->arg[1]);
    default:
      return none();
  }
}

/* Operators that accumulate over input channels in steps. */
static int accumulates(const dse_op* op) {
  return op->kind == DSE_CONV_2D || op->kind == DSE_FULLY_CONNECTED || op->kind == DSE_TRANSPOSE_CONV ||
         op->kind == DSE_MATMUL;
}

static dse_box constant_box(const dse_op* op, const dse_tile* t, enum dse_role role, int last) {
  const int recurrent = op->kind == DSE_SVDF || op->kind == DSE_LSTM;
  const int lookup = op->kind == DSE_LOOKUP || op->kind == DSE_SOFTMAX || op->kind == DSE_LOG_SOFTMAX;
  const int circulant = op->kind == DSE_CIRCULANT;
  const int weighted = (accumulates(op) && op->kind != DSE_MATMUL) || op->kind == DSE_DEPTHWISE_CONV_2D;
  switch (role) {
    case DSE_WEIGHTS:
      if (recurrent) return flat(op->arg[DSE_ARG_WEIGHT_BYTES]);
      if (circulant) { /* a row of blocks for each `block` output channels */
        const int32_t b = op->arg[DSE_ARG_BLOCK];
        return box(span(t->c.lo / b, (t->c.hi - 1) / b + 1), span(0, op->kernel_h * op->kernel_w),
                   span(0, dse_block_columns(op) * b));
      }
      if (!weighted) return none();
      return box(t->c, span(0, op->kernel_h * op->kernel_w), accumulates(op) ? t->k : span(0, 1));
    case DSE_QPARAMS:
      if (recurrent) return box(span(0, op->arg[DSE_ARG_RECORDS]), span(0, 1), span(0, 1));
      return (weighted || circulant) && last ? box(t->c, span(0, 1), span(0, 1)) : none();
    case DSE_LUT:
      return lookup && op->arg[DSE_ARG_LUT] > 0 ? flat(op->arg[DSE_ARG_LUT]) : none();
    case DSE_STATE0:
      return recurrent ? flat(op->arg[DSE_ARG_STATE0]) : none();
    case DSE_STATE1:
      return recurrent && op->arg[DSE_ARG_STATE1] > 0 ? flat(op->arg[DSE_ARG_STATE1]) : none();
    default:
      return none();
  }
}

dse_box dse_operand_box(const dse_op* op, const dse_tile* tile, enum dse_role role) {
  const int steps = accumulates(op);
  const int first = !steps || (tile->flags & DSE_FIRST), last = !steps || (tile->flags & DSE_LAST);
  if (tile->y.lo >= tile->y.hi || tile->x.lo >= tile->x.hi || tile->c.lo >= tile->c.hi) return none();
  switch (role) {
    case DSE_IN0:
      return input_box(op, tile);
    case DSE_IN1:
      return second_input_box(op, tile);
    case DSE_OUT:
      if (op->kind == DSE_BLACK_BOX && op->arg[2]) return none();
      return last ? box(tile->y, tile->x, tile->c) : none();
    case DSE_ACC:
      return first && last ? none() : box(tile->y, tile->x, tile->c);
    case DSE_SCRATCH:
      return none();
    case DSE_FACTORS:
      return last && dse_out_factors(op) > 0 ? flat(dse_out_factors(op)) : none();
    default:
      return constant_box(op, tile, role, last);
  }
}

/* Bytes of working memory of the kinds that want some. */
int32_t dse_scratch_bytes(const dse_op* op, const dse_tile* tile) {
  if (dse_sums_products(op->kind)) {
    const int32_t technique = dse_technique_scratch(op, tile), sums = dse_batch_scratch(op, tile);
    return technique > INT32_MAX - sums ? INT32_MAX : technique + sums;
  }
  if (op->kind == DSE_CIRCULANT) return dse_circulant_scratch(op);
  return op->kind == DSE_LSTM ? op->out_c : 0; /* one hidden state */
}
