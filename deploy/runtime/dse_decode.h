/* Bounds-checked reading of a plan. Private to the runtime. */
#ifndef DSE_DECODE_H
#define DSE_DECODE_H
#include "dse_state.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Reads from `at` up to `end`; anything out of range sets `bad` and yields 0. */
typedef struct dse_reader {
  const uint8_t* bytes;
  uint32_t at, end;
  int bad;
} dse_reader;

uint32_t dse_read_u8(dse_reader* r);
uint32_t dse_read_u32(dse_reader* r);    /* little endian */
uint32_t dse_read_varint(dse_reader* r); /* LEB128, 32 bits */
int32_t dse_read_svarint(dse_reader* r); /* zigzag */
uint32_t dse_read_size(dse_reader* r);   /* a varint below 2^31 */
void dse_read_skip(dse_reader* r, uint32_t n);

/* Views and ranges, with the runtime's tables. An absent view has arena -1. */
enum {
  DSE_F_OFFSET,
  DSE_F_ARENA,
  DSE_F_STRIDE_H,
  DSE_F_STRIDE_W,
  DSE_F_RING_H,
  DSE_F_ELEM,
  DSE_F_STRIDE_C,
  DSE_F_FIRST_H,
  DSE_F_FIRST_C,
  DSE_F_RING_C,
  DSE_F_BLOCK_C,
  DSE_F_STRIDE_BLOCK
};
dse_view_entry dse_read_view(dse_runtime* rt, dse_reader* r);
dse_range dse_read_range(dse_runtime* rt, dse_reader* r);
dse_span dse_range_at(const dse_range* range, const int32_t* loops);

int dse_read_operator(const dse_runtime* rt, uint32_t index, dse_op* op);
/* Operator `index` into rt->op. */
int dse_load_operator(dse_runtime* rt, uint32_t index);
/* An operator whose fields are within the bounds that kernels can compute with. */
int dse_operator_is_sane(const dse_op* op);

/* Of the bytes that follow those whose CRC is `crc`; 0 at the start. */
uint32_t dse_crc32c(uint32_t crc, const uint8_t* data, uint32_t size);

#ifdef __cplusplus
}
#endif
#endif
