/* A DMA controller made of the core's timer: at every tick, whatever the processor does, a row of the oldest copy is
 * done. So copies and kernels do run beside each other, as with a real controller. */
#ifndef TICK_DMA_H
#define TICK_DMA_H
#include "dse_port_dma.h"

enum { TICK_COPIES = 8, TICK_PERIOD = 400 /* cycles of the timer's clock */ };

typedef struct tick_dma {
  const dse_runtime* rt;
  dse_task copy[TICK_COPIES]; /* begun, oldest at `first` */
  volatile uint32_t begun, ended;
  volatile int32_t completed[DSE_MAX_QUEUES];
  volatile int status;
  int32_t row; /* of the oldest copy that comes next */
} tick_dma;

/* Prepares for one run and starts the timer. */
dse_dma tick_dma_make(tick_dma* state);

#endif
