/* How the self-test starts a package: decrypted with dse_test_key, by the runtime. */
#ifndef DSE_START_H
#define DSE_START_H
#include "dse.h"

extern const uint8_t* dse_test_key; /* DSE_SEAL_KEY bytes, or null */

static inline int dse_start_sealed(dse_runtime* rt) {
  static DSE_ALIGNED(16) uint8_t opened[DSE_UNSEALED_BYTES];
  const int status =
      dse_test_key ? dse_unseal(dse_data, DSE_DATA_BYTES, dse_test_key, opened, sizeof opened) : DSE_ERR_KEY;
  return status == DSE_OK ? dse_init(rt, opened, sizeof opened, dse_arenas, DSE_ARENAS) : status;
}

#define TEST_INPUT(i) dse_input(rt, i)
#define TEST_OUTPUT(i) dse_output(rt, i)
#define TEST_INIT() dse_start_sealed(rt)
#define TEST_ATTACH() DSE_ATTACH(rt)
#define TEST_RUN() dse_run(rt, port)

#endif
