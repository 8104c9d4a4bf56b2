#include "dse_cycles.h"

#include <string.h>

static int submit(void* state, const dse_runtime* rt, const dse_task* task) {
  dse_cycles* s = (dse_cycles*)state;
  const uint32_t before = s->now();
  const int status = s->inner->submit(s->inner->state, rt, task);
  const uint32_t spent = s->now() - before;
  uint32_t op = task->op_index;
  if (task->kind != DSE_TASK_CALL) {
    s->waiting += spent;
    return status;
  }
  if (op >= DSE_CYCLES_OPERATORS) op = DSE_CYCLES_OPERATORS - 1;
  s->total[op] += spent;
  if (op >= s->operators) s->operators = op + 1;
  return status;
}

static int wait_for(void* state, const dse_runtime* rt, const dse_completion* after, int32_t count) {
  dse_cycles* s = (dse_cycles*)state;
  const uint32_t before = s->now();
  const int status = s->inner->wait(s->inner->state, rt, after, count);
  s->waiting += s->now() - before;
  return status;
}

dse_port dse_make_cycles(dse_cycles* state, const dse_port* inner, uint32_t (*now)(void)) {
  dse_port port;
  memset(state, 0, sizeof *state);
  state->inner = inner;
  state->now = now;
  port.state = state;
  port.submit = submit;
  port.wait = wait_for;
  return port;
}

static void put_number(uint64_t value, void (*put)(const char* text)) {
  char text[21];
  int at = 20;
  text[at] = 0;
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  put(text + at);
}

static int is_same(const char* a, const char* b) {
  for (; *a && *a == *b; ++a) ++b;
  return *a == *b;
}

void dse_cycles_csv(const dse_cycles* s, const char* network, const char* const* layers,
                    void (*put)(const char* text)) {
  uint32_t i, k;
  put("network,layer,cycles\n");
  for (i = 0; i < s->operators; ++i) {
    uint64_t total = 0;
    for (k = 0; k < i && !is_same(layers[k], layers[i]); ++k) {
    }
    if (k < i) continue; /* its row is there */
    for (k = i; k < s->operators; ++k)
      if (is_same(layers[k], layers[i])) total += s->total[k];
    if (total == 0) continue;
    put(network);
    put(",");
    put(layers[i]);
    put(",");
    put_number(total, put);
    put("\n");
  }
}
