#include "dse_port_dma.h"

#include <string.h>

#include "dse_exec.h"

/* Waits until the queue has completed `count` tasks. Calls are complete when submitted, so what is missing is a copy.
 */
static int await(dse_port_dma* s, int32_t queue, int32_t count) {
  int status = DSE_OK;
  while (status == DSE_OK && s->done[queue] < count) {
    if (s->pending[queue] < count) return DSE_ERR_ORDER;
    if (s->dma->completed(s->dma->state, queue) >= s->copies[queue])
      s->done[queue] = s->pending[queue];
    else
      status = s->dma->idle(s->dma->state);
  }
  return status;
}

static int wait_for(void* state, const dse_runtime* rt, const dse_completion* after, int32_t count) {
  int32_t i;
  int status = DSE_OK;
  (void)rt;
  for (i = 0; i < count && status == DSE_OK; ++i) status = await((dse_port_dma*)state, after[i].queue, after[i].count);
  return status;
}

static int submit(void* state, const dse_runtime* rt, const dse_task* task) {
  dse_port_dma* s = (dse_port_dma*)state;
  int status = wait_for(state, rt, task->after, task->after_count);
  if (status == DSE_OK && task->kind == DSE_TASK_COPY) {
    status = dse_check(rt, task);
    if (status == DSE_OK) status = s->dma->start(s->dma->state, rt, task);
    ++s->copies[task->queue];
    s->pending[task->queue] = task->sequence;
    return status;
  }
  if (status == DSE_OK) status = await(s, task->queue, task->sequence - 1); /* what is before it in its queue */
  if (status == DSE_OK) status = dse_execute(rt, task);
  s->done[task->queue] = s->pending[task->queue] = task->sequence;
  return status;
}

dse_port dse_make_port_dma(dse_port_dma* state, const dse_dma* dma) {
  dse_port port;
  memset(state, 0, sizeof *state);
  state->dma = dma;
  port.state = state;
  port.submit = submit;
  port.wait = wait_for;
  return port;
}

static int copy_now(void* state, const dse_runtime* rt, const dse_task* copy) {
  dse_dma_blocking* s = (dse_dma_blocking*)state;
  const int status = dse_execute(rt, copy);
  ++s->completed[copy->queue];
  return status;
}
static int32_t completed(void* state, int32_t queue) { return ((const dse_dma_blocking*)state)->completed[queue]; }
static int idle(void* state) {
  (void)state;
  return DSE_ERR_PORT; /* nothing is ever under way */
}

dse_dma dse_make_dma_blocking(dse_dma_blocking* state) {
  dse_dma dma;
  memset(state, 0, sizeof *state);
  dma.state = state;
  dma.start = copy_now;
  dma.completed = completed;
  dma.idle = idle;
  return dma;
}
