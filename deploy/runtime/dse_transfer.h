/* Copies and fills a box of elements: what a DMA controller does, done by the processor. */
#ifndef DSE_TRANSFER_H
#define DSE_TRANSFER_H
#include "dse_kernels.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Element (y, x, c) of the box goes from `from` to `to`; if `from` is null, every byte of it becomes `value`. */
void dse_transfer(const dse_view* to, const dse_view* from, dse_span y, dse_span x, dse_span c, uint8_t value);

#ifdef __cplusplus
}
#endif
#endif
