/* An inference: every task to the port, and the wait for the last one. */
#include "dse_runtime.h"

/* After the last task: all of them have run, and are complete. */
static int finish(const dse_runtime* rt, const dse_port* port) {
  dse_completion all[DSE_MAX_QUEUES];
  int32_t q, n = 0;
  if (rt->tasks_left > 0) return DSE_ERR_TASKS;
  for (q = 0; q < rt->queue_count; ++q)
    if (rt->issued[q] > 0) {
      all[n].queue = q;
      all[n++].count = rt->issued[q];
    }
  return port->wait(port->state, rt, all, n);
}

int dse_step(dse_runtime* rt, const dse_port* port) {
  dse_task t;
  int status = dse_next(rt, &t);
  if (status == DSE_STEP_END) return finish(rt, port);
  if (status != DSE_STEP_TASK) return status;
  status = t.queue < 0 ? port->wait(port->state, rt, t.after, t.after_count) : port->submit(port->state, rt, &t);
  return status == DSE_OK ? 1 : status;
}

int dse_run(dse_runtime* rt, const dse_port* port) {
  int status;
  dse_rewind(rt);
  do {
    status = dse_step(rt, port);
  } while (status > 0);
  return status;
}
