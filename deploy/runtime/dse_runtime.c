/* Opening and binding a plan. */
#include "dse_runtime.h"

#include <string.h>

#include "dse_decode.h"

enum { HEADER = 12 };

static uint32_t read_arena(const dse_runtime* rt, dse_reader* r) {
  const uint32_t a = dse_read_u8(r);
  if (a >= (uint32_t)rt->arena_count) r->bad = 1;
  return r->bad ? 0 : a;
}

/* [offset, offset + size) of an arena. */
static dse_port_info read_place(const dse_runtime* rt, dse_reader* r) {
  dse_port_info p;
  p.arena = read_arena(rt, r);
  p.offset = dse_read_size(r);
  p.size = dse_read_size(r);
  if (!r->bad && (p.offset > rt->arena_size[p.arena] || p.size > rt->arena_size[p.arena] - p.offset)) r->bad = 1;
  return p;
}

static uint32_t read_preload(const dse_runtime* rt, dse_reader* r, dse_port_info* to) {
  uint32_t from;
  *to = read_place(rt, r);
  from = dse_read_size(r);
  if ((int32_t)to->arena == rt->constants_arena && to->size > 0 && to->offset < rt->constants_size) r->bad = 1;
  if (from > rt->constants_size || to->size > rt->constants_size - from) r->bad = 1;
  return from;
}

/* Arenas, queues, preloads, ports; remembers where the operators and the code begin. */
static void read_tables(dse_runtime* rt, dse_reader* r) {
  dse_port_info place;
  uint32_t i;
  rt->arena_count = (int32_t)dse_read_u8(r);
  if (rt->arena_count > DSE_MAX_ARENAS) r->bad = 1;
  for (i = 0; !r->bad && i < (uint32_t)rt->arena_count; ++i) {
    rt->arena_size[i] = dse_read_size(r);
    rt->arena_alignment[i] = (uint8_t)dse_read_u8(r);
    if (rt->arena_alignment[i] > 16) r->bad = 1;
  }
  rt->constants_arena = (int32_t)dse_read_u8(r) - 1;
  rt->constants_size = dse_read_size(r);
  if (rt->constants_arena >= rt->arena_count) r->bad = 1;
  rt->queue_count = (int32_t)dse_read_u8(r);
  if (rt->queue_count > DSE_MAX_QUEUES) r->bad = 1;
  for (i = 0; !r->bad && i < (uint32_t)rt->queue_count; ++i) {
    rt->queue_engine[i] = (uint8_t)dse_read_u8(r);
    rt->queue_channel[i] = (uint8_t)dse_read_u8(r);
  }
  rt->preload_count = dse_read_size(r);
  rt->preloads = r->at;
  for (i = 0; !r->bad && i < rt->preload_count; ++i) (void)read_preload(rt, r, &place);
  rt->input_count = dse_read_size(r);
  rt->inputs = r->at;
  for (i = 0; !r->bad && i < rt->input_count; ++i) (void)read_place(rt, r);
  rt->output_count = dse_read_size(r);
  rt->outputs = r->at;
  for (i = 0; !r->bad && i < rt->output_count; ++i) (void)read_place(rt, r);
  rt->operator_count = dse_read_size(r);
  rt->operators = r->at;
  for (i = 0; !r->bad && i < rt->operator_count; ++i) dse_read_skip(r, dse_read_varint(r));
  rt->section_count = dse_read_size(r);
  rt->task_count = dse_read_size(r);
  rt->step_count = dse_read_size(r);
  rt->code = r->at;
}

/* How often a run decodes the instruction that comes next, as far as it matters here. */
static uint32_t turns(const dse_runtime* rt) {
  const uint32_t many = 0x80000000u; /* no plan says so many instructions */
  uint64_t n = 1;
  int32_t d;
  for (d = 0; d < rt->depth; ++d) {
    n *= (uint32_t)rt->frame[d].count;
    if (n >= many) return many;
  }
  return (uint32_t)n;
}

/* Decodes every instruction once, as if each loop ran once, and counts what a run decodes. */
static int check_code(dse_runtime* rt) {
  dse_task t;
  uint64_t steps = 0;
  uint32_t i, more;
  int status;
  for (i = 0; i < rt->operator_count; ++i)
    if (dse_load_operator(rt, i) != DSE_OK) return DSE_ERR_MALFORMED;
  dse_rewind(rt);
  do {
    if (rt->depth > 0) rt->frame[rt->depth - 1].index = rt->frame[rt->depth - 1].count - 1;
    more = turns(rt);
    status = dse_advance(rt, &t);
    if (status > 0) steps += more; /* each of the bytes of a plan adds at most 2^31: no overflow */
  } while (status > 0);
  if (status == DSE_STEP_END && rt->pc + 1 != rt->end) status = DSE_ERR_MALFORMED;
  if (status == DSE_STEP_END && steps != rt->step_count) status = DSE_ERR_TASKS;
  return status;
}

int dse_open(dse_runtime* rt, const uint8_t* plan, uint32_t length) {
  static const uint8_t magic[4] = {'D', 'S', 'E', 'P'};
  dse_reader r;
  int status, i;
  memset(rt, 0, sizeof *rt);
  if (length < 8) return DSE_ERR_MAGIC;
  for (i = 0; i < 4; ++i)
    if (plan[i] != magic[i]) return DSE_ERR_MAGIC;
  if (plan[4] != DSE_PLAN_FORMAT) return DSE_ERR_FORMAT;
  r.bytes = plan;
  r.at = 8;
  r.end = length;
  r.bad = 0;
  if (dse_read_u32(&r) != length || length < HEADER + 4) return DSE_ERR_LENGTH;
  r.at = length - 4;
  if (dse_read_u32(&r) != dse_crc32c(0, plan, length - 4)) return DSE_ERR_CRC;
  rt->plan = plan;
  rt->end = r.end = length - 4;
  r.at = HEADER;
  read_tables(rt, &r);
  if (r.bad || plan[5] || plan[6] || plan[7]) return DSE_ERR_MALFORMED;
  status = check_code(rt);
  dse_rewind(rt);
  return status;
}

static int is_aligned(const void* p, uint8_t log2) { return ((uintptr_t)p & (((uintptr_t)1 << log2) - 1)) == 0; }

/* The memory of an arena: what was given, or, of one that holds nothing but constants, these. */
static int bind_arena(dse_runtime* rt, int32_t a, dse_arena given, const uint8_t* constants) {
  const uint32_t size = rt->arena_size[a];
  const int holds_constants = a == rt->constants_arena;
  uint8_t alignment = rt->arena_alignment[a];
  if (holds_constants && rt->constants_size > (given.base ? size : 0xffffffffu)) return DSE_ERR_ARENA;
  if (holds_constants && !given.base) {
    if (rt->constants_size < size) return DSE_ERR_ARENA; /* something else lives there too */
    given.base = (uint8_t*)(uintptr_t)constants;         /* only read from */
    if (alignment > 4) alignment = 4;                    /* DSE_SECTION_ALIGNMENT is as much as kernels need */
  } else if (size > 0 && (!given.base || given.size < size)) {
    return DSE_ERR_ARENA;
  } else if (holds_constants && given.base != constants && rt->constants_size > 0) {
    memcpy(given.base, constants, rt->constants_size);
  }
  if (size > 0 && !is_aligned(given.base, alignment)) return DSE_ERR_ALIGNMENT;
  rt->arena[a] = given.base;
  return DSE_OK;
}

int dse_bind(dse_runtime* rt, const dse_arena* arenas, int32_t count, const uint8_t* constants) {
  dse_reader r;
  dse_port_info to;
  uint32_t i;
  int32_t a;
  int status = count < rt->arena_count || (rt->constants_size > 0 && !constants) ? DSE_ERR_ARENA : DSE_OK;
  for (a = 0; a < rt->arena_count && status == DSE_OK; ++a) status = bind_arena(rt, a, arenas[a], constants);
  if (status != DSE_OK) return status;
  r.bytes = rt->plan;
  r.at = rt->preloads;
  r.end = rt->end;
  r.bad = 0;
  for (i = 0; i < rt->preload_count; ++i) {
    const uint32_t from = read_preload(rt, &r, &to);
    if (r.bad) return DSE_ERR_MALFORMED;
    if (to.size > 0) memcpy(rt->arena[to.arena] + to.offset, constants + from, to.size);
  }
  return DSE_OK;
}

int32_t dse_arena_count(const dse_runtime* rt) { return rt->arena_count; }
uint32_t dse_arena_size(const dse_runtime* rt, int32_t a) { return rt->arena_size[a]; }
uint32_t dse_arena_alignment(const dse_runtime* rt, int32_t a) { return UINT32_C(1) << rt->arena_alignment[a]; }
int32_t dse_constants_arena(const dse_runtime* rt) { return rt->constants_arena; }
uint32_t dse_constants_size(const dse_runtime* rt) { return rt->constants_size; }
uint32_t dse_point(const dse_runtime* rt) { return rt->point; }
uint32_t dse_task_count(const dse_runtime* rt) { return rt->task_count; }
uint32_t dse_instruction_count(const dse_runtime* rt) { return rt->step_count; }
int32_t dse_queue_count(const dse_runtime* rt) { return rt->queue_count; }
int32_t dse_queue_engine(const dse_runtime* rt, int32_t q) { return rt->queue_engine[q]; }
int32_t dse_input_count(const dse_runtime* rt) { return (int32_t)rt->input_count; }
int32_t dse_output_count(const dse_runtime* rt) { return (int32_t)rt->output_count; }

static dse_port_info place(const dse_runtime* rt, uint32_t at, uint32_t count, int32_t i) {
  dse_port_info p;
  dse_reader r;
  memset(&p, 0, sizeof p);
  if (i < 0 || (uint32_t)i >= count) return p;
  r.bytes = rt->plan;
  r.at = at;
  r.end = rt->end;
  r.bad = 0;
  for (; i >= 0; --i) p = read_place(rt, &r);
  return p;
}
dse_port_info dse_input_info(const dse_runtime* rt, int32_t i) { return place(rt, rt->inputs, rt->input_count, i); }
dse_port_info dse_output_info(const dse_runtime* rt, int32_t i) { return place(rt, rt->outputs, rt->output_count, i); }

uint8_t* dse_input(const dse_runtime* rt, int32_t i) {
  const dse_port_info p = dse_input_info(rt, i);
  return p.size > 0 && rt->arena[p.arena] ? rt->arena[p.arena] + p.offset : 0;
}
const uint8_t* dse_output(const dse_runtime* rt, int32_t i) {
  const dse_port_info p = dse_output_info(rt, i);
  return p.size > 0 && rt->arena[p.arena] ? rt->arena[p.arena] + p.offset : 0;
}
