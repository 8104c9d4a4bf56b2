/* How the self-test starts a package: as C. */
#ifndef DSE_START_H
#define DSE_START_H
#include "dse.h"

#define TEST_INPUT(i) dse_input(i)
#define TEST_OUTPUT(i) dse_output(i)
#define TEST_INIT() dse_init()
#define TEST_ATTACH() (void)0
#define TEST_RUN() dse_run()

#endif
