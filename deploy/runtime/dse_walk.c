/* Expands the plan: loops, ranges, slots, skipped tasks. The rules are those of the simulator, step for step. */
#include <string.h>

#include "dse_decode.h"
#include "dse_runtime.h"

enum { NO_SLOT = -1 };

static void clear_slots(dse_runtime* rt) {
  int i;
  for (i = 0; i < DSE_MAX_SLOTS; ++i) rt->slot[i].size = 0;
}

static void forget(dse_runtime* rt) { rt->view_count = rt->range_count = 0; }

void dse_rewind(dse_runtime* rt) {
  rt->pc = rt->code;
  rt->tasks_left = rt->task_count;
  rt->steps_left = rt->step_count;
  rt->depth = rt->waits = 0;
  rt->section = -1;
  memset(rt->loops, 0, sizeof rt->loops);
  memset(rt->issued, 0, sizeof rt->issued);
  rt->op_index = 0xffffffffu;
  clear_slots(rt);
  forget(rt);
}

static void record(dse_slot* s, int32_t queue, int32_t count) {
  int i;
  for (i = DSE_MAX_HISTORY - 1; i > 0; --i) s->history[i] = s->history[i - 1];
  s->history[0].queue = queue;
  s->history[0].count = count;
  if (s->size < DSE_MAX_HISTORY) ++s->size;
}

static void require(dse_task* t, int32_t queue, int32_t count) {
  int i;
  if (count <= 0) return;
  for (i = 0; i < t->after_count; ++i)
    if (t->after[i].queue == queue) {
      if (t->after[i].count < count) t->after[i].count = count;
      return;
    }
  t->after[t->after_count].queue = queue; /* at most one per queue: fits */
  t->after[t->after_count++].count = count;
}

/* Binds the view of a role. @returns its presence. */
static int operand(dse_runtime* rt, dse_reader* r, dse_task* t, int role) {
  const dse_view_entry e = dse_read_view(rt, r);
  const int32_t* f = e.field;
  dse_view* v = &t->view[role];
  if (r->bad || f[DSE_F_ARENA] < 0) return 0;
  v->base = rt->arena[f[DSE_F_ARENA]] ? rt->arena[f[DSE_F_ARENA]] + f[DSE_F_OFFSET] : 0;
  v->stride_h = f[DSE_F_STRIDE_H];
  v->stride_w = f[DSE_F_STRIDE_W];
  v->stride_c = f[DSE_F_STRIDE_C];
  v->first_h = f[DSE_F_FIRST_H];
  v->first_c = f[DSE_F_FIRST_C];
  v->ring_h = f[DSE_F_RING_H];
  v->ring_c = f[DSE_F_RING_C];
  v->block_c = f[DSE_F_BLOCK_C];
  v->stride_block = f[DSE_F_STRIDE_BLOCK];
  v->elem = f[DSE_F_ELEM];
  t->arena[role] = (uint8_t)f[DSE_F_ARENA];
  return 1;
}

static int is_empty(dse_span s) { return s.lo >= s.hi; }

static int box(dse_runtime* rt, dse_reader* r, dse_task* t) {
  dse_range x = dse_read_range(rt, r);
  t->tile.y = dse_range_at(&x, rt->loops);
  x = dse_read_range(rt, r);
  t->tile.x = dse_range_at(&x, rt->loops);
  x = dse_read_range(rt, r);
  t->tile.c = dse_range_at(&x, rt->loops);
  return is_empty(t->tile.y) || is_empty(t->tile.x) || is_empty(t->tile.c);
}

/* Each payload returns 1 if the task does nothing and is to be skipped. */
static int copy_payload(dse_runtime* rt, dse_reader* r, dse_task* t) {
  const uint32_t fill = dse_read_u8(r);
  if (fill > 1) r->bad = 1;
  t->fill = (uint8_t)fill;
  if (fill)
    t->value = (uint8_t)dse_read_u8(r);
  else if (!operand(rt, r, t, DSE_IN0))
    r->bad = 1;
  if (!operand(rt, r, t, DSE_OUT)) r->bad = 1;
  if (!fill && t->view[DSE_IN0].elem != t->view[DSE_OUT].elem) r->bad = 1;
  return box(rt, r, t);
}

static int call_payload(dse_runtime* rt, dse_reader* r, dse_task* t) {
  const uint32_t op = dse_read_varint(r), mask = dse_read_varint(r);
  dse_range k;
  int role, skip, split;
  int32_t depth;
  if (r->bad || dse_load_operator(rt, op) != DSE_OK) {
    r->bad = 1;
    return 0;
  }
  t->op = rt->op;
  t->op_index = op;
  for (role = 0; role < DSE_ROLES; ++role)
    if (mask >> (role + 1) & 1u && !operand(rt, r, t, role)) r->bad = 1;
  skip = box(rt, r, t);
  k = dse_read_range(rt, r);
  split = k.limit > 0; /* operators that do not split their input channels leave the range out */
  depth = split ? k.limit : t->op.in_c;
  t->tile.k.lo = 0;
  t->tile.k.hi = t->op.in_c;
  if (split) t->tile.k = dse_range_at(&k, rt->loops);
  t->tile.flags = DSE_FIRST | DSE_LAST;
  if (mask & 1u) t->tile.flags = (t->tile.k.lo == 0 ? DSE_FIRST : 0u) | (t->tile.k.hi == depth ? DSE_LAST : 0u);
  return skip || (split && is_empty(t->tile.k));
}

static int foreign_payload(dse_reader* r, dse_task* t) {
  t->kind = (int32_t)dse_read_u8(r);
  t->payload_bytes = dse_read_size(r);
  t->payload = r->bytes + r->at;
  dse_read_skip(r, t->payload_bytes);
  return 0;
}

static int task(dse_runtime* rt, dse_reader* r, uint32_t head, dse_task* t) {
  static const uint8_t kinds[4] = {DSE_TASK_WAIT, DSE_TASK_COPY, DSE_TASK_CALL, 0};
  uint32_t queue = head >> 2 & 7u, count = 0, i, wait_all = 0;
  int32_t slot = NO_SLOT;
  int skip = 0, control;
  memset(t, 0, sizeof *t);
  t->kind = kinds[head >> 5 & 3u];
  control = t->kind == DSE_TASK_WAIT;
  t->section = rt->section < 0 ? 0 : rt->section;
  if (queue == 7) queue = dse_read_u8(r);
  if (control ? queue != 0 || head & 2u : queue >= (uint32_t)rt->queue_count) r->bad = 1;
  t->queue = control ? -1 : (int32_t)queue;
  if (head & 3u) {
    count = dse_read_u8(r);
    if (head & 2u) slot = (int32_t)(count >> 4);
    count &= 15u;
    if (count == 15) count = dse_read_u8(r);
    for (i = 0; i < count && !r->bad; ++i) {
      const uint32_t d = dse_read_u8(r);
      const dse_slot* s = &rt->slot[d >> 2 & 15u];
      if (d >> 6) r->bad = 1;
      if ((int32_t)(d & 3u) < s->size) require(t, s->history[d & 3u].queue, s->history[d & 3u].count);
    }
  }
  switch (t->kind) {
    case DSE_TASK_COPY:
      skip = copy_payload(rt, r, t);
      break;
    case DSE_TASK_CALL:
      skip = call_payload(rt, r, t);
      break;
    case DSE_TASK_WAIT:
      wait_all = dse_read_u8(r);
      if (wait_all > 1) r->bad = 1;
      break;
    default:
      skip = foreign_payload(r, t);
      break;
  }
  if (r->bad) return DSE_ERR_MALFORMED;
  if (skip) { /* its slot repeats the latest entry */
    if (slot != NO_SLOT) {
      const dse_slot* s = &rt->slot[slot];
      const dse_completion latest = s->history[0];
      if (s->size > 0)
        record(&rt->slot[slot], latest.queue, latest.count);
      else
        record(&rt->slot[slot], t->queue, 0);
    }
    return DSE_STEP_NONE;
  }
  if (rt->tasks_left == 0) return DSE_ERR_TASKS;
  --rt->tasks_left;
  if (control) {
    t->sequence = ++rt->waits;
    if (wait_all) {
      for (i = 0; i < (uint32_t)rt->queue_count; ++i) require(t, (int32_t)i, rt->issued[i]);
      clear_slots(rt);
    }
  } else {
    if (rt->issued[queue] == 0x7fffffff) return DSE_ERR_MALFORMED;
    t->sequence = ++rt->issued[queue];
    if (slot != NO_SLOT) record(&rt->slot[slot], t->queue, t->sequence);
  }
  return DSE_STEP_TASK;
}

static int loop(dse_runtime* rt, dse_reader* r) {
  const uint32_t count = dse_read_size(r);
  dse_frame* f;
  if (r->bad || count == 0 || rt->depth >= DSE_MAX_LOOPS) return DSE_ERR_MALFORMED;
  f = &rt->frame[rt->depth];
  f->body = r->at;
  f->count = (int32_t)count;
  f->index = 0;
  f->views = (uint8_t)rt->view_count;
  f->ranges = (uint8_t)rt->range_count;
  rt->loops[rt->depth++] = 0;
  return DSE_STEP_NONE;
}

static int end(dse_runtime* rt, dse_reader* r) {
  dse_frame* f;
  if (rt->depth == 0) return DSE_ERR_MALFORMED;
  f = &rt->frame[rt->depth - 1];
  if (++f->index < f->count) { /* the body defines its views and ranges anew, at the same places */
    rt->loops[rt->depth - 1] = f->index;
    rt->view_count = f->views;
    rt->range_count = f->ranges;
    r->at = f->body;
  } else {
    rt->loops[--rt->depth] = 0;
  }
  return DSE_STEP_NONE;
}

int dse_advance(dse_runtime* rt, dse_task* t) {
  dse_reader r;
  uint32_t head;
  int status = DSE_STEP_NONE;
  r.bytes = rt->plan;
  r.at = rt->pc;
  r.end = rt->end;
  r.bad = 0;
  head = dse_read_u8(&r);
  if (r.bad) return DSE_ERR_MALFORMED;
  if (head != DSE_CODE_STOP) {
    if (rt->steps_left == 0) return DSE_ERR_TASKS;
    --rt->steps_left;
  }
  if (head & DSE_CODE_TASK) {
    status = task(rt, &r, head, t);
  } else {
    switch (head) {
      case DSE_CODE_STOP:
        return rt->depth == 0 ? DSE_STEP_END : DSE_ERR_MALFORMED; /* stays there */
      case DSE_CODE_END:
        status = end(rt, &r);
        break;
      case DSE_CODE_LOOP:
        status = loop(rt, &r);
        break;
      case DSE_CODE_SECTION:
        if (rt->depth > 0 || (uint32_t)(rt->section + 1) >= rt->section_count) return DSE_ERR_MALFORMED;
        ++rt->section;
        clear_slots(rt);
        forget(rt);
        break;
      case DSE_CODE_FORGET:
        if (rt->depth > 0) return DSE_ERR_MALFORMED;
        forget(rt);
        break;
      default:
        return DSE_ERR_MALFORMED;
    }
  }
  rt->pc = r.at;
  return status;
}

int dse_next(dse_runtime* rt, dse_task* t) {
  int status;
  do {
    status = dse_advance(rt, t);
  } while (status == DSE_STEP_NONE);
  return status;
}
