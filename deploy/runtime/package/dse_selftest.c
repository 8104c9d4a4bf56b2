/* Runs the package's test vector and compares with what was simulated. No libc: this runs on the target too. */
#include "dse_package.h"

/* One inference through `port`. Returns 0, a dse_error, or 1 when an output differs. */
int dse_selftest(dse_runtime* rt, const dse_port* port) {
  int32_t i;
  uint32_t k;
  int status = dse_open(rt, dse_plan, DSE_PLAN_BYTES);
  if (status != DSE_OK) return status;
  for (i = 0; i < DSE_PACKAGE_ARENAS; ++i) /* poison: nothing may depend on what memory held before */
    for (k = 0; dse_arenas[i] && k < dse_arena_size(rt, i); ++k) dse_arenas[i][k] = 0xA5;
  status = dse_bind(rt, dse_arenas, dse_weights);
  if (status != DSE_OK) return status;
  for (i = 0; i < DSE_PACKAGE_INPUTS; ++i) {
    uint8_t* to = dse_input(rt, i);
    for (k = 0; k < dse_input_info(rt, i).size; ++k) to[k] = dse_test_inputs[i][k];
  }
  status = dse_run_program(rt, port);
  if (status != DSE_OK) return status;
  for (i = 0; i < DSE_PACKAGE_OUTPUTS; ++i) {
    const uint8_t* from = dse_output(rt, i);
    for (k = 0; k < dse_output_info(rt, i).size; ++k)
      if (from[k] != dse_test_outputs[i][k]) return 1;
  }
  return 0;
}
