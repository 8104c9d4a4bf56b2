/* One function per operator kind; dse_run() dispatches to them after it has checked that every operand is there. */
#ifndef DSE_INTERNAL_H
#define DSE_INTERNAL_H
#include "dse_kernels.h"

void dse_conv(const dse_call* call); /* CONV_2D and FULLY_CONNECTED */
void dse_depthwise(const dse_call* call);
void dse_average_pool(const dse_call* call);
void dse_max_pool(const dse_call* call);
void dse_add(const dse_call* call);
void dse_softmax(const dse_call* call);
void dse_copy(const dse_call* call);

#endif
