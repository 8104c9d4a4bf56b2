/* Self-test of this package on a host: eager and lazy ports and random interleavings of the engines must all give the
 * outputs that were simulated. Firmware leaves this file and dse_port_random.c out. */
#include <stdio.h>

#include "dse_package.h"
#include "dse_port_eager.h"
#include "dse_port_lazy.h"
#include "dse_port_random.h"

enum { INTERLEAVINGS = 20 };

static dse_runtime runtime;
static dse_port_eager eager;
static dse_port_lazy lazy;
static dse_port_random shuffled;

static int run(const char* name, int seed, const dse_port* port) {
  const int status = dse_selftest(&runtime, port);
  if (status > 0) printf("%s %d: outputs differ from the simulation\n", name, seed);
  if (status < 0) printf("%s %d: error %d of the runtime\n", name, seed, status);
  return status != 0;
}

int main(void) {
  int seed, failures;
  dse_port port = dse_make_port_eager(&eager);
  failures = run("eager", 0, &port);
  port = dse_make_port_lazy(&lazy);
  failures += run("lazy", 0, &port);
  for (seed = 1; seed <= INTERLEAVINGS; ++seed) {
    port = dse_make_port_random(&shuffled, (uint64_t)seed, 0);
    failures += run("random", seed, &port);
  }
  printf("%s on %s: %d runs, %d failures\n", DSE_PACKAGE_NETWORK, DSE_PACKAGE_DEVICE, INTERLEAVINGS + 2, failures);
  return failures > 0;
}
