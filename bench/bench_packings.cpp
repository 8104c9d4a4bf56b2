// Perfect packings of 100 to 500 buffers: how many the allocator fills again, and CPU seconds.
//
// Usage: bench_packings [COUNT] [NODES]   defaults: 200, 2000000
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "plan/alloc/allocate.h"
#include "plan/alloc/validate.h"
#include "tests/support/packings.h"

int main(int argc, char** argv) {
  using namespace dse;
  const int count = argc > 1 ? std::atoi(argv[1]) : 200;
  plan::alloc::Effort effort;
  if (argc > 2) effort.nodes = std::atoll(argv[2]);
  const auto now = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  int filled = 0, invalid = 0, soon = 0;
  double total = 0, most = 0;
  for (int seed = 0; seed < count; ++seed) {
    const auto packing = test::perfect_packing(test::any_cut(static_cast<std::uint64_t>(seed)));
    const auto before = now();
    const auto layout = plan::alloc::allocate(packing.buffers, packing.height, effort);
    const auto seconds = now() - before;
    const bool full = layout.height == packing.height;
    total += seconds, most = std::max(most, seconds);
    filled += full, soon += full && seconds <= 1;
    invalid += !plan::alloc::validate(packing.buffers, layout.offsets).valid();
  }
  fmt::print("{} of {} perfect packings filled ({} of them within 1 CPU s), {} invalid, {:.1f} CPU s, {:.1f} at most\n",
             filled, count, soon, invalid, total, most);
  return invalid > 0;
}
