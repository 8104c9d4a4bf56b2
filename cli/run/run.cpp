// dse run: explores a sweep and writes its folder of results.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/log.h"
#include "base/suggest.h"
#include "base/system/scratch_folder.h"
#include "cli/command.h"
#include "cli/common/device_options.h"
#include "cli/common/files.h"
#include "cli/common/interrupt.h"
#include "cli/common/limits.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "cli/common/progress.h"
#include "cli/common/version.h"
#include "cli/package/package_file.h"
#include "cli/package/whose_files.h"
#include "cli/run/dry_run.h"
#include "cli/run/finished.h"
#include "cli/run/run_checks.h"
#include "cli/run/run_folder.h"
#include "explore/front/front.h"
#include "explore/question/axes.h"
#include "explore/question/files/sweep_file.h"
#include "explore/variants/variants.h"
#include "explore/within.h"
#include "models/nn/graph/price.h"
#include "reports/run/console.h"
#include "reports/words/across.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {
struct RunOptions {
  std::vector<std::string> what, devices, limits, objectives, shapes, costs, set, without;
  std::string deadline, within, out, from_package, key, memory, kernels;
  int jobs = 0;
  double hang = 0;  // seconds
  bool dry = false, json = false, resume = false, cut = false, force = false;
  std::optional<bool> float_io;
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
    spec.networks.assign(o.what.begin(), o.what.end());
    for (const auto& device : o.devices) spec.devices.push_back({device, {}, {}});
  }
  spec.shapes.insert(spec.shapes.end(), o.shapes.begin(), o.shapes.end());
  spec.cut = spec.cut || o.cut, spec.float_io = o.float_io.value_or(spec.float_io);
  nn::LoadOptions priced;
  for (const auto& cost : o.costs)
    if (const auto why = nn::add_cost(cost, priced); !why.empty()) throw CLI::ValidationError("--cost", why);
  for (const auto& [word, cycles] : priced.costs) spec.costs[word] = cycles;
  for (const auto& l : o.limits) add_limit(l, "--limit", spec, d);
  if (!o.deadline.empty()) add_limit("latency=" + o.deadline, "--deadline", spec, d);
  set_objectives(o.objectives, spec, d);
  if (!o.memory.empty()) spec.memory = memory_of(o.memory, d);
  if (!o.kernels.empty()) spec.kernels = o.kernels;
  for (const auto& axis : o.without) spec.without.push_back(axis);
  for (const auto& field : o.set) set_device_field(field, spec, d);
  if (!o.within.empty()) {
    spec.within = read_share(o.within, "--within", d);
    if (explore::tolerance_objective(spec).empty())
      d.error({"--within", 0, 0}, "no objective but memory, so there is no best to be near",
              "--objective latency, energy or traffic");
  }
  if (!find_files(spec, d) || d.has_errors()) return std::nullopt;
  spec.file.clear();  // all paths are resolved
  return spec;
}

/// Makes the variants that the sweep asks for: they become networks of their own. In `folder`, where what was made
/// before is found again. False when it was interrupted, and after diagnostics.
bool make_variants(explore::SweepSpec& spec, const std::string& folder, Diagnostics& d) {
  if (spec.variants.empty()) return true;
  ProgressBar bar;
  explore::VariantOptions options;
  options.folder = folder;
  options.interrupted = &watch_interrupts();
  options.progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    bar.show(what, done, total);
  };
  for (const auto& v : spec.variants) {
    const auto made = explore::make_variants(v, options, d);
    if (made.empty()) return false;
    spec.networks.insert(spec.networks.end(), made.begin(), made.end());
  }
  spec.variants.clear();
  return true;
}

std::string now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

void print_where(const std::string& out, const std::string& point) {
  fmt::print("report: {}/report.html   export one with: dse export {} --point {} -o package\n", out, out, point);
}

/// Whether the folder holds the answer already; then it is printed again.
bool answered_before(const std::string& out, const Inputs& inputs) {
  auto lines = finished_answer(out, inputs);
  if (!lines || lines->empty()) return false;
  const auto point = std::move(lines->back());
  lines->pop_back();
  fmt::print(stderr, "dse: {} holds the results of this run already; nothing has changed since\n", out);
  fmt::print("{}", lines->empty() ? "" : fmt::format("{}\n", fmt::join(*lines, "\n")));
  print_where(out, point);
  return true;
}

/// A run that would go the same way again: not one that lost candidates or that time ended.
bool is_repeatable(const explore::Sweep& sweep, const explore::SweepSpec& spec) {
  return spec.seconds <= 0 && std::none_of(sweep.fronts.begin(), sweep.fronts.end(),
                                           [](const auto& f) { return f.lost > 0 || !f.left_out.empty(); });
}

int finish(const RunOptions& o, const explore::SweepSpec& spec, const Inputs& inputs, const explore::Sweep& sweep,
           bool interrupted, bool clean) {
  std::vector<std::string> lines;
  for (const auto& front : sweep.fronts) {
    if (interrupted && front.points.empty()) continue;  // not infeasible: not reached
    for (auto& line : reports::console_summary(front)) lines.push_back(std::move(line));
  }
  for (const auto& across : sweep.across)
    for (auto& line : reports::across_summary(sweep, across)) lines.push_back(std::move(line));
  fmt::print("{}", lines.empty() ? "" : fmt::format("{}\n", fmt::join(lines, "\n")));
  if (!has_points(sweep) || (interrupted && holds_whole_run(o.out))) {
    if (interrupted) {
      fmt::print(
          stderr,
          "dse: interrupted; what was simulated is kept in {}/study.sqlite, and the same command goes on from there\n",
          o.out);
      return Exit::interrupted;
    }
    store_why_none(o.out, sweep);
    fmt::print(stderr, "dse: error: {}; only why is stored in {}: infeasible.json\n", why_no_points(sweep), o.out);
    return exit_of_run(sweep, false);
  }
  store_run(o.out, inputs, sweep);
  const auto point =
      sweep.fronts.front().objectives.size() > 1 ? "knee" : explore::end_mark(sweep.fronts.front().objectives[0]);
  lines.push_back(point);
  if (!interrupted && clean && is_repeatable(sweep, spec)) note_finished(o.out, inputs, sweep, lines);
  print_where(o.out, point);
  return exit_of_run(sweep, interrupted);
}

int run(const RunOptions& o, const Invocation& invocation) {
  Diagnostics d;
  std::optional<explore::SweepSpec> spec;
  std::vector<explore::Case> cases;
  std::optional<Inputs> inputs;
  std::optional<ScratchFolder> scratch;  // for variants of a dry run
  {
    const LoggedStage logged("reading");
    spec = spec_of(o, d);
    if (!o.dry && !o.force) check_run_folder(o.out, d);
    if (const int code = d.has_errors() ? report(d) : Exit::ok) return code;
    if (spec && !spec->variants.empty() && o.out.empty()) scratch.emplace();
    const auto folder = scratch ? scratch->path() : std::filesystem::path(o.out);
    if (spec && !make_variants(*spec, (folder / "variants").string(), d)) {
      const int code = report(d);
      if (code == Exit::ok)
        fmt::print(stderr, "dse: interrupted; variants so far are kept in {}, and the same command goes on\n",
                   (folder / "variants").string());
      return code == Exit::ok ? Exit::interrupted : code;
    }
    if (spec) cases = explore::resolve(*spec, d);
    if (!cases.empty()) check_against_devices(*spec, cases, d);
    if (spec) inputs = take_inputs(*spec, d);
  }
  if (const int code = report(d)) return code;
  const int jobs = o.jobs > 0 ? o.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (o.dry) return dry_run(*spec, cases, jobs, o.json);
  if (answered_before(o.out, *inputs)) return Exit::ok;
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
  options.info = {version, sim::kTimingModel, invocation.command_line, inputs->hashes()};
  Diagnostics found;
  auto sweep = explore::explore(*spec, cases, options, found);
  bar.clear();
  sweep.provenance.version = version;
  sweep.provenance.command_line = invocation.command_line;
  sweep.provenance.date = now();
  sweep.provenance.inputs = inputs->hashes();
  sweep.provenance.interrupted = interrupted.load();
  const int code = report(found);
  const int end = finish(o, *spec, *inputs, sweep, interrupted.load(), code == Exit::ok);
  return end == Exit::ok ? code : end;
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<RunOptions>();
  auto* command = app.add_subcommand("run", "Explore a sweep, or networks on devices");
  command->add_option("what", options->what, "a sweep file; or, with --device, networks by file or name");
  command->add_option("--device,-d", options->devices, "devices, by name or file");
  command->add_option("--limit", options->limits,
                      "upper limit of a memory, as l1=64KiB, or of memory (all on the chip), ram, energy, traffic, "
                      "latency: memory=128KiB, energy=2mJ, traffic=1MiB; of the device's area: area=2mm2");
  command->add_option("--objective", options->objectives,
                      "what to minimise, up to four: memory, ram, latency, energy, traffic, the peak of a memory, as "
                      "l1, and area, of devices; default: memory and latency");
  add_kernels_option(*command, options->kernels);
  command->add_option("--shape", options->shapes, "shape of an input that an ONNX file leaves open: NAME=1x3x224x224")
      ->allow_extra_args(false);
  add_part_options(
      *command, options->cut, [options](bool integers) { options->float_io = !integers; }, true);
  command
      ->add_option("--cost", options->costs,
                   "what an operator that cannot be run takes, as a black box: type or name, and cycles: "
                   "GATHER_ND=12000")
      ->allow_extra_args(false);
  add_set_option(*command, options->set);
  command->add_option("--within", options->within,
                      "also show the smallest plan whose latency (or first objective that is no memory) is at most so "
                      "much above the best; default: 1% where latency is the only objective; 0: none");
  const auto axes = explore::axis_names();
  command
      ->add_option(
          "--without", options->without,
          fmt::format("search once more without each of these, and say what they add: {}", fmt::join(axes, ", ")))
      ->delimiter(',')
      ->check(CLI::Validator(
          [axes](const std::string& text) {
            const auto guess = nearest(text, axes);
            return std::count(axes.begin(), axes.end(), text) > 0
                       ? std::string()
                       : "there is no axis " + quote(text) +
                             (guess.empty() ? "; there is " + join_or(axes) : "; did you mean " + guess + "?");
          },
          fmt::format("{{{}}}", fmt::join(axes, ","))));
  command->add_option("--deadline", options->deadline, "upper limit of the latency, as 20ms");
  auto* out = command->add_option("--out,-o", options->out, "folder of the results");
  command->add_flag("--force", options->force, "write into a folder that holds files and no run");
  command->add_option("--jobs,-j", options->jobs, "worker processes; default: one per processor")
      ->check(CLI::Range(1, 1024));
  command->add_flag(
      "--resume", options->resume,
      "go on with what the folder holds; `what` may then be left out. Starts afresh where there is nothing");
  command->add_option("--memory", options->memory,
                      "memory that all processes together may take, as 1GiB; default: half of the machine's");
  command
      ->add_option("--candidate-timeout", options->hang,
                   "seconds without a sign of life after which a simulation is given up; default 60")
      ->check(CLI::Range(1.0, 1e6));
  auto* dry =
      command->add_flag("--dry-run", options->dry, "only count what there is to explore, and estimate the time");
  command->add_flag("--json", options->json, "what --dry-run or --from-package finds, as JSON");
  auto* package = command->add_option("--from-package", options->from_package,
                                      "simulate once more what a package holds (plan.dse, or its folder)");
  package->excludes(out)->excludes(dry);
  command->add_option("--key", options->key, "of an encrypted package: a file, or env:NAME")->needs(package);
  command->callback([options, out, dry, &invocation] {
    if (!options->from_package.empty()) {
      invocation.exit = run_from_package(options->from_package, options->key, options->json);
      return;
    }
    if (options->json && !options->dry) throw CLI::RequiresError("--json", "--dry-run or --from-package");
    if (out->count() == 0 && dry->count() == 0) throw CLI::RequiredError("--out");
    if (options->what.empty()) options->what = networks_among(options->devices);
    while (options->out.size() > 1 && options->out.back() == '/') options->out.pop_back();
    invocation.exit = run(*options, invocation);
  });
}

}  // namespace dse::cli
