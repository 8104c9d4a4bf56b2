// CPU time and memory of ordering random graphs that look like networks, 100 to 3,000 operators: cells of searched
// architectures (every cell reads the two before it, five sums of two branches each, joined at the end) and random
// wiring (every node sums one to four of the 16 nodes before it and runs three operators); and tangles without
// structure, which are hard. Usage: bench_order [SEEDS].
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "bench/graphs.h"

namespace {

using namespace dse::bench;
using namespace dse::plan;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

long peak_mebibytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss / 1024;  // KiB on Linux; of the whole process so far
}

void run(const char* family, OrderProblem (*make)(int, std::uint64_t), int operators, int seeds, OrderRule rule) {
  int optimal = 0;
  double most = 0, sum = 0, gap = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto problem = make(operators, static_cast<std::uint64_t>(seed));
    const double begin = cpu_seconds();
    const auto found = find_order(problem, rule);
    const double took = cpu_seconds() - begin;
    sum += took, most = std::max(most, took), optimal += found.optimal;
    gap = std::max(gap, static_cast<double>(found.peak_bytes) / static_cast<double>(found.lower_bound_bytes) - 1);
  }
  std::printf("%-14s %-13s %9d %6d %8d %9.1f %8.3f %8.3f %6ld\n", family, name_of(rule), operators, seeds, optimal,
              100 * gap, sum / seeds, most, peak_mebibytes());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  std::printf("family         rule          operators graphs optimal  max gap%%    CPU s    max s    MiB\n");
  for (const int operators : {100, 300, 1000, 3000})
    for (const auto rule : {OrderRule::out_of_place, OrderRule::inplace_ew}) {
      run("cells", cells, operators, seeds, rule);
      run("random wiring", random_wiring, operators, seeds, rule);
      run("tangle", tangle, operators, seeds, rule);
    }
}
