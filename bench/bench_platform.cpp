// Simulations per CPU-second of a program of about 1,000 tasks, and how much of that SystemC costs.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/reference_loop.h"
#include "bench/synthetic.h"
#include "sim/platform.h"

namespace {

double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/// CPU seconds per call, the best of five rounds of at least 0.1 s.
template <class Fn>
double measure(Fn&& fn) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const double begin = cpu_seconds();
    int n = 0;
    do {
      for (int i = 0; i < 10; ++i) fn();
      n += 10;
    } while (cpu_seconds() - begin < 0.1);
    best = std::min(best, (cpu_seconds() - begin) / n);
  }
  return best;
}

}  // namespace

int main() {
  using namespace dse;
  const auto device = std::make_shared<const hw::Device>(synthetic::device());
  const program::Program program = synthetic::program({});
  const program::Job job = sim::whole_program(program, *device);
  sim::Platform& platform = sim::Platform::instance();
  platform.configure(device);
  const hw::DeviceTiming timing(device);

  std::int64_t ticks = 0, reference_ticks = 0;
  const double walk = measure([&] { program::count_tasks(program); });
  const double simulated = measure([&] { ticks = platform.run({job}, {}).ticks; });
  const double bare =
      measure([&] { ticks = platform.run({job}, {.data = false, .accounts = false, .trace = false}).ticks; });
  reference::Loop loop;
  const double reference = measure([&] { reference_ticks = loop.run(timing, job); });
  std::printf("tasks %lld, ticks %lld (event loop without a kernel: %lld)\n",
              static_cast<long long>(program::count_tasks(program)), static_cast<long long>(ticks),
              static_cast<long long>(reference_ticks));
  std::printf("platform            %7.1f us per run, %6.0f runs per CPU-second\n", simulated * 1e6, 1 / simulated);
  std::printf("  without accounts  %7.1f us\n  walking only      %7.1f us\n", bare * 1e6, walk * 1e6);
  std::printf("event loop          %7.1f us per run: platform / event loop = %.2f\n", reference * 1e6,
              simulated / reference);
  return ticks == reference_ticks ? EXIT_SUCCESS : EXIT_FAILURE;
}
