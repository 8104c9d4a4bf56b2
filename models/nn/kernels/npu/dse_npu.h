/* What the NPU's own formats mean: coded weights, their order, scales. With these and dse_run_call() a kernel of a
 * command stream is computed block by block, as the emulation of the NPU. C99, no heap. The formats:
 * docs/npu/schedules.md. */
#ifndef DSE_NPU_H
#define DSE_NPU_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Decodes a weight stream. Returns how many weights it holds, those beyond `capacity` not written; -1 for a damaged
 * stream. */
int32_t dse_npu_decode(const uint8_t* stream, int32_t bytes, int16_t* weights, int32_t capacity);

/* How the NPU walks the weights of `out` channels: extents of the kernel, input channels (depthwise: 1), channels of a
 * block of this core, of a micro block, and what goes inside. */
typedef struct dse_npu_walk {
  int32_t h, w, in, out;
  int32_t block_depth, ifm_ublock, ofm_ublock;
  int32_t most_h, most_w; /* a larger kernel is walked in parts of so many elements */
  int32_t part_kernel, depthwise, input_bits;
  int32_t most; /* ends soon after so many weights; 0: no limit */
} dse_npu_walk;

/* Calls back for every weight of the walk in its order with its place [out][h][w][in], -1 for a zero beside the kernel
 * or the channels. Returns how many there are, or more than `most`. */
int32_t dse_npu_for_each_weight(const dse_npu_walk* walk, void (*place)(void* context, int32_t number, int32_t at),
                                void* context);

/* Reads `n` records of 10 bytes: a bias of 40 bits, a multiplier of 32, a shift to the right of 6. Writes records as
 * DSE_QPARAMS has them: of 12 bytes, or of 16 where `acc_bytes` is 8. */
void dse_npu_scales(const uint8_t* stream, int32_t n, int32_t acc_bytes, int32_t* records);

#ifdef __cplusplus
}
#endif
#endif
