/* A port that copies as late as it may: a copy is done only when a call, another copy or a wait needs it, or when the
 * list of postponed copies is full. Calls are done when submitted. The opposite of the eager port; a plan whose
 * dependencies are right gives the same bytes with both. */
#ifndef DSE_PORT_LAZY_H
#define DSE_PORT_LAZY_H
#include "dse_runtime.h"
#ifdef __cplusplus
extern "C" {
#endif

#ifndef DSE_LAZY_COPIES
#define DSE_LAZY_COPIES 16
#endif

/* What a copy needs of its task. */
typedef struct dse_postponed {
  int32_t queue, sequence, after_count;
  dse_completion after[DSE_MAX_QUEUES];
  dse_span y, x, c;
  dse_view from, to;
  uint8_t from_arena, to_arena, fill, value;
} dse_postponed;

typedef struct dse_port_lazy {
  int32_t done[DSE_MAX_QUEUES];
  int32_t count;
  dse_postponed copies[DSE_LAZY_COPIES]; /* in issue order */
} dse_port_lazy;

/* Prepares `state` for one run. */
dse_port dse_make_port_lazy(dse_port_lazy* state);

#ifdef __cplusplus
}
#endif
#endif
