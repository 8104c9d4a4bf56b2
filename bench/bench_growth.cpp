// Order and offsets of one random network: usage: bench_growth FAMILY OPERATORS [SEED]. Prints one line: operators,
// bytes of the order, of its proven bound, of the arena, of the arena's bound, and CPU seconds of both steps. What
// `bench/growth` tabulates.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "bench/graphs.h"
#include "plan/alloc/allocate.h"
#include "plan/alloc/validate.h"

namespace {

using namespace dse::plan;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The tensors in the steps of this order, on 16 bytes.
std::vector<alloc::Buffer> buffers_of(const OrderProblem& p, const std::vector<int>& order) {
  std::vector<alloc::Buffer> out(p.tensors.size());
  for (std::size_t t = 0; t < out.size(); ++t)
    out[t].id = p.tensors[t].name, out[t].size = p.tensors[t].bytes, out[t].alignment = 16;
  const auto end = static_cast<std::int64_t>(order.size());
  for (std::int64_t step = 0; step < end; ++step) {
    const auto& op = p.operators[static_cast<std::size_t>(order[static_cast<std::size_t>(step)])];
    for (const int t : op.outputs) {
      auto& b = out[static_cast<std::size_t>(t)];
      b.lower = step, b.upper = p.tensors[static_cast<std::size_t>(t)].kept ? end : step + 1;
    }
    for (const int t : op.inputs) {
      auto& b = out[static_cast<std::size_t>(t)];
      b.upper = std::max(b.upper, step + 1);
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  struct Family {
    const char* name;
    OrderProblem (*make)(int, std::uint64_t);
  };
  const Family families[] = {{"residual", dse::bench::residual},    {"inception", dse::bench::inception},
                             {"dense", dse::bench::dense},          {"cells", dse::bench::cells},
                             {"wiring", dse::bench::random_wiring}, {"series-parallel", dse::bench::series_parallel},
                             {"tangle", dse::bench::tangle}};
  for (const Family& f : families) {
    if (argc < 3 || std::strcmp(argv[1], f.name) != 0) continue;
    const auto problem =
        f.make(std::max(1, std::atoi(argv[2])), static_cast<std::uint64_t>(argc > 3 ? std::atoi(argv[3]) : 0));
    const double begin = cpu_seconds();
    const auto found = find_order(problem, OrderRule::out_of_place);
    const double ordered = cpu_seconds();
    const auto buffers = buffers_of(problem, found.order);
    const auto layout = alloc::allocate(buffers);
    const double placed = cpu_seconds();
    const auto verdict = alloc::validate(buffers, layout.offsets);
    if (!verdict.valid() || verdict.height != layout.height || verdict.load > layout.lower_bound) {
      std::fprintf(stderr, "%s: the layout is wrong\n", f.name);
      return 1;
    }
    std::printf("%zu %lld %lld %lld %lld %.3f %.3f\n", problem.operators.size(),
                static_cast<long long>(found.peak_bytes), static_cast<long long>(found.lower_bound_bytes),
                static_cast<long long>(layout.height), static_cast<long long>(layout.lower_bound), ordered - begin,
                placed - ordered);
    return 0;
  }
  std::fprintf(stderr, "usage: bench_growth FAMILY OPERATORS [SEED]; families:");
  for (const Family& f : families) std::fprintf(stderr, " %s", f.name);
  std::fprintf(stderr, "\n");
  return 2;
}
