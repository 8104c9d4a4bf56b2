/* Block-circulant products: convolutions and fully connected layers whose matrix of output by input channels, per tap
 * of the window, consists of circulant blocks of b by b ("FFT-Based Deep Learning Deployment in Embedded Systems",
 * arXiv:1712.04910):
 *
 *   M[i b + r][j b + s] = w[i][j][(r - s) mod b]      the first column of block (i, j) is w[i][j]
 *
 * with i < p = ceil(out_c / b), j < q = ceil(in_c / b); what lies beyond out_c or in_c does not count. WEIGHTS: h =
 * block row i, w = tap, c = j b + the element of w.
 *
 *   DSE_TIME       The elements of w. Sums are those of the dense matrix, bit for bit.
 *   DSE_FREQUENCY  Weights of 16 bits: the real Fourier transform of w as [X0, X(b/2), re X1, im X1, re X2, ...]; b is
 * a power of two. Inputs are transformed once per pixel and block, products are summed in 64 bits, and the sum is
 * transformed back once per pixel and block row (dse_rfft.h). What comes out stands for the sum over products of inputs
 * and of the weights that the spectrum belongs to, rounded. */
#ifndef DSE_CIRCULANT_H
#define DSE_CIRCULANT_H
#include "dse_kernels.h"

enum dse_circulant_domain { DSE_TIME = 0, DSE_FREQUENCY = 1 };
enum { /* entries of dse_op::arg */
       DSE_ARG_BLOCK = 0,
       DSE_ARG_DOMAIN = 1
};
enum { DSE_LARGEST_BLOCK = 1 << 15, DSE_LARGEST_TRANSFORM = 1 << 10 };

static inline int32_t dse_block_rows(const dse_op* op) { /* p */
  return (op->out_c + op->arg[DSE_ARG_BLOCK] - 1) / op->arg[DSE_ARG_BLOCK];
}
static inline int32_t dse_block_columns(const dse_op* op) { /* q */
  return (op->in_c + op->arg[DSE_ARG_BLOCK] - 1) / op->arg[DSE_ARG_BLOCK];
}
/* Rows of inputs whose spectra are held: those under a window. */
static inline int32_t dse_spectrum_rows(const dse_op* op) {
  const int32_t window = (op->kernel_h - 1) * op->dilation_h + 1;
  return window < op->in_h ? window : op->in_h;
}
/* Whether blocks of this size can be transformed: powers of two from 2 on. */
static inline int dse_transforms(int32_t block) {
  return block >= 2 && block <= DSE_LARGEST_TRANSFORM && (block & (block - 1)) == 0;
}

/* Bytes of scratch; the largest int32 where it is more. */
int32_t dse_circulant_scratch(const dse_op* op);

#endif
