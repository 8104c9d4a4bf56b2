// dse export: points of a run as a package for the target.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/point_options.h"
#include "cli/common/version.h"
#include "cli/package/device_document.h"
#include "cli/package/package_folder.h"
#include "cli/package/tflm_export.h"
#include "cli/package/whose_files.h"
#include "cli/run/run_folder.h"
#include "deploy/emulate/check.h"
#include "deploy/export/package.h"
#include "deploy/export/projects.h"
#include "explore/measure/point.h"
#include "models/nn/graph/price.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/plan.h"

namespace dse::cli {
namespace {

struct ExportOptions : PointOptions {
  std::string out, style = "interpreted", prefix = "dse", key, tflm, kernels = "reference", library;
  std::vector<std::string> more, check, projects;
  bool parity = false, force = false, nameless = false;
};

/// A point with its plan, verified once more.
struct Exported {
  Chosen chosen;
  plan::Plan plan;
  explore::Point point;
};

/// The run's own figure goes into the package only if this program, today, gets the same. @returns why it does not.
std::string why_not(const Exported& e) {
  auto other = differs_from_run(e.chosen, e.point);
  if (!e.point.run.failure && !e.point.verified) other = "computes other bytes than the interpreter";
  return other;
}

deploy::ShippedPoint shipped(const explore::Case& c, const Exported& e) {
  return {std::make_shared<program::Program>(plan::lower(*c.network, *c.device, e.plan)),
          plan::constants_image(*c.network, *c.device, e.plan),
          e.point.latency_ticks,
          e.point.startup_bytes,
          e.plan.id(),
          plan::write_plan(e.plan, *c.network, *c.device)};
}

/// One of kernel_set_names().
deploy::KernelSet kernel_set_of(const std::string& name) {
  const auto& names = deploy::kernel_set_names();
  return static_cast<deploy::KernelSet>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool is_identifier(const std::string& s) {
  return !s.empty() && std::islower(static_cast<unsigned char>(s[0])) &&
         std::all_of(s.begin(), s.end(),
                     [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; });
}

/// Writes the package of plans that are sound. @returns an exit code.
int write(const ExportOptions& o, const explore::Case& c, std::vector<Exported> points, const std::string& command,
          Diagnostics& d) {
  std::sort(points.begin(), points.end(),
            [](const Exported& a, const Exported& b) { return a.point.latency_ticks < b.point.latency_ticks; });
  points.erase(std::unique(points.begin(), points.end(),
                           [](const Exported& a, const Exported& b) { return a.plan.id() == b.plan.id(); }),
               points.end());
  deploy::Shipment s;
  for (const Exported& e : points) {
    if (const auto other = why_not(e); !other.empty()) {
      fmt::print(stderr, "dse: error: point {} of {} {}\n", e.plan.id(), o.folder, other);
      return Exit::mismatch;
    }
    s.points.push_back(shipped(c, e));
    if (o.nameless) continue;  // without documents
    const bool only = points.size() == 1;
    s.documents.emplace_back(only ? "plan.yaml" : fmt::format("plan-{}.yaml", e.plan.id()), s.points.back().plan);
    s.documents.emplace_back(only ? kAccountFile : fmt::format("account-{}.json", e.plan.id()),
                             account_document(e.chosen.front, e.chosen.document));
  }
  const auto& network = *c.network;
  const auto& front = points.front().chosen.recorded.front;
  s.inputs = nn::seeded_inputs(network, 0);
  const auto values = nn::interpret(network, s.inputs);
  for (int t : network.outputs) s.outputs.push_back(values[static_cast<std::size_t>(t)]);
  s.accuracy = front.accuracy;
  s.tool = std::string("dse ") + version;
  s.command = command;
  s.style = o.style == "static" ? deploy::Style::statically : deploy::Style::interpreted;
  s.prefix = o.prefix;
  s.parity = o.parity;
  s.nameless = o.nameless;
  s.check = o.check;
  s.kernels = kernel_set_of(o.kernels);
  s.library = o.library.empty() ? "" : std::filesystem::absolute(o.library).string();
  s.projects = o.projects;
  if (!o.key.empty()) s.key = deploy::read_key(o.key, d);
  deploy::can_be_shipped(network, s, o.out, d);
  if (auto device = device_document(o.folder, front, d)) s.device = std::move(*device);
  if (const int code = report(d)) return code;
  const bool written = deploy::write_package(network, *c.device, s, o.out, d);
  if (const int code = report(d); code != Exit::ok || !written) return Exit::mismatch;
  std::string ids;
  for (const auto& p : s.points) ids += (ids.empty() ? "" : ", ") + p.id;
  fmt::print("{}: point{} {} of {} on {}\n", o.out, s.points.size() == 1 ? "" : "s", ids, front.network, front.device);
  for (const auto& target : o.check) fmt::print("{}: passes on {}\n", o.out, target);
  return Exit::ok;
}

int run(const ExportOptions& o, const std::string& command) {
  Diagnostics d;
  if (!is_identifier(o.prefix))
    d.error({}, "--prefix " + o.prefix + " is no lower-case C identifier", "letters, digits and _, a letter first");
  if (o.kernels == "cmsis-nn" && !o.check.empty() && o.library.empty())
    d.error({}, "--check with --kernels cmsis-nn needs the library",
            "--kernel-library FOLDER, with Include and Source");
  if (!o.check.empty() && !o.library.empty() && deploy::kernel_sources(kernel_set_of(o.kernels), o.library).empty())
    d.error({o.library, 0, 0}, "there are no kernels in it",
            o.kernels == "own" ? "own_kernels.h and sources" : "the folder of CMSIS-NN, with Include and Source");
  if (!o.force && !o.out.empty()) check_package_folder(o.out, d);
  if (o.kernels == "reference" && !o.library.empty())
    d.error({}, "--kernel-library goes with --kernels cmsis-nn or own");
  std::vector<std::string> names{o.point};
  for (const auto& name : o.more)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  std::optional<explore::Case> c;
  std::vector<Exported> points;
  for (const auto& name : names) {
    PointOptions options = o;
    options.point = name;
    auto asked = d.has_errors() ? std::nullopt : open_point(options, d);
    if (!asked) break;
    if (const auto priced = nn::priced_text(*asked->c.network); !priced.empty()) {
      d.error({o.folder, 0, 0}, "cannot be exported: " + priced, "--cut in place of --cost leaves them to the host");
      break;
    }
    auto plan = plan_of(o.folder, asked->chosen, asked->c, d);
    if (c && plan && (c->device->hash() != asked->c.device->hash() || c->network->name != asked->c.network->name))
      d.error({o.folder, 0, 0}, fmt::format("point {} is of another network or device than {}", name, o.point),
              "a package holds points of one front: narrow it with --network and --device");
    if (d.has_errors()) break;
    if (!c) c = asked->c;
    auto point = explore::simulate_point(*c, *plan, true, false);
    points.push_back({std::move(asked->chosen), std::move(*plan), std::move(point)});
  }
  if (const int code = report(d)) return code;
  if (!o.tflm.empty()) {
    export_tflm(o.folder, points.front().chosen.recorded.front, o.tflm, d);
    if (const int code = report(d); code || o.out.empty()) return code;
  }
  Diagnostics package;
  return write(o, *c, std::move(points), command, package);
}

}  // namespace

void add_export(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<ExportOptions>();
  auto* command =
      app.add_subcommand("export", "Write points of a run as a package: plan, generated C, kernels, self-test");
  o->add_to(*command);
  auto* out = command->add_option("--out,-o", o->out, "folder of the package");
  auto* tflm = command->add_option(
      "--tflm", o->tflm, "write the network for TensorFlow Lite Micro: order and offsets that need the least arena");
  command->add_option("--and", o->more, "further points of the same front: a target takes the fastest that fits it");
  command->add_option("--style", o->style, "interpreted: the runtime walks the plan; static: C that calls the kernels")
      ->check(CLI::IsMember({"interpreted", "static"}))
      ->capture_default_str();
  command->add_option("--prefix", o->prefix, "of every symbol, macro and file, so that two packages go into one image")
      ->capture_default_str();
  command
      ->add_option("--kernels", o->kernels,
                   "whose kernels it calls: reference; cmsis-nn where that takes a call; own, by macros")
      ->check(CLI::IsMember(deploy::kernel_set_names()))
      ->capture_default_str();
  command->add_option("--kernel-library", o->library, "folder of CMSIS-NN, or of own kernels, for --check");
  command->add_option("--check", o->check, "compile the package and run its self-test there; emulated ones by QEMU")
      ->check(CLI::IsMember(deploy::check_targets()));
  command->add_option("--for", o->projects, "build files for such a project too; CMake's are always there")
      ->check(CLI::IsMember(deploy::project_kinds()));
  auto* key = command->add_option("--key", o->key,
                                  "encrypt, with the key of this file (32 bytes or 64 hexadecimal digits) or env:NAME");
  command
      ->add_flag("--private", o->nameless,
                 "of an encrypted package: without plan, account, names and hashes in the files that stay readable")
      ->needs(key);
  command->add_flag("--force", o->force,
                    "write into a folder that holds files of others, or changed ones of a package");
  command->add_flag("--parity", o->parity, "with check bits, by which one wrong bit in every 64 bytes is corrected");
  command->callback([o, out, tflm, &invocation] {
    if (out->count() == 0 && tflm->count() == 0) throw CLI::RequiredError("--out or --tflm");
    invocation.exit = run(*o, invocation.command_line);
  });
}

}  // namespace dse::cli
