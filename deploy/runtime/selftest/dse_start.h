/* How the self-test starts a package: with the runtime. */
#ifndef DSE_START_H
#define DSE_START_H
#include "dse.h"

#define TEST_INPUT(i) dse_input(rt, i)
#define TEST_OUTPUT(i) dse_output(rt, i)
#define TEST_INIT() dse_init(rt, dse_data, DSE_DATA_BYTES, dse_arenas, DSE_ARENAS)
#define TEST_ATTACH() DSE_ATTACH(rt)
#define TEST_RUN() dse_run(rt, port)

#endif
