// dse npu: a network on an Arm Ethos-U: compiled, simulated block by block, computed.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/index.h"
#include "base/unit_text.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "cli/common/output.h"
#include "models/hw/ethos_u/system_file.h"
#include "models/hw/library.h"
#include "models/nn/shapes/given.h"
#include "reports/npu/npu_report.h"
#include "reports/npu/npu_sweep.h"

namespace dse::cli {
namespace {

using namespace explore::npu;
using plan::npu::Formats;
using plan::npu::Optimise;

constexpr const char* kCpu = "apollo510";  // a Cortex-M55 with a kernel library that is validated

struct NpuOptions {
  std::vector<std::string> networks, configs = {"ethos-u55-128"}, arenas;
  std::string memory_mode = "Shared_Sram", system, optimise = "performance", formats = "in-place", model = "simulation",
              cpu, html;
  std::int64_t hand_over = -1;
  bool json = false, check = false, disassemble = false;
  nn::LoadOptions load;
};

template <class List, class Name>
std::string names_of(const List& list, Name&& name) {
  std::string out;
  for (const auto& x : list) out += (out.empty() ? "" : ", ") + std::string(name(x));
  return out;
}

/// The NPU that an option `--config` and the others name; errors go to `d`.
std::optional<hw::ethos_u::Npu> npu_of(const NpuOptions& o, const std::string& config,
                                       const hw::ethos_u::SystemFile* own, Diagnostics& d) {
  hw::ethos_u::Npu npu;
  npu.accelerator = hw::ethos_u::find_accelerator(config);
  if (!npu.accelerator)
    d.error({"--config", 0, 0}, "no accelerator '" + config + "'",
            "known: " + names_of(hw::ethos_u::accelerators(), [](const auto& a) { return a.name; }));
  const auto* mode = hw::ethos_u::find_memory_mode(o.memory_mode);
  if (!mode)
    d.error({"--memory-mode", 0, 0}, "no memory mode '" + o.memory_mode + "'",
            "known: Shared_Sram, Sram_Only, Dedicated_Sram");
  if (npu.accelerator && npu.accelerator->table85 && o.model == "vela310")
    d.error({"--model", 0, 0}, "Vela 3.10 has no Ethos-U85 and estimates nothing for it");
  const bool dedicated = mode && *mode == hw::ethos_u::MemoryMode::dedicated_sram;
  if (!o.system.empty())
    npu.system = hw::ethos_u::find_system(o.system);
  else if (npu.accelerator && mode)
    npu.system = &hw::ethos_u::usual_system(*npu.accelerator, *mode);
  if (!npu.system && own) npu.system = &own->config;
  if (!npu.system && !o.system.empty())
    d.error({"--system-config", 0, 0}, "no system configuration '" + o.system + "'",
            "known: " + names_of(hw::ethos_u::system_configs(), [](const auto& s) { return s.name; }) +
                "; or a file, see docs/npu/system.md");
  if (d.has_errors()) return std::nullopt;
  npu.mode = *mode;
  constexpr std::int64_t kDedicated = 384 * 1024;  // vela.ini: arena_cache_size
  if (dedicated) npu.arena_limit = kDedicated;
  if (own && own->sram_bytes > 0) npu.arena_limit = own->sram_bytes;
  return npu;
}

/// The file that `--system-config` names, by path or as a shipped one. Null where it names none, or after an error.
hw::ethos_u::SystemFilePtr own_system(const std::string& named, Diagnostics& d) {
  if (named.empty() || hw::ethos_u::find_system(named)) return nullptr;
  // As devices and networks are named: a path, or a name without one.
  const bool path = named.find('/') != std::string::npos || named.ends_with(".yaml");
  std::error_code error;
  if (path) return std::filesystem::is_regular_file(named, error) ? hw::ethos_u::read_system(named, d) : nullptr;
  const auto shipped = hw::config_file("npu/" + named + ".yaml");
  return shipped ? hw::ethos_u::read_system(*shipped, d) : nullptr;
}

std::vector<std::int64_t> arenas_of(const NpuOptions& o, Diagnostics& d) {
  std::vector<std::int64_t> out;
  for (const std::string& text : o.arenas) {
    const auto bytes = parse_whole(text, unit::bytes);
    if (!bytes.value)
      d.error({"--arena", 0, 0}, bytes.error);
    else if (*bytes.value <= 0)
      d.error({"--arena", 0, 0}, "an arena of " + text + " holds nothing");
    else
      out.push_back(*bytes.value);
  }
  return out;
}

/// Compares the streams' outputs with the interpreter's, for one seeded input.
int check(const Compiled& c) {
  const Comparison found = compare(c, 1);
  if (!found.error.empty()) fmt::print(stderr, "the NPU stopped: {}\n", found.error);
  fmt::print("{}: outputs {} the interpreter's\n", c.network->name, found.equal() ? "are" : "differ from");
  return found.equal() ? Exit::ok : Exit::mismatch;
}

/// Fronts of all networks on all systems.
int run_sweep(const NpuOptions& o, SweepAxes axes) {
  if (axes.arenas.empty()) axes.arenas.push_back(0);
  const std::size_t all = axes.networks.size() * axes.npus.size();
  std::size_t count = 0;
  const auto cells = sweep(axes, [&](const SweepCell& c) {
    ++count;
    if (all > 1)
      fmt::print(stderr, "{} of {}: {} on {}, {} schedules\n", count, all, c.network->name, c.npu.acc().name,
                 c.points.size());
  });
  if (!o.html.empty()) write_file(o.html, reports::npu_page(axes, cells));
  if (o.json)
    print_json(reports::npu_sweep_json(axes, cells));
  else if (all > 1 || axes.arenas.size() > 1)
    fmt::print("{}", reports::npu_sweep_text(axes, cells));
  else if (cells[0].fits[0] >= 0)
    fmt::print("{}", reports::npu_front_text(cells[0].points, cells[0].times));
  if (!o.html.empty()) fmt::print(stderr, "report: {}\n", o.html);
  for (const SweepCell& c : cells)
    for (const int fit : c.fits)
      if (fit >= 0) return Exit::ok;
  if (!cells.empty() && cells[0].points.empty())
    fmt::print(stderr, "{}: {}\n", cells[0].network->name, cells[0].reason);
  else
    fmt::print(stderr, "no schedule fits; the smallest takes {} bytes of SRAM\n",
               cells.empty() ? 0 : cells[0].points[0].bytes());
  return Exit::no_feasible_plan;
}

int run_one(const NpuOptions& o, const SweepAxes& axes) {
  const nn::NetworkPtr& network = axes.networks[0];
  const hw::ethos_u::Npu& npu = axes.npus[0];
  const Compiled c = compile(network, npu, o.optimise == "size" ? Optimise::size : Optimise::performance,
                             o.formats == "bricks" ? Formats::bricks : Formats::in_place);
  if (const auto lack = shortfall(c)) {
    fmt::print(stderr, "{}: the schedule takes {} bytes of SRAM at {}, {} more than the arena's {}\n", network->name,
               lack->bytes, lack->operation, lack->bytes - lack->limit, lack->limit);
    return Exit::no_feasible_plan;
  }
  if (o.check) return check(c);
  if (o.disassemble) {
    for (std::size_t i = 0; i < c.streams.size(); ++i)
      fmt::print("{}invocation {}, {} bytes\n{}", i ? "\n" : "", i, c.streams[i].words.size() * 4,
                 hw::ethos_u::disassemble(c.streams[i].words));
    return Exit::ok;
  }
  if (o.model == "vela310") {
    const auto e = plan::npu::estimate_network(*c.costs, c.schedule);
    if (o.json)
      print_json(reports::npu_estimate_json(c, e));
    else
      fmt::print("{}", reports::npu_estimate_text(c, e));
    return Exit::ok;
  }
  const Simulated s = simulate(c);
  if (!s.error.empty()) {
    fmt::print(stderr, "{}: the NPU stopped: {}\n", network->name, s.error);
    return Exit::mismatch;
  }
  const SystemTime t = time_of(c, s, *axes.cpu, axes.hand_over);
  if (!t.error.empty()) {
    fmt::print(stderr, "{}: {}\n", network->name, t.error);
    return Exit::no_feasible_plan;
  }
  if (o.json)
    print_json(reports::npu_json(c, s, t));
  else
    fmt::print("{}", reports::npu_text(c, s, t));
  return Exit::ok;
}

int run(const NpuOptions& o) {
  Diagnostics d;
  SweepAxes axes;
  const auto own = own_system(o.system, d);
  if (!d.has_errors())
    for (const std::string& config : o.configs)
      if (const auto npu = npu_of(o, config, own.get(), d)) axes.npus.push_back(*npu);
  axes.arenas = arenas_of(o, d);
  if (!d.has_errors()) {
    auto load = o.load;
    load.several = o.networks.size() > 1;
    for (const std::string& name : o.networks) axes.networks.push_back(cli::load_network(name, d, load));
    nn::check_named(axes.networks, load, "", d);
  }
  const std::string named = !o.cpu.empty() ? o.cpu : own && !own->cpu.empty() ? own->cpu : kCpu;
  const auto cpu = d.has_errors() ? nullptr : cli::load_device(named, d);
  if (cpu && cpu->cpu() < 0) d.error({"--cpu", 0, 0}, "'" + named + "' has no CPU");
  if (const int exit = report(d); exit || !cpu) return exit;
  axes.cpu = cpu.get();
  axes.hand_over = o.hand_over >= 0 ? o.hand_over : own && own->hand_over >= 0 ? own->hand_over : kHandOverCycles;
  const bool several = axes.networks.size() > 1 || axes.npus.size() > 1 || axes.arenas.size() > 1;
  if (o.optimise == "pareto" && o.formats != "in-place") {
    fmt::print(stderr, "--formats goes with --optimise performance or size\n");
    return Exit::usage;
  }
  if (o.optimise == "pareto") return run_sweep(o, std::move(axes));
  if (several || !o.html.empty()) {
    fmt::print(stderr, "several networks, accelerators or arenas, and --html, need --optimise pareto\n");
    return Exit::usage;
  }
  if (!axes.arenas.empty()) axes.npus[0].arena_limit = axes.arenas[0];
  return run_one(o, axes);
}

}  // namespace

void add_npu(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<NpuOptions>();
  auto* command = app.add_subcommand("npu", "Run a network on an Arm Ethos-U");
  command->add_option("network", options->networks, "network files or names; several with --optimise pareto")
      ->required();
  command
      ->add_option(
          "--config", options->configs,
          "accelerators: ethos-u55-32, -64, -128, -256, ethos-u65-256, -512, ethos-u85-128, -256, -512, -1024, -2048")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--memory-mode", options->memory_mode, "Shared_Sram, Sram_Only or Dedicated_Sram")
      ->capture_default_str();
  command->add_option("--system-config", options->system,
                      "clock and memories: Ethos_U55_High_End_Embedded, Ethos_U85_SYS_Flash_High, ..., or a file");
  command->add_option("--arena", options->arenas, "bytes of SRAM that the schedule may use: 64KiB,256KiB")
      ->delimiter(',');
  command
      ->add_option("--optimise", options->optimise,
                   "performance and size as Arm's compiler schedules, pareto by search")
      ->check(CLI::IsMember({"performance", "size", "pareto"}))
      ->capture_default_str();
  command
      ->add_option("--formats", options->formats,
                   "bricks: all tensors that only the NPU sees, as older compilers of Arm's had them")
      ->check(CLI::IsMember({"in-place", "bricks"}))
      ->capture_default_str();
  command->add_option("--model", options->model, "simulation, or vela310: what Arm's compiler estimates")
      ->check(CLI::IsMember({"simulation", "vela310"}))
      ->capture_default_str();
  command->add_option("--cpu", options->cpu,
                      "device whose CPU runs what the NPU cannot; else that of the system's file, or apollo510");
  command
      ->add_option("--hand-over", options->hand_over,
                   "idle cycles of the NPU per invocation; else those of the system's file, or 500")
      ->check(CLI::NonNegativeNumber);
  auto* json = command->add_flag("--json", options->json, "print JSON");
  auto* checks = command->add_flag("--check", options->check,
                                   "compute a seeded input by the command streams and compare with the interpreter");
  command
      ->add_flag("--disassemble", options->disassemble, "print the command streams; `npu disasm NETWORK` is the same")
      ->excludes(json)
      ->excludes(checks);
  checks->excludes(json);
  command->add_option("--html", options->html, "write a page with all schedules to this file (--optimise pareto)");
  add_network_options(*command, options->load);
  command->callback([options, &invocation] {
    auto& words = options->networks;
    if (words.size() > 1 && words[0] == "disasm") options->disassemble = true, words.erase(words.begin());
    invocation.exit = run(*options);
  });
}

}  // namespace dse::cli
