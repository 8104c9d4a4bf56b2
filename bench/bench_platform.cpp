// Simulations per CPU-second of programs of about 1,000 tasks, and how much of that SystemC costs: a lowered plan of
// MobileNet v1 0.25 96 on gap8-class, and a synthetic program without a network. With a number N everything runs N
// times and no time is told: for `valgrind --tool=callgrind --toggle-collect='dse::sim::Platform::run*'`.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/reference_loop.h"
#include "bench/synthetic.h"
#include "models/hw/device_reader.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"
#include "sim/platform.h"

namespace {

double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int fixed_runs = 0;  // > 0: so many calls instead, for a profiler that counts instructions

/// CPU seconds per call, the best of five rounds of at least 0.1 s.
template <class Fn>
double measure(Fn&& fn) {
  if (fixed_runs > 0) {
    for (int i = 0; i < fixed_runs; ++i) fn();
    return 1;
  }
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

/// Times one program on one device. @returns whether platform and event loop agree.
bool bench(const char* what, const dse::program::Program& program, const dse::hw::DevicePtr& device) {
  using namespace dse;
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
  std::printf("%s: tasks %lld, ticks %lld (event loop without a kernel: %lld)\n", what,
              static_cast<long long>(program::count_tasks(program)), static_cast<long long>(ticks),
              static_cast<long long>(reference_ticks));
  std::printf("  platform            %7.1f us per run, %6.0f runs per CPU-second\n", simulated * 1e6, 1 / simulated);
  std::printf("    without accounts  %7.1f us\n    walking only      %7.1f us\n", bare * 1e6, walk * 1e6);
  std::printf("  event loop          %7.1f us per run: platform / event loop = %.2f\n", reference * 1e6,
              simulated / reference);
  return ticks == reference_ticks;
}

/// Every layer in up to 24 row tiles, double-buffered, all tensors in L2: the largest filter sets that fit L1.
std::optional<dse::plan::Plan> tiled_plan(const dse::nn::Network& network, const dse::hw::Device& device) {
  using namespace dse;
  std::vector<plan::LayerChoice> choices(network.operators.size());
  for (auto& c : choices) c.output_memory = device.io;
  for (int op : plan::layers_of(network, true)) {
    auto& c = choices[op];
    c.tile = static_cast<int>(ceil_div(std::int64_t{network.operators[op].kernel.out_h}, std::int64_t{24}));
    for (c.filters = network.operators[op].kernel.out_c; c.filters > 1; c.filters = (c.filters + 1) / 2) {
      const auto g = plan::layer_geometry(plan::context_of(network, device, choices, op, true), c);
      if (g.feasible && g.local_bytes(g.near, 4) <= device.memories[g.near].free()) break;
    }
  }
  auto made = plan::make_plan(network, device, choices);
  if (auto* plan = std::get_if<plan::Plan>(&made)) return std::move(*plan);
  std::fprintf(stderr, "%s\n", std::get<plan::Infeasible>(made).what.c_str());
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace dse;
  if (argc > 1) fixed_runs = std::atoi(argv[1]);
  Diagnostics diags;
  const auto network = nn::load_network(DSE_SOURCE_DIR "/configs/networks/mobilenet-v1-0.25-96.yaml", diags);
  const auto gap8 = hw::read_device(DSE_SOURCE_DIR "/configs/devices/gap8-class.yaml", {}, diags);
  if (!network || !gap8) {
    std::fprintf(stderr, "%s", diags.text().c_str());
    return EXIT_FAILURE;
  }
  const auto plan = tiled_plan(*network, *gap8);
  if (!plan) return EXIT_FAILURE;
  bool agree = bench("mobilenet-v1-0.25-96 on gap8-class", plan::lower(*network, *gap8, *plan), gap8);
  agree &= bench("synthetic", synthetic::program({}), std::make_shared<const hw::Device>(synthetic::device()));
  return agree ? EXIT_SUCCESS : EXIT_FAILURE;
}
