#include "dse_port_lazy.h"

#include <string.h>

#include "dse_exec.h"

/* Does copy `i` and strikes it from the list. */
static int copy_now(dse_port_lazy* s, const dse_runtime* rt, int32_t i) {
  const dse_postponed* p = &s->copies[i];
  dse_task t;
  int status;
  memset(&t, 0, sizeof t);
  t.kind = DSE_TASK_COPY;
  t.tile.y = p->y;
  t.tile.x = p->x;
  t.tile.c = p->c;
  t.view[DSE_IN0] = p->from;
  t.view[DSE_OUT] = p->to;
  t.arena[DSE_IN0] = p->from_arena;
  t.arena[DSE_OUT] = p->to_arena;
  t.fill = p->fill;
  t.value = p->value;
  status = dse_execute(rt, &t);
  if (status != DSE_OK) return status;
  s->done[p->queue] = p->sequence;
  --s->count;
  for (; i < s->count; ++i) memcpy(&s->copies[i], &s->copies[i + 1], sizeof s->copies[i]); /* no memmove */
  return DSE_OK;
}

/* Queue of a completion that is still missing, -1 = none. */
static int32_t missing(const dse_port_lazy* s, const dse_completion* after, int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i)
    if (s->done[after[i].queue] < after[i].count) return after[i].queue;
  return -1;
}

/* Does the next copy that brings queue `queue` forward: its oldest one, or first what that one waits for. */
static int advance(dse_port_lazy* s, const dse_runtime* rt, int32_t queue) {
  int32_t steps, i;
  for (steps = 0; steps <= DSE_LAZY_COPIES; ++steps) {
    for (i = 0; i < s->count && s->copies[i].queue != queue; ++i) {
    }
    if (i == s->count) return DSE_ERR_ORDER;
    queue = missing(s, s->copies[i].after, s->copies[i].after_count);
    if (queue < 0) return copy_now(s, rt, i);
  }
  return DSE_ERR_ORDER; /* they wait for each other */
}

static int wait_for(void* state, const dse_runtime* rt, const dse_completion* after, int32_t count) {
  dse_port_lazy* s = (dse_port_lazy*)state;
  int32_t queue;
  while ((queue = missing(s, after, count)) >= 0) {
    const int status = advance(s, rt, queue);
    if (status != DSE_OK) return status;
  }
  return DSE_OK;
}

static int postpone(dse_port_lazy* s, const dse_runtime* rt, const dse_task* t) {
  dse_postponed* p;
  if (s->count == DSE_LAZY_COPIES) {
    const int status = advance(s, rt, s->copies[0].queue);
    if (status != DSE_OK) return status;
  }
  p = &s->copies[s->count++];
  p->queue = t->queue;
  p->sequence = t->sequence;
  p->after_count = t->after_count;
  memcpy(p->after, t->after, sizeof p->after);
  p->y = t->tile.y;
  p->x = t->tile.x;
  p->c = t->tile.c;
  p->from = t->view[DSE_IN0];
  p->to = t->view[DSE_OUT];
  p->from_arena = t->arena[DSE_IN0];
  p->to_arena = t->arena[DSE_OUT];
  p->fill = t->fill;
  p->value = t->value;
  return DSE_OK;
}

static int submit(void* state, const dse_runtime* rt, const dse_task* t) {
  dse_port_lazy* s = (dse_port_lazy*)state;
  dse_completion before;
  int status;
  if (t->kind == DSE_TASK_COPY) return postpone(s, rt, t);
  before.queue = t->queue; /* what was submitted to the same queue comes first */
  before.count = t->sequence - 1;
  status = wait_for(state, rt, &before, 1);
  if (status == DSE_OK) status = wait_for(state, rt, t->after, t->after_count);
  if (status == DSE_OK) status = dse_execute(rt, t);
  if (status == DSE_OK) s->done[t->queue] = t->sequence;
  return status;
}

dse_port dse_make_port_lazy(dse_port_lazy* state) {
  dse_port port;
  memset(state, 0, sizeof *state);
  port.state = state;
  port.submit = submit;
  port.wait = wait_for;
  return port;
}
