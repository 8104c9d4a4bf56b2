/* A port over a DMA controller that is driven by three functions. Calls run on the processor, when they are submitted;
 * copies run beside them, each in its queue. */
#ifndef DSE_PORT_DMA_H
#define DSE_PORT_DMA_H
#include "dse_runtime.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct dse_dma {
  void* state;
  /* Begins `copy`, after the ones begun before it in copy->queue; may block while that is full. The structure may be
   * stored. What it waits for is complete. Returns DSE_OK or DSE_ERR_PORT. */
  int (*start)(void* state, const dse_runtime* rt, const dse_task* copy);
  /* How many copies of `queue` are complete, in this run. Never blocks. */
  int32_t (*completed)(void* state, int32_t queue);
  /* Sleeps, or works on the copies, until something may have completed. */
  int (*idle)(void* state);
} dse_dma;

typedef struct dse_port_dma {
  const dse_dma* dma;
  int32_t copies[DSE_MAX_QUEUES];  /* begun, by queue */
  int32_t pending[DSE_MAX_QUEUES]; /* position in the queue of the last copy that was begun */
  int32_t done[DSE_MAX_QUEUES];    /* position of the last task known to be complete */
} dse_port_dma;

/* Prepares `state` for one run; `dma` must be at rest and count from 0. */
dse_port dse_make_port_dma(dse_port_dma* state, const dse_dma* dma);

/* The simplest controller: the processor copies at once. */
typedef struct dse_dma_blocking {
  int32_t completed[DSE_MAX_QUEUES];
} dse_dma_blocking;
dse_dma dse_make_dma_blocking(dse_dma_blocking* state);

#ifdef __cplusplus
}
#endif
#endif
