/* Runs the package's test vector and compares with what was simulated. No libc: this runs on the target too. */
#include "dse_start.h"

/* An emulator counts what lies between. */
#ifndef DSE_TEST_BEGIN
#define DSE_TEST_BEGIN() (void)0
#define DSE_TEST_END() (void)0
#endif

static void poison(void) { /* nothing may depend on what memory held before */
  int32_t i;
  uint32_t k;
  for (i = 0; i < DSE_ARENAS; ++i)
    for (k = 0; dse_arenas[i].base && k < dse_arenas[i].size; ++k) dse_arenas[i].base[k] = 0xA5;
#ifdef DSE_CMSIS_CALLS
  for (k = 0; k < DSE_CMSIS_MEMORY_BYTES; ++k) dse_cmsis_memory[k] = 0xA5;
#endif
}

#if DSE_IS_STATIC
int dse_selftest(void) {
#else
int dse_selftest(dse_runtime* rt, const dse_port* port) {
#endif
  int32_t i;
  uint32_t k;
  int status;
  poison();
  status = TEST_INIT();
  if (status != DSE_OK) return status;
  TEST_ATTACH();
  for (i = 0; i < DSE_INPUTS; ++i) {
    uint8_t* to = TEST_INPUT(i);
    for (k = 0; k < dse_test_input_bytes[i]; ++k) to[k] = dse_test_inputs[i][k];
  }
#ifdef DSE_CMSIS_CALLS
  dse_cmsis_calls = 0;
#endif
  DSE_TEST_BEGIN();
  status = TEST_RUN();
  DSE_TEST_END();
  if (status != DSE_OK) return status;
#ifdef DSE_CMSIS_CALLS /* what the library takes is known; a build of it that takes less is not what was promised */
  if (dse_cmsis_calls != DSE_CMSIS_CALLS) return 2;
#endif
  for (i = 0; i < DSE_OUTPUTS; ++i) {
    const uint8_t* from = TEST_OUTPUT(i);
    for (k = 0; k < dse_test_output_bytes[i]; ++k)
      if (from[k] != dse_test_outputs[i][k]) return 1;
  }
  return 0;
}
