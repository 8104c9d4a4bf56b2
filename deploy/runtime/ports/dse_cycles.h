/* Measures what each operator takes on the target: a port around another one, with a function of the firmware's that
 * returns a counter of cycles, such as DWT->CYCCNT. */
#ifndef DSE_CYCLES_H
#define DSE_CYCLES_H
#include "dse_runtime.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { DSE_CYCLES_OPERATORS = 256 };

typedef struct dse_cycles {
  const dse_port* inner;
  uint32_t (*now)(void);
  uint32_t operators;                   /* that were called: the highest index, plus 1 */
  uint64_t total[DSE_CYCLES_OPERATORS]; /* by operator of the plan; the last one also takes those beyond */
  uint64_t waiting;                     /* for copies, and copies that the processor does itself */
} dse_cycles;

/* `now` counts up and wraps at 2^32. Only the time of calls that run at once is known: with a port that puts calls off,
 * measure there. */
dse_port dse_make_cycles(dse_cycles* state, const dse_port* inner, uint32_t (*now)(void));

/* A row for each operator that was called, as `dse calibrate` reads them: "network,layer,cycles". `layers`: by operator
 * of the plan, dse_layers of the package; `put` writes text, to a serial port say. What several operators of the plan
 * do for one layer is one row. */
void dse_cycles_csv(const dse_cycles* state, const char* network, const char* const* layers,
                    void (*put)(const char* text));

#ifdef __cplusplus
}
#endif
#endif
