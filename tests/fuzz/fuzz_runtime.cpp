// Plans: with length and checksum made right again, the runtime refuses them, stops with an error, or runs them to
// their end within their arenas. Kernels included.
#include "tests/deploy/damaged_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dse::test::PlanBytes plan(data, data + size);
  if (size >= 16) dse::test::seal_plan(plan);
  (void)dse::test::run_damaged(plan, size);
  return 0;
}
