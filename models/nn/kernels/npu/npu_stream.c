/* Commands, and copies between regions. */
#include <string.h>

#include "dse_npu_machine.h"

enum { WIDE = 0x4000 };

int dse_npu_read_command(uint32_t first, uint32_t second, uint32_t left, dse_npu_command* out) {
  const uint32_t code = first & 0xFFFFu;
  out->value = first >> 16;
  out->words = 1;
  out->is_register = 0;
  out->code = code;
  if (left == 0) return 0;
  if (code >= DSE_NPU_KERNEL && code <= DSE_NPU_STOP) return 1;
  out->is_register = 1;
  out->code = code & ~(uint32_t)WIDE;
  if (out->code >= DSE_NPU_REGISTER_COUNT) return 0;
  if ((out->code >= dse_npu_ifm_base) != ((code & WIDE) != 0)) return 0;
  if (out->code < dse_npu_ifm_base) return 1;
  out->value = second;
  out->words = 2;
  return left >= 2 && first >> 16 == 0;
}

int dse_npu_region_of(const dse_npu_machine* m, uint32_t region, dse_npu_extent* out) {
  const uint32_t at = DSE_NPU_HEAD_REGION + 3 * region;
  uint32_t arena, offset;
  if (region >= DSE_NPU_TABLES || m->meaning_bytes < 4 * DSE_NPU_HEAD_WORDS) return 0;
  arena = dse_npu_word(m->meaning, at);
  offset = dse_npu_word(m->meaning, at + 1);
  out->size = dse_npu_word(m->meaning, at + 2);
  out->base = 0;
  if (out->size == 0) return 1;
  if (arena >= (uint32_t)m->arenas || !m->arena[arena]) return 0;
  if (offset > m->arena_bytes[arena] || out->size > m->arena_bytes[arena] - offset) return 0;
  out->base = m->arena[arena] + offset;
  return 1;
}

/* Bytes that may overlap. */
static void move(uint8_t* to, const uint8_t* from, uint32_t n) {
  const uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
  uint32_t i;
  if (a + n <= b || b + n <= a)
    memcpy(to, from, n);
  else if (a < b)
    for (i = 0; i < n; ++i) to[i] = from[i];
  else
    for (i = n; i > 0; --i) to[i - 1] = from[i - 1];
}

int dse_npu_copy(const dse_npu_machine* m, const uint32_t* r) {
  const uint32_t from = r[dse_npu_dma_from], to = r[dse_npu_dma_to], n = r[dse_npu_dma_length];
  dse_npu_extent source, target;
  if (!dse_npu_region_of(m, r[dse_npu_dma_from_region], &source)) return DSE_NPU_MALFORMED;
  if (from > source.size || n > source.size - from) return DSE_NPU_OUTSIDE;
  if (r[dse_npu_dma_to_region] == DSE_NPU_TABLES) return DSE_NPU_OK; /* the operator has its table itself */
  if (r[dse_npu_dma_to_region] == DSE_NPU_CONSTANTS || !dse_npu_region_of(m, r[dse_npu_dma_to_region], &target))
    return DSE_NPU_MALFORMED;
  if (to > target.size || n > target.size - to) return DSE_NPU_OUTSIDE;
  if (n > 0) move(target.base + to, source.base + from, n);
  return DSE_NPU_OK;
}

int dse_npu_execute(const dse_npu_machine* m, const uint8_t* stream, uint32_t bytes) {
  uint32_t registers[DSE_NPU_REGISTER_COUNT] = {0};
  const uint32_t words = bytes / 4;
  uint32_t at = 0;
  dse_npu_command c;
  int status = DSE_NPU_OK;
  while (status == DSE_NPU_OK) {
    if (at >= words) return DSE_NPU_MALFORMED;
    if (!dse_npu_read_command(dse_npu_word(stream, at), at + 1 < words ? dse_npu_word(stream, at + 1) : 0, words - at,
                              &c))
      return DSE_NPU_MALFORMED;
    at += c.words;
    if (c.is_register)
      registers[c.code] = c.value;
    else if (c.code == DSE_NPU_STOP)
      return DSE_NPU_OK;
    else if (c.code == DSE_NPU_KERNEL)
      status = dse_npu_kernel(m, registers, c.value);
    else if (c.code == DSE_NPU_DMA)
      status = dse_npu_copy(m, registers);
  }
  return status;
}
