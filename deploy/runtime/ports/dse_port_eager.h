/* A port that does every task at once, when it is submitted: the simplest target, one processor and no DMA. */
#ifndef DSE_PORT_EAGER_H
#define DSE_PORT_EAGER_H
#include "dse_runtime.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct dse_port_eager {
  int32_t done[DSE_MAX_QUEUES];
} dse_port_eager;

/* Prepares `state` for one run. */
dse_port dse_make_port_eager(dse_port_eager* state);

#ifdef __cplusplus
}
#endif
#endif
