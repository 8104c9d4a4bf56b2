// CPU time of every stage that a whole-network candidate goes through: choices -> plan (homes, lifetimes, addresses) ->
// program -> check -> simulation, and what reported points need besides (bound, encoding, accounts, real bytes). Over
// the plans by rule, over random assignments of the free space, and over the points of an explored front.
// Usage: bench_pipeline [NETWORK] [DEVICE] [RANDOM]; names of the libraries, number of random assignments.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <random>
#include <string>

#include "explore/explore.h"
#include "explore/layer/bound.h"
#include "explore/space/space.h"
#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/choices/choice.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"
#include "sim/platform.h"

namespace {

using namespace dse;
using Choices = std::vector<plan::LayerChoice>;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Bench {
  explore::Case c;
  int rounds;

  /// Milliseconds per item: for each item the best of the rounds, averaged over the items.
  double stage(std::size_t items, const std::function<void(std::size_t)>& fn) const {
    std::vector<double> best(items, 1e9);
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < items; ++i) {
        const double begin = cpu_seconds();
        fn(i);
        best[i] = std::min(best[i], cpu_seconds() - begin);
      }
    double sum = 0;
    for (const double b : best) sum += b;
    return items ? sum / static_cast<double>(items) * 1e3 : 0;
  }

  void run(const char* what, const std::vector<Choices>& sets) const {
    const auto& network = *c.network;
    const auto& device = *c.device;
    std::vector<plan::Plan> plans;
    for (const auto& choices : sets) {
      auto made = plan::make_plan(network, device, choices);
      if (auto* p = std::get_if<plan::Plan>(&made)) plans.push_back(std::move(*p));
    }
    const double make = stage(sets.size(), [&](std::size_t i) { plan::make_plan(network, device, sets[i]); });
    std::printf("%s: %zu assignments, %zu fit\n  make_plan of all     %8.3f ms\n", what, sets.size(), plans.size(),
                make);
    run_plans(plans);
  }

  void run_plans(const std::vector<plan::Plan>& plans) const {
    const auto& network = *c.network;
    const auto& device = *c.device;
    if (plans.empty()) return;
    std::vector<program::Program> programs;
    std::int64_t tasks = 0, findings = 0;
    for (const auto& p : plans) {
      programs.push_back(plan::lower(network, device, p));
      tasks += program::count_tasks(programs.back());
      findings += static_cast<std::int64_t>(plan::check(programs.back(), device).size());
    }
    auto& platform = sim::Platform::instance();
    platform.configure(c.device);
    const hw::DeviceTiming timing(c.device);
    std::vector<program::Job> jobs;
    for (const auto& p : programs) jobs.push_back(sim::whole_program(p, device));
    std::vector<std::vector<std::uint8_t>> images, inputs;
    for (const auto& p : plans) images.push_back(plan::constants_image(network, device, p));
    for (std::size_t i = 0; i < network.inputs.size(); ++i)
      inputs.push_back(nn::seeded_input(network.tensors[network.inputs[i]], static_cast<int>(i), 0));
    const auto simulate = [&](const sim::RunOptions& options) {
      return stage(plans.size(), [&, options](std::size_t i) {
        sim::RunData data;
        if (options.data) {
          data.constants = images[i];
          for (const auto& in : inputs) data.inputs.emplace_back(in);
        }
        const auto result =
            platform.run({jobs[i]}, options, options.data ? std::vector{data} : std::vector<sim::RunData>{});
        if (result.failure) std::fprintf(stderr, "%s\n", result.failure->what.c_str()), std::exit(1);
      });
    };
    const double make = stage(plans.size(), [&](std::size_t i) { plan::make_plan(network, device, plans[i].choices); });
    const double id = stage(plans.size(), [&](std::size_t i) { (void)plans[i].id(); });
    const double lower = stage(plans.size(), [&](std::size_t i) { plan::lower(network, device, plans[i]); });
    const double check = stage(plans.size(), [&](std::size_t i) { plan::check(programs[i], device); });
    const double bare = simulate({.data = false, .accounts = false, .trace = false});
    const double bound =
        stage(plans.size(), [&](std::size_t i) { explore::cost_bound(programs[i], jobs[i].binding, timing); });
    const double encode = stage(plans.size(), [&](std::size_t i) { program::encode(programs[i]); });
    const double accounts = simulate({.data = false, .accounts = true, .trace = false});
    const double bytes = simulate({.data = true, .accounts = true, .trace = false});
    std::printf("  %.0f tasks on average, %lld findings\n",
                static_cast<double>(tasks) / static_cast<double>(plans.size()), static_cast<long long>(findings));
    std::printf("  make_plan            %8.3f ms\n  lower                %8.3f ms\n  check                %8.3f ms\n",
                make, lower, check);
    std::printf("  simulate             %8.3f ms\n  all four             %8.3f ms, %.0f per CPU-second\n", bare,
                make + lower + check + bare, 1e3 / (make + lower + check + bare));
    std::printf("  id                   %8.3f ms\n  bound                %8.3f ms\n  encode               %8.3f ms\n",
                id, bound, encode);
    std::printf("  simulate, accounts   %8.3f ms\n  simulate, real bytes %8.3f ms\n", accounts, bytes);
  }

  /// Values drawn from the registry's domains. `fitting`: a layer is drawn again (up to 200 times) while it is not
  /// feasible or its own buffers do not fit.
  Choices draw(std::mt19937_64& random, bool fitting) const {
    static const auto registry = plan::ChoiceRegistry::standard();
    const auto& n = *c.network;
    Choices choices(n.operators.size());
    for (const int op : plan::layers_of(n, true)) {
      const auto context = plan::context_of(n, *c.device, choices, op, true);
      const int out = n.operators[op].outputs[0];
      const bool leaves = std::count(n.outputs.begin(), n.outputs.end(), out) > 0;
      bool flat = leaves;
      for (const int reader : n.consumers(out))
        flat |=
            n.operators[reader].kind != nn::OperatorKind::conv_2d && n.operators[reader].kind != nn::OperatorKind::add;
      for (int attempt = 0; attempt < 200; ++attempt) {
        plan::LayerChoice l;
        for (const auto& choice : registry.all()) {
          const auto domain = choice.domain(context, l);
          if (!domain.empty()) choice.set(l, domain[random() % domain.size()]);
          if (leaves) l.output_memory = c.device->io;
          if (flat) l.output_layout = plan::TensorLayout::hwc;
        }
        choices[op] = l;
        if (!fitting) break;
        const auto g = plan::layer_geometry(context, l);
        bool fits = g.feasible && std::int64_t{g.tiles} * g.sets * g.steps <= explore::kMaxCalls;
        for (std::size_t m = 0; fits && m < c.device->memories.size(); ++m)
          fits = g.local_bytes(static_cast<int>(m), 16) <= c.device->memories[m].free();
        if (fits) break;
      }
    }
    return choices;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string network = argc > 1 ? argv[1] : "resnet8", device = argc > 2 ? argv[2] : "gap8-class";
  const int many = argc > 3 ? std::atoi(argv[3]) : 200;
  Diagnostics diags;
  Bench b{{nn::load_network(DSE_SOURCE_DIR "/configs/networks/" + network + ".yaml", diags),
           hw::read_device(DSE_SOURCE_DIR "/configs/devices/" + device + ".yaml", {}, diags), device},
          argc > 4 ? std::atoi(argv[4]) : 5};
  if (!b.c.network || !b.c.device) {
    std::fprintf(stderr, "%s", diags.text().c_str());
    return EXIT_FAILURE;
  }
  std::printf("%s on %s\n", network.c_str(), device.c_str());
  std::vector<Choices> rules, drawn, fitting;
  for (const bool resident : {false, true}) {
    const auto made = plan::rule_based_plan(*b.c.network, *b.c.device, resident);
    if (const auto* p = std::get_if<plan::Plan>(&made)) rules.push_back(p->choices);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < many; ++i) drawn.push_back(b.draw(random, false));
  for (int i = 0; i < many; ++i) fitting.push_back(b.draw(random, true));
  b.run("by rule", rules);
  b.run("random", drawn);
  b.run("random, each layer fits by itself", fitting);

  explore::SweepSpec spec;
  spec.networks = {network};
  spec.front_points = 0;
  const auto out = std::filesystem::temp_directory_path() / ("dse-bench-" + std::to_string(random()));
  explore::ExploreOptions options;
  options.out = out.string(), options.verify = false;
  std::filesystem::create_directories(out);
  const auto sweep = explore::explore(spec, {b.c}, options, diags);
  std::vector<plan::Plan> front;
  for (const auto& p : sweep.fronts.front().points)
    if (auto plan = plan::read_plan((out / p.plan_file).string(), *b.c.network, *b.c.device, diags))
      front.push_back(std::move(*plan));
  std::filesystem::remove_all(out);
  std::printf("explored front: %zu points\n", front.size());
  b.run_plans(front);
  return diags.list().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}
