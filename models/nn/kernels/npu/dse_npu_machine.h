/* What the files of the emulation share. Private to it. */
#ifndef DSE_NPU_MACHINE_H
#define DSE_NPU_MACHINE_H
#include "dse_npu_stream.h"

static inline uint32_t dse_npu_word(const uint8_t* bytes, uint32_t at) {
  const uint8_t* b = bytes + 4 * (uint64_t)at;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Bytes of a region. */
typedef struct dse_npu_extent {
  uint8_t* base;
  uint32_t size;
} dse_npu_extent;
/* Returns 0 for one that is none, or outside the arenas. */
int dse_npu_region_of(const dse_npu_machine* m, uint32_t region, dse_npu_extent* out);

/* Weights of a kernel, decoded into working memory. */
typedef struct dse_npu_decoded {
  dse_npu_extent weights, records;
  uint32_t used; /* bytes of working memory, with what was there before */
} dse_npu_decoded;
/* Of channels [c0, c1) from where the registers say; the others keep what was there. `zeros`: words of the zero points.
 * `free`: the first byte of working memory that may be used. */
int dse_npu_decode_kernel(const dse_npu_machine* m, const uint32_t* registers, const dse_npu_coded* c,
                          const uint8_t* zeros, int32_t c0, int32_t c1, uint32_t free, dse_npu_decoded* out);
#endif
