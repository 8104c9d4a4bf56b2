/* How a convolution is computed. Every technique gives the sums of the direct one, bit for bit; they differ in the
 * products they need, in what they arrange beforehand, and in the scratch that this takes. */
#ifndef DSE_TECHNIQUE_H
#define DSE_TECHNIQUE_H
#include "dse_kernels.h"
#ifdef __cplusplus
extern "C" {
#endif

enum dse_technique {
  DSE_DIRECT = 0,         /* as the operator says */
  DSE_IM2ROW = 1,         /* CONV_2D: the patches of all pixels of the call are written to scratch, one behind the
                             other, and multiplied with the filters as a matrix */
  DSE_IM2ROW_BY_ROW = 2,  /* the same for one row of outputs at a time */
  DSE_WINOGRAD = 3,       /* CONV_2D of 3x3 in 8 bits: F(2x2, 3x3), 16 products for four outputs instead of 36. Filters
                             are transformed with twice the usual matrix, so that they stay integers; the sums are
                             then four times too large, and dividing them leaves no rest */
  DSE_ZERO_INSERTION = 4, /* TRANSPOSE_CONV: a convolution of stride 1 over the input with zeros between its pixels */
  DSE_SUB_PIXEL = 5,      /* TRANSPOSE_CONV: outputs of equal remainder by the stride are a convolution each, of the
                             taps that meet inputs */
  DSE_SEPARABLE = 6,      /* DEPTHWISE_CONV_2D in 8 bits whose filters are each a column times a row: sums along rows,
                             then along columns */
  DSE_TECHNIQUES = 7
};
enum { DSE_ARG_TECHNIQUE = DSE_ARGS - 7 }; /* of the kinds above: entry of dse_op::arg that holds the technique */

/* The technique of an operator; DSE_DIRECT for kinds that know no other. */
static inline int32_t dse_technique_of(const dse_op* op) {
  return op->kind == DSE_CONV_2D || op->kind == DSE_DEPTHWISE_CONV_2D || op->kind == DSE_TRANSPOSE_CONV
             ? op->arg[DSE_ARG_TECHNIQUE]
             : DSE_DIRECT;
}

/* Whether operators of these parameters can be computed by the technique, whatever their weights. A call of a filter
 * that is not separable computes it directly. */
int dse_technique_fits(const dse_op* op, int32_t technique);

/* Bytes of scratch that a call by the operator's technique needs; the largest int32 where it is more. */
int32_t dse_technique_scratch(const dse_op* op, const dse_tile* tile);

/* 1 if the filter of output channel c of a DEPTHWISE_CONV_2D is a column times a row: column[kernel_h] and
 * row[kernel_w] are the factors, integers. */
int dse_separate(const dse_op* op, const dse_view* weights, int32_t c, int32_t* column, int32_t* row);

#ifdef __cplusplus
}
#endif
#endif
