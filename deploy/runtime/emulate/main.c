/* The self-test on an emulated Cortex-M: says how each run ended and how much stack it took. */
#include "dse.h"
#include "emulate.h"

static int emulate_failures;

static void says(const char* name, int status) {
  emulate_say(name);
  emulate_say(status == 0 ? " ok\n" : status == 1 ? " differs\n" : status > 1 ? " other-calls\n" : " error\n");
  if (status < 0) emulate_number("error -", (uint32_t)-status);
  emulate_failures += status != 0;
}

#ifdef EMULATE_KEY
static const uint8_t key[32] = {EMULATE_KEY};
const uint8_t* dse_test_key = key;
#endif

static dse_runtime runtime;
static dse_port_eager eager;

#ifdef EMULATE_PORTS /* the others too: a second image, so that the sizes of the first are those of a firmware */
#include "dse_port_lazy.h"
#include "tick_dma.h"
static dse_port_lazy lazy;
static dse_port_dma through_dma;
static tick_dma ticking;
#endif

int emulate_main(void) {
  dse_port port = dse_make_port_eager(&eager);
#ifdef EMULATE_PORTS
  dse_dma dma;
#endif
  says("eager", dse_selftest(&runtime, &port));
  emulate_number("stack", emulate_stack_used());
  emulate_number("instructions", emulate_counted());
#ifdef EMULATE_PORTS
  port = dse_make_port_lazy(&lazy);
  says("lazy", dse_selftest(&runtime, &port));
  dma = tick_dma_make(&ticking);
  port = dse_make_port_dma(&through_dma, &dma);
  says("dma", dse_selftest(&runtime, &port));
#endif
  return emulate_failures;
}
