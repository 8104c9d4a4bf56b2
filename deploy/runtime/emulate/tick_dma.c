#include "tick_dma.h"

#include <string.h>

#include "dse_exec.h"
#include "emulate.h"

static tick_dma* active;

static void tick(void) {
  tick_dma* s = active;
  dse_task* t;
  dse_span rows;
  if (!s || s->ended == s->begun || s->status != DSE_OK) return;
  t = &s->copy[s->ended % TICK_COPIES];
  rows = t->tile.y;
  if (s->row < rows.lo) s->row = rows.lo;
  if (s->row < rows.hi) {
    t->tile.y.lo = s->row;
    t->tile.y.hi = s->row + 1;
    s->status = dse_execute(s->rt, t);
    t->tile.y = rows;
    ++s->row;
  }
  if (s->row < rows.hi) return;
  ++s->completed[t->queue];
  s->row = INT32_MIN;
  ++s->ended;
}

static int start(void* state, const dse_runtime* rt, const dse_task* copy) {
  tick_dma* s = (tick_dma*)state;
  while (s->begun - s->ended == TICK_COPIES) __asm__ volatile("" ::: "memory");
  s->rt = rt;
  memcpy(&s->copy[s->begun % TICK_COPIES], copy, sizeof *copy);
  __asm__ volatile("" ::: "memory");
  ++s->begun;
  return s->status;
}
static int32_t completed(void* state, int32_t queue) { return ((const tick_dma*)state)->completed[queue]; }
static int idle(void* state) {
  __asm__ volatile("" ::: "memory");
  return ((const tick_dma*)state)->status;
}

dse_dma tick_dma_make(tick_dma* state) {
  dse_dma dma;
  active = 0;
  memset(state, 0, sizeof *state);
  state->row = INT32_MIN;
  active = state;
  emulate_on_tick = tick;
  *(volatile uint32_t*)0xe000e014u = TICK_PERIOD; /* SYST_RVR */
  *(volatile uint32_t*)0xe000e018u = 0;           /* SYST_CVR */
  *(volatile uint32_t*)0xe000e010u = 7;           /* SYST_CSR: on, interrupts, the core's clock */
  dma.state = state;
  dma.start = start;
  dma.completed = completed;
  dma.idle = idle;
  return dma;
}
