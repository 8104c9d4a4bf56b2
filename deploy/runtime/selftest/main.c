/* Self-test of this package on a host: eager, lazy and DMA ports and random interleavings of the engines must all give
 * the outputs that were simulated. Firmware leaves this file and dse_port_random.c out. */
#include <stdio.h>

#include "dse.h"
#include "dse_port_dma.h"
#include "dse_port_lazy.h"
#include "dse_port_random.h"

static int says(const char* name, int seed, int status) {
  if (status == 1) printf("%s %d: outputs differ from the simulation\n", name, seed);
  if (status == 2) printf("%s %d: the kernel library computes another number of calls than promised\n", name, seed);
  if (status < 0) printf("%s %d: error %d of the runtime\n", name, seed, status);
  return status != 0;
}

enum { INTERLEAVINGS = 20 };

#ifdef DSE_UNSEALED_BYTES
const uint8_t* dse_test_key;
static uint8_t key[32];

/* A key of 32 bytes, or of 64 hexadecimal digits. */
static void read_key(const char* path) {
  FILE* file = path ? fopen(path, "rb") : 0;
  char text[65] = {0};
  unsigned i, byte;
  const size_t n = file ? fread(text, 1, 64, file) : 0;
  if (file) fclose(file);
  for (i = 0; i < 32 && n == 32; ++i) key[i] = (uint8_t)text[i];
  for (i = 0; i < 32 && n == 64; ++i) {
    const char digits[3] = {text[2 * i], text[2 * i + 1], 0};
    if (sscanf(digits, "%2x", &byte) != 1) return;
    key[i] = (uint8_t)byte;
  }
  if (n == 32 || n == 64) dse_test_key = key;
}
#endif

static dse_runtime runtime;
static dse_port_eager eager;
static dse_port_lazy lazy;
static dse_port_dma through_dma;
static dse_dma_blocking blocking;
static dse_port_random shuffled;

int main(int argc, char** argv) {
  int seed, failures;
  dse_dma dma = dse_make_dma_blocking(&blocking);
  dse_port port = dse_make_port_eager(&eager);
#ifdef DSE_UNSEALED_BYTES
  read_key(argc > 1 ? argv[1] : 0);
#else
  (void)argc;
  (void)argv;
#endif
  failures = says("eager", 0, dse_selftest(&runtime, &port));
  port = dse_make_port_lazy(&lazy);
  failures += says("lazy", 0, dse_selftest(&runtime, &port));
  port = dse_make_port_dma(&through_dma, &dma);
  failures += says("dma", 0, dse_selftest(&runtime, &port));
  for (seed = 1; seed <= INTERLEAVINGS; ++seed) {
    port = dse_make_port_random(&shuffled, (uint64_t)seed, 0);
    failures += says("random", seed, dse_selftest(&runtime, &port));
  }
  printf("%s on %s: %d runs, %d failures\n", DSE_NETWORK, DSE_DEVICE, INTERLEAVINGS + 3, failures);
  return failures > 0;
}
