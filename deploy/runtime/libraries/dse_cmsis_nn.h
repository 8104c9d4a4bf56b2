/* Kernels of Arm's CMSIS-NN (7.0 or later) in the table of kernels: each computes a call by the library where the
 * library can take it, and by the reference kernel where it cannot. Both give the same bytes. The library is the
 * user's; nothing of it is here.
 *
 * What it can take: int8 throughout, all input channels at once, operands that lie row after row, column after column
 * and channel after channel without a gap, as far as the call reads or writes them. A tile of rows is a smaller image
 * with another padding. So what a plan computes whole or by rows in place is the library's; tiles of channels within
 * larger tensors and buffers whose rows wrap are not. */
#ifndef DSE_CMSIS_NN_H
#define DSE_CMSIS_NN_H
#include <stdint.h>

#include "dse_kernels.h"
#ifdef __cplusplus
extern "C" {
#endif

/* 1 if the library takes the call; reads no operand. */
int dse_cmsis_takes(const dse_call* call);
/* Columns of the rows that the call's input lies in. */
int32_t dse_cmsis_columns(const dse_call* call);
/* Bytes beside its operands that the library needs for it at most, whatever the processor: quantisation parameters in
 * arrays, and its own buffer. */
uint32_t dse_cmsis_bytes(const dse_call* call);

void dse_cmsis_conv(const dse_call* call); /* CONV_2D, FULLY_CONNECTED */
void dse_cmsis_depthwise(const dse_call* call);
void dse_cmsis_binary(const dse_call* call); /* ADD, MUL */
void dse_cmsis_average_pool(const dse_call* call);
void dse_cmsis_max_pool(const dse_call* call);
void dse_cmsis_softmax(const dse_call* call);

/* Of the package: the most that one of its calls needs. Calls do not run at the same time. */
extern uint8_t dse_cmsis_memory[];
extern const uint32_t dse_cmsis_memory_bytes;
/* Calls that the library has computed so far. */
extern uint32_t dse_cmsis_calls;

#ifdef __cplusplus
}
#endif
#endif
