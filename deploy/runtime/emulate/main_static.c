/* The self-test on an emulated Cortex-M: says how the run ended and how much stack and how many instructions it took.
 */
#include "dse.h"
#include "emulate.h"

int emulate_main(void) {
  const int status = dse_selftest();
  emulate_say(status == 0 ? "static ok\n" : status > 0 ? "static differs\n" : "static error\n");
  emulate_number("stack", emulate_stack_used());
  emulate_number("instructions", emulate_counted());
  return status != 0;
}
