#include "dse_port_random.h"

#include <string.h>

#include "dse_exec.h"

static uint32_t draw(dse_port_random* s, uint32_t below) {
  uint64_t z = (s->state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  z ^= z >> 31;
  return (uint32_t)((z >> 32) % below);
}

static int complete(const dse_port_random* s, const dse_completion* after, int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i)
    if (s->done[after[i].queue] < after[i].count) return 0;
  return 1;
}

/* Runs one head task that is ready. *ran = 0 if none is. */
static int run_one(dse_port_random* s, const dse_runtime* rt, int* ran) {
  int32_t ready[DSE_MAX_QUEUES], count = 0, i, q;
  int status;
  for (i = 0; i < DSE_MAX_QUEUES; ++i) { /* in order of favour; queues that the plan lacks stay empty */
    q = s->favoured[i];
    if (s->size[q] > 0 && complete(s, s->fifo[q][s->head[q]].after, s->fifo[q][s->head[q]].after_count))
      ready[count++] = q;
  }
  *ran = count > 0;
  if (count == 0) return DSE_OK;
  q = ready[draw(s, 256) < s->bias ? 0 : draw(s, (uint32_t)count)];
  status = dse_execute(rt, &s->fifo[q][s->head[q]]);
  if (status != DSE_OK) return status;
  s->done[q] = s->fifo[q][s->head[q]].sequence;
  s->head[q] = (s->head[q] + 1) % DSE_RANDOM_DEPTH;
  --s->size[q];
  return DSE_OK;
}

static int wait_for(void* state, const dse_runtime* rt, const dse_completion* after, int32_t count) {
  dse_port_random* s = (dse_port_random*)state;
  while (!complete(s, after, count)) {
    int ran = 0;
    const int status = run_one(s, rt, &ran);
    if (status != DSE_OK) return status;
    if (!ran) return DSE_ERR_ORDER; /* nothing can run: deadlock */
  }
  return DSE_OK;
}

static int submit(void* state, const dse_runtime* rt, const dse_task* t) {
  dse_port_random* s = (dse_port_random*)state;
  int ran = 1, status = DSE_OK;
  while (status == DSE_OK && ran && draw(s, 256) < s->progress) status = run_one(s, rt, &ran);
  while (status == DSE_OK && s->size[t->queue] >= s->depth) {
    status = run_one(s, rt, &ran);
    if (status == DSE_OK && !ran) status = DSE_ERR_ORDER;
  }
  if (status != DSE_OK) return status;
  s->fifo[t->queue][(s->head[t->queue] + s->size[t->queue]++) % DSE_RANDOM_DEPTH] = *t;
  return DSE_OK;
}

dse_port dse_make_port_random(dse_port_random* s, uint64_t seed, int32_t depth) {
  static const uint32_t paces[4] = {0, 32, 128, 224}, biases[3] = {0, 200, 256};
  dse_port port;
  int32_t i;
  s->state = seed;
  s->depth = depth >= 1 && depth <= DSE_RANDOM_DEPTH ? depth : 1 + (int32_t)draw(s, DSE_RANDOM_DEPTH);
  s->progress = paces[draw(s, 4)];
  s->bias = biases[draw(s, 3)];
  memset(s->favoured, 0, sizeof s->favoured);
  for (i = 0; i < DSE_MAX_QUEUES; ++i) { /* a random order */
    const int32_t j = (int32_t)draw(s, (uint32_t)i + 1);
    s->favoured[i] = s->favoured[j];
    s->favoured[j] = i;
  }
  memset(s->done, 0, sizeof s->done);
  memset(s->head, 0, sizeof s->head);
  memset(s->size, 0, sizeof s->size);
  port.state = s;
  port.submit = submit;
  port.wait = wait_for;
  return port;
}
