/* Self-test of this package on a host. Firmware leaves this file out. */
#include <stdio.h>

#include "dse.h"

int main(void) {
  const int status = dse_selftest();
  if (status == 1) printf("outputs differ from the simulation\n");
  if (status == 2) printf("the kernel library computes another number of calls than promised\n");
  if (status < 0) printf("error %d\n", status);
  printf("%s on %s: 1 run, %d failures\n", DSE_NETWORK, DSE_DEVICE, status != 0);
  return status != 0;
}
