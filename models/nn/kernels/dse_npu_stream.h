/* Command streams of the simulated NPU, executed on real bytes: the emulation of the NPU. Its commands: registers that
 * keep their values, and operations that use them (docs/npu/schedules.md). What a kernel of the stream computes is in
 * the stream's meaning: kernel calls, block by block, with weights decoded from where the registers say. C99, no heap.
 * Streams and meanings are untrusted bytes: whatever they say, nothing outside their regions is touched. */
#ifndef DSE_NPU_STREAM_H
#define DSE_NPU_STREAM_H
#include "dse_kernels.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Registers in the order of their codes: those before ifm_base have 16 bits, it and the others 32. */
/* clang-format off */
#define DSE_NPU_NARROW_REGISTERS(X) \
  X(function) X(activation) X(activation_min) X(activation_max) X(traversal) X(ifm_buffer_end) \
  X(accumulators_begin) X(kernel_h) X(kernel_w) X(strides) X(block_h) X(block_w) X(block_c) X(blockdep) \
  X(ifm_h) X(ifm_w) X(ifm_c) X(ifm_type) X(ifm_region) X(ifm_zero) X(ifm_upscale) X(pad_top) X(pad_left) \
  X(pad_bottom) X(pad_right) X(ifm2_mode) X(ifm2_h) X(ifm2_w) X(ifm2_c) X(ifm2_type) X(ifm2_region) \
  X(ifm2_zero) X(ofm_h) X(ofm_w) X(ofm_c) X(ofm_type) X(ofm_region) X(ofm_zero) X(part_y) X(part_c) X(ifm_y) \
  X(ifm_ring) X(ofm_ring) X(weight_region) X(dma_from_region) X(dma_to_region)
#define DSE_NPU_WIDE_REGISTERS(X) \
  X(ifm_base) X(ifm_stride_y) X(ifm_stride_x) X(ifm_stride_c) X(ifm2_base) X(ifm2_stride_y) X(ifm2_stride_x) \
  X(ifm2_stride_c) X(ofm_base) X(ofm_stride_y) X(ofm_stride_x) X(ofm_stride_c) X(ofm_scale) X(ifm_scale) \
  X(ifm2_scale) X(weight_base) X(weight_length) X(weight1_base) X(weight1_length) X(scale_length) X(dma_from) \
  X(dma_to) X(dma_length)
/* clang-format on */
#define DSE_NPU_REGISTERS(X) DSE_NPU_NARROW_REGISTERS(X) DSE_NPU_WIDE_REGISTERS(X)

enum dse_npu_register {
#define DSE_NPU_ENUMERATOR(name) dse_npu_##name,
  DSE_NPU_REGISTERS(DSE_NPU_ENUMERATOR)
#undef DSE_NPU_ENUMERATOR
      DSE_NPU_REGISTER_COUNT
};

enum dse_npu_operation {
  DSE_NPU_KERNEL = 0xE0, /* value: its number */
  DSE_NPU_DMA,
  DSE_NPU_DMA_WAIT,
  DSE_NPU_KERNEL_WAIT,
  DSE_NPU_STOP
};

/* Regions of memory as streams name them. */
enum dse_npu_region { DSE_NPU_CONSTANTS, DSE_NPU_FAST, DSE_NPU_FEATURE_MAPS, DSE_NPU_TABLES, DSE_NPU_REGIONS };

typedef struct dse_npu_command {
  int32_t is_register;
  uint32_t code;  /* enum dse_npu_register or dse_npu_operation */
  uint32_t value; /* of the register, of the operation's parameter */
  uint32_t words; /* that it takes: 1 or 2 */
} dse_npu_command;
/* Reads a command from its first word and, of `left` words with it, the second. Returns 0 where there is none: the code
 * is unknown, or the stream ends. */
int dse_npu_read_command(uint32_t first, uint32_t second, uint32_t left, dse_npu_command* out);

/* A meaning is 32-bit little-endian words. First these; then per operation the word where its record begins; per kernel
 * of the stream its operation and rows [y0, y1) and channels [c0, c1); the records; constants that no region has. */
enum {
  DSE_NPU_HEAD_FIRST_OPERATOR, /* the caller's number of operator 0 */
  DSE_NPU_HEAD_OPERATORS,      /* how many */
  DSE_NPU_HEAD_MEMORY,         /* working memory that the emulation needs, bytes; a real NPU has it inside */
  DSE_NPU_HEAD_HELD,           /* of that, from its start, what is kept from kernel to kernel */
  DSE_NPU_HEAD_OPERATIONS,     /* how many */
  DSE_NPU_HEAD_KERNELS,
  DSE_NPU_HEAD_CONSTANTS, /* byte where they begin; they go on to the end */
  DSE_NPU_HEAD_REGION,    /* of the first three regions: arena, offset, bytes */
  DSE_NPU_HEAD_WORDS = DSE_NPU_HEAD_REGION + 9
};
enum { DSE_NPU_KERNEL_WORDS = 5 };

/* A record: what the operation is, then
 *  calls:  how many, and they, one after the other;
 *  blocks: flags, rows, columns and channels of the outputs; with `coded` dse_npu_coded and its zero points; a call;
 *          with `fused` another one on what that made. */
enum { DSE_NPU_CALLS = 0, DSE_NPU_BLOCKS = 1 };
enum {
  DSE_NPU_WHOLE = 1, /* the call's tile as it is, but for channels; else block by block within the kernel's part */
  DSE_NPU_FUSED = 2,
  DSE_NPU_CODED = 4
};
/* A call: operator, tile (y, x, c, k as lo, hi; flags), bits of the roles that it has; of each the place (enum
 * dse_npu_place, byte), the register whose value is its ring of rows (enum dse_npu_ring), and the words of dse_view
 * behind its base. */
enum dse_npu_place {
  DSE_NPU_IN_REGION = 0, /* + enum dse_npu_region */
  DSE_NPU_IN_MEMORY = 3, /* held */
  DSE_NPU_IN_MEANING,    /* its constants */
  DSE_NPU_DECODED,       /* weights of the kernel */
  DSE_NPU_RECORDS,       /* records of DSE_QPARAMS of the kernel */
  DSE_NPU_PLACES
};
enum dse_npu_ring { DSE_NPU_NO_RING, DSE_NPU_IFM_RING, DSE_NPU_OFM_RING };
enum { DSE_NPU_CALL_WORDS = 11, DSE_NPU_VIEW_WORDS = 10, DSE_NPU_OPERAND_WORDS = 3 + DSE_NPU_VIEW_WORDS };

/* Weights of an operation as the stream has them, and where they lie in the operator's own order [out][h][w][in]. */
typedef struct dse_npu_coded {
  int32_t h, w, in, out; /* as the NPU multiplies them; depthwise: in 1 */
  int32_t block_depth, ifm_ublock, ofm_ublock, cores;
  int32_t most_h, most_w, depthwise, input_bits;
  int32_t own_h, own_w, own_in; /* the operator's */
  int32_t before, by;           /* columns of zeros before; so many columns are one, of more channels */
  int32_t gap_h, gap_w;         /* rows, columns from one tap to the next */
  int32_t backwards;            /* taps in reverse */
  int32_t acc_bytes;            /* of the records, as dse_op has it */
  int32_t zeros;                /* zero points: 0, 1, or one per channel; they follow */
} dse_npu_coded;
enum { DSE_NPU_CODED_WORDS = 22 };

/* Bytes of working memory that decoding all channels takes at the most. */
int64_t dse_npu_decoding_bytes(const dse_npu_coded* c);

enum dse_npu_status {
  DSE_NPU_OK = 0,
  DSE_NPU_MALFORMED = -1, /* stream, meaning or coded weights */
  DSE_NPU_OUTSIDE = -2,   /* an address outside its region */
  DSE_NPU_OPERAND = -3,   /* an operand is absent */
  DSE_NPU_MEMORY = -4     /* too little working memory */
};

typedef struct dse_npu_machine {
  const uint8_t* meaning;
  uint32_t meaning_bytes;
  uint8_t* const* arena; /* bases and bytes of `arenas` arenas */
  const uint32_t* arena_bytes;
  int32_t arenas;
  uint8_t* memory; /* working memory, aligned to 8 bytes */
  uint32_t memory_bytes;
  /* Writes operator `index`, the caller's number; 0 where there is none that is sane. */
  int (*operator_at)(void* context, uint32_t index, dse_op* op);
  void* context;
} dse_npu_machine;

/* Bytes of working memory that a meaning asks for; 0 for what is none. */
uint32_t dse_npu_memory_bytes(const uint8_t* meaning, uint32_t bytes);
/* What kernel `number` of a stream computes, and what its DMA copies, with the registers as they are then. */
int dse_npu_kernel(const dse_npu_machine* m, const uint32_t* registers, uint32_t number);
int dse_npu_copy(const dse_npu_machine* m, const uint32_t* registers);
/* All operations of a stream of `bytes` bytes, in its order. */
int dse_npu_execute(const dse_npu_machine* m, const uint8_t* stream, uint32_t bytes);

#ifdef __cplusplus
}
#endif
#endif
