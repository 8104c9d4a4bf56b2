// dse run: explores a sweep and writes its folder of results.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/command.h"
#include "cli/dry_run.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/limits.h"
#include "cli/lookup.h"
#include "cli/progress.h"
#include "cli/run_checks.h"
#include "cli/run_folder.h"
#include "cli/version.h"
#include "explore/front.h"
#include "reports/console.h"
#include "reports/format.h"

namespace dse::cli {
namespace {

struct RunOptions {
  std::vector<std::string> what, devices, limits, objectives, shapes;
  std::string deadline, out;
  int jobs = 0;
  std::uint64_t seed = 1;
  double hang = 0;  // seconds
  bool seeded = false, dry = false, json = false, resume = false, cut = false;
};

/// The sweep that the command line means. Nothing after diagnostics.
std::optional<explore::SweepSpec> spec_of(const RunOptions& o, Diagnostics& d) {
  explore::SweepSpec spec;
  const auto extension = o.what.empty() ? "" : std::filesystem::path(o.what.front()).extension();
  if (o.what.empty()) {
    const auto stored = o.resume ? sweep_to_resume(o.out) : std::nullopt;
    if (!stored) throw CLI::RequiredError(o.resume ? o.out + " holds nothing to resume; what to run" : "what");
    auto read = explore::read_sweep(*stored, d);
    if (!read) return std::nullopt;
    spec = std::move(*read);
  } else if (o.devices.empty() && o.what.size() == 1 && (extension == ".yaml" || extension == ".yml")) {
    auto read = explore::read_sweep(o.what.front(), d);
    if (!read) return std::nullopt;
    spec = std::move(*read);
  } else if (o.devices.empty()) {
    throw CLI::RequiredError("--device, or a sweep file instead of networks,");
  } else {
    spec.networks = o.what;
    for (const auto& device : o.devices) spec.devices.push_back({device, {}, {}});
  }
  spec.shapes.insert(spec.shapes.end(), o.shapes.begin(), o.shapes.end());
  spec.cut = spec.cut || o.cut;
  for (const auto& l : o.limits) add_limit(l, "--limit", spec, d);
  if (!o.deadline.empty()) add_limit("latency=" + o.deadline, "--deadline", spec, d);
  set_objectives(o.objectives, spec, d);
  if (o.seeded) spec.seed = o.seed;
  if (!find_files(spec, d) || d.has_errors()) return std::nullopt;
  spec.file.clear();  // all paths are resolved
  return spec;
}

std::string now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

bool has_points(const explore::Sweep& sweep) {
  return std::any_of(sweep.fronts.begin(), sweep.fronts.end(), [](const auto& f) { return !f.points.empty(); });
}

bool all_verified(const explore::Sweep& sweep) {
  for (const auto& f : sweep.fronts)
    for (const auto* list : {&f.points, &f.marked})
      for (const auto& p : *list)
        if (!p.verified) return false;
  return true;
}

int finish(const RunOptions& o, const Inputs& inputs, const explore::Sweep& sweep, bool interrupted) {
  for (const auto& front : sweep.fronts) {
    if (interrupted && front.points.empty()) continue;  // not infeasible: not reached
    for (const auto& line : reports::console_summary(front)) fmt::print("{}\n", line);
  }
  if (!interrupted && !all_verified(sweep)) {
    fmt::print(stderr, "dse: error: simulated bytes differ from the interpreter's; nothing is stored in {}\n", o.out);
    return Exit::mismatch;
  }
  if (!has_points(sweep) || (interrupted && holds_whole_run(o.out))) {
    if (interrupted) {
      fmt::print(
          stderr,
          "dse: interrupted; what was simulated is kept in {}/study.sqlite, and the same command goes on from there\n",
          o.out);
      return Exit::interrupted;
    }
    fmt::print(stderr, "dse: error: no feasible plan; nothing is stored in {}\n", o.out);
    return Exit::no_feasible_plan;
  }
  store_run(o.out, inputs, sweep);
  fmt::print(
      "report: {}/report.html   export one with: dse export {} --point {} -o package\n", o.out, o.out,
      sweep.fronts.front().objectives.size() > 1 ? "knee" : explore::end_mark(sweep.fronts.front().objectives[0]));
  return interrupted ? Exit::interrupted : Exit::ok;
}

int run(const RunOptions& o, const Invocation& invocation) {
  Diagnostics d;
  const auto spec = spec_of(o, d);
  std::vector<explore::Case> cases;
  std::optional<Inputs> inputs;
  if (spec) {
    cases = explore::resolve(*spec, d);
    if (!cases.empty()) check_against_devices(*spec, cases, d);
    inputs = take_inputs(*spec, d);
  }
  if (const int code = report(d)) return code;
  const int jobs = o.jobs > 0 ? o.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (o.dry) return dry_run(*spec, cases, jobs, o.json);
  make_folder(o.out);
  begin_run(o.out, *inputs);
  const auto& interrupted = watch_interrupts();
  ProgressBar bar;
  explore::ExploreOptions options;
  options.jobs = jobs;
  options.out = o.out;
  options.progress = [&](const explore::Progress& p) { bar.show(p); };
  options.interrupted = &interrupted;
  if (o.hang > 0) options.hang_seconds = o.hang;
  options.info = {version, sim::kTimingModel, invocation.command_line, spec->seed, inputs->hashes()};
  Diagnostics found;
  auto sweep = explore::explore(*spec, cases, options, found);
  bar.clear();
  sweep.provenance.version = version;
  sweep.provenance.command_line = invocation.command_line;
  sweep.provenance.date = now();
  sweep.provenance.seed = spec->seed;
  sweep.provenance.inputs = inputs->hashes();
  sweep.provenance.interrupted = interrupted.load();
  const int code = report(found);
  const int end = finish(o, *inputs, sweep, interrupted.load());
  return end == Exit::ok ? code : end;
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<RunOptions>();
  auto* command = app.add_subcommand("run", "Explore a sweep, or networks on devices");
  command->add_option("what", options->what, "a sweep file; or, with --device, networks by file or name");
  command->add_option("--device,-d", options->devices, "devices, by name or file");
  command->add_option("--limit", options->limits,
                      "upper limit of a memory, as l1=64KiB, or of memory (all on the chip), energy, traffic, latency: "
                      "memory=128KiB, energy=2mJ, traffic=1MiB");
  command->add_option("--objective", options->objectives,
                      "what to minimise, up to four: memory, latency, energy, traffic, or the peak of a memory, as l1; "
                      "default: memory and latency");
  command->add_option("--shape", options->shapes, "shape of an input that an ONNX file leaves open: NAME=1x3x224x224")
      ->allow_extra_args(false);
  command->add_flag("--cut", options->cut,
                    "plan only the part of each network that can run; what comes before and after it is the host's");
  command->add_option("--deadline", options->deadline, "upper limit of the latency, as 20ms");
  auto* out = command->add_option("--out,-o", options->out, "folder of the results");
  command->add_option("--jobs,-j", options->jobs, "worker processes; default: one per processor")
      ->check(CLI::Range(1, 1024));
  command->add_flag(
      "--resume", options->resume,
      "go on with what the folder holds; `what` may then be left out. Starts afresh where there is nothing");
  command
      ->add_option("--candidate-timeout", options->hang,
                   "seconds without a sign of life after which a simulation is given up; default 60")
      ->check(CLI::Range(1.0, 1e6));
  auto* seed = command->add_option("--seed", options->seed, "of all random choices, instead of the sweep file's");
  auto* dry =
      command->add_flag("--dry-run", options->dry, "only count what there is to explore, and estimate the time");
  command->add_flag("--json", options->json, "what --dry-run finds, as JSON")->needs(dry);
  command->callback([options, out, seed, dry, &invocation] {
    options->seeded = seed->count() > 0;
    if (out->count() == 0 && dry->count() == 0) throw CLI::RequiredError("--out");
    while (options->out.size() > 1 && options->out.back() == '/') options->out.pop_back();
    invocation.exit = run(*options, invocation);
  });
}

}  // namespace dse::cli
