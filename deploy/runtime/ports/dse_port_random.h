/* A port for tests on a host: engines run ahead or fall behind at random, within what the plan allows. Each queue is a
 * FIFO; a head task whose completions are there may run at any moment. A plan whose dependencies are right gives the
 * same bytes for every seed. */
#ifndef DSE_PORT_RANDOM_H
#define DSE_PORT_RANDOM_H
#include "dse_runtime.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { DSE_RANDOM_DEPTH = 8 };

typedef struct dse_port_random {
  uint64_t state;                   /* of splitmix64 */
  int32_t depth;                    /* of each FIFO; submit blocks when it is full */
  uint32_t progress;                /* of 256: how eagerly engines run while control issues */
  uint32_t bias;                    /* of 256: how often the favoured queue goes first */
  int32_t favoured[DSE_MAX_QUEUES]; /* queues, most favoured first */
  int32_t done[DSE_MAX_QUEUES], head[DSE_MAX_QUEUES], size[DSE_MAX_QUEUES];
  dse_task fifo[DSE_MAX_QUEUES][DSE_RANDOM_DEPTH];
} dse_port_random;

/* Prepares `state` for one run. `depth`: 1 to DSE_RANDOM_DEPTH, 0 = drawn from the seed too. */
dse_port dse_make_port_random(dse_port_random* state, uint64_t seed, int32_t depth);

#ifdef __cplusplus
}
#endif
#endif
