#include "dse_npu_emulation.h"

#include "dse_decode.h"
#include "dse_npu_stream.h"
#include "dse_package.h"

/* Bytes of a payload. */
typedef struct piece {
  const uint8_t* bytes;
  uint32_t size;
} piece;

static piece next(dse_reader* r) {
  piece p;
  p.size = dse_read_size(r);
  p.bytes = r->bytes + r->at;
  dse_read_skip(r, p.size);
  return p;
}

/* Commands and meaning. Returns 0 for a payload that is none. */
static int open_payload(const dse_task* t, piece* commands, piece* meaning) {
  dse_reader r;
  r.bytes = t->payload;
  r.at = 0;
  r.end = t->payload_bytes;
  r.bad = 0;
  *commands = next(&r);
  *meaning = next(&r);
  return !r.bad;
}

uint32_t dse_npu_task_bytes(const dse_task* t) {
  piece commands, meaning;
  return t->kind == DSE_TASK_STREAM && open_payload(t, &commands, &meaning)
             ? dse_npu_memory_bytes(meaning.bytes, meaning.size)
             : 0;
}

static int operator_at(void* context, uint32_t index, dse_op* op) {
  return dse_read_operator((const dse_runtime*)context, index, op) == DSE_OK;
}

/* Regions that are written hold none of the constants. */
static int is_apart(const dse_runtime* rt, const piece* meaning) {
  uint32_t region, arena, offset;
  if (meaning->size < 4 * DSE_NPU_HEAD_WORDS) return 0;
  for (region = DSE_NPU_FAST; region <= DSE_NPU_FEATURE_MAPS; ++region) {
    const uint8_t* at = meaning->bytes + 4 * (DSE_NPU_HEAD_REGION + 3 * region);
    arena = dse_le32(at);
    offset = dse_le32(at + 4);
    if (rt->constants_arena >= 0 && arena == (uint32_t)rt->constants_arena && offset < rt->constants_size &&
        dse_le32(at + 8) > 0)
      return 0;
  }
  return 1;
}

static int execute(void* state, const dse_runtime* rt, const dse_task* t) {
  const dse_npu_emulation* e = (const dse_npu_emulation*)state;
  dse_npu_machine m;
  piece commands, meaning;
  if (!open_payload(t, &commands, &meaning) || !is_apart(rt, &meaning)) return DSE_ERR_MALFORMED;
  m.meaning = meaning.bytes;
  m.meaning_bytes = meaning.size;
  m.arena = rt->arena;
  m.arena_bytes = rt->arena_size;
  m.arenas = rt->arena_count;
  m.memory = e->memory;
  m.memory_bytes = e->bytes;
  m.operator_at = operator_at;
  m.context = (void*)(uintptr_t)rt;
  switch (dse_npu_execute(&m, commands.bytes, commands.size)) {
    case DSE_NPU_OK:
      return DSE_OK;
    case DSE_NPU_OUTSIDE:
    case DSE_NPU_MEMORY:
      return DSE_ERR_ARENA;
    case DSE_NPU_OPERAND:
      return DSE_ERR_OPERAND;
    default:
      return DSE_ERR_MALFORMED;
  }
}

void dse_npu_attach(dse_runtime* rt, const dse_npu_emulation* emulation) {
  dse_set_stream_executor(rt, execute, (void*)(uintptr_t)emulation);
}
