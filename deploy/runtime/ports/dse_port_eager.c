#include "dse_port_eager.h"

#include <string.h>

#include "dse_exec.h"

static int wait_for(void* state, const dse_runtime* rt, const dse_completion* after, int32_t count) {
  const dse_port_eager* s = (const dse_port_eager*)state;
  int32_t i;
  (void)rt;
  for (i = 0; i < count; ++i)
    if (s->done[after[i].queue] < after[i].count) return DSE_ERR_ORDER;
  return DSE_OK;
}

static int submit(void* state, const dse_runtime* rt, const dse_task* task) {
  dse_port_eager* s = (dse_port_eager*)state;
  int status = wait_for(state, rt, task->after, task->after_count);
  if (status == DSE_OK) status = dse_execute(rt, task);
  if (status == DSE_OK) s->done[task->queue] = task->sequence;
  return status;
}

dse_port dse_make_port_eager(dse_port_eager* state) {
  dse_port port;
  memset(state, 0, sizeof *state);
  port.state = state;
  port.submit = submit;
  port.wait = wait_for;
  return port;
}
