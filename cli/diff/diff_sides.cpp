#include "cli/diff/diff_sides.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/suggest.h"
#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "cli/package/package_folder.h"
#include "cli/plan/plan_case.h"
#include "explore/front/accuracy.h"
#include "explore/front/front.h"
#include "explore/measure/point.h"
#include "plan/document/document.h"

namespace dse::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDefaultPoint = "knee";

using Label = std::string explore::Front::*;

/// A file's network or device goes by the name inside it.
std::string name_in_runs(const std::string& wanted, const reports::RecordedRun& run, Label label, Diagnostics& d) {
  if (wanted.empty()) return wanted;
  for (const auto& [f, document] : run.fronts)
    if (f.*label == wanted) return wanted;
  std::error_code error;
  if (!fs::exists(wanted, error)) return wanted;
  if (label == &explore::Front::network) {
    nn::LoadOptions any;  // the run may be of a part of it
    any.allow_float = any.keep_unsupported = any.integer_io = true;
    const auto network = cli::load_network(wanted, d, any);
    return network ? network->name : wanted;
  }
  const auto device = load_device(wanted, d);
  return device ? device->name : wanted;
}

/// Keeps the fronts that --network and --device name.
bool narrow(Opened& side, const DiffOptions& o, Diagnostics& d) {
  const auto network = name_in_runs(o.network, side.run, &explore::Front::network, d);
  const auto device = name_in_runs(o.device, side.run, &explore::Front::device, d);
  std::vector<reports::RecordedFront> kept;
  std::vector<std::string> known;
  for (const auto& f : side.run.fronts) {
    known.push_back(f.front.network + " on " + f.front.device);
    if ((network.empty() || f.front.network == network) && (device.empty() || f.front.device == device))
      kept.push_back(f);
  }
  if (kept.empty()) {
    d.error({side.path, 0, 0},
            fmt::format("has no front of {}{}{}", network.empty() ? "any network" : quote(network), " on ",
                        device.empty() ? "any device" : quote(device)),
            known.empty() ? "" : "there is " + join_or(known));
    return false;
  }
  if (side.point.find_first_not_of("0123456789") != std::string::npos || side.point.size() > 7 || side.point.empty())
    side.run.fronts = std::move(kept);  // rows of front.csv are counted over all fronts
  return !d.has_errors();
}

std::optional<Opened> open_folder(Opened side, const DiffOptions& o, Diagnostics& d) {
  if (holds_package(side.path)) {
    side.kind = Opened::Kind::package;
    if (!side.point.empty()) {
      d.error({side.given, 0, 0}, "is a package, which holds one point only");
      return std::nullopt;
    }
    auto manifest = open_package(side.path, d);
    if (!manifest) return std::nullopt;
    side.manifest = std::move(*manifest);
    return side;
  }
  auto run = open_run(side.path, d);
  if (!run) return std::nullopt;
  side.run = std::move(*run);
  if (side.point.empty()) side.point = o.point;
  if (!narrow(side, o, d)) return std::nullopt;
  return side;
}

std::optional<reports::RecordedPoint> point_of_run(const Opened& side, const Opened& other, const DiffOptions& o,
                                                   Diagnostics& d) {
  // Where several fronts have the point, the other side's network and device say which is meant.
  const auto& fronts = side.run.fronts;
  auto network = name_in_runs(o.network, side.run, &explore::Front::network, d);
  auto device = name_in_runs(o.device, side.run, &explore::Front::device, d);
  const auto prefer = [&](std::string& choice, Label label, const std::string& wanted) {
    if (!choice.empty() || wanted.empty()) return;
    for (const auto& [f, document] : fronts)
      if (f.*label == wanted) choice = wanted;
  };
  if (fronts.size() > 1 && other.kind == Opened::Kind::run && other.run.fronts.size() == 1) {
    prefer(network, &explore::Front::network, other.run.fronts[0].front.network);
    prefer(device, &explore::Front::device, other.run.fronts[0].front.device);
  } else if (fronts.size() > 1 && other.kind == Opened::Kind::package) {
    prefer(network, &explore::Front::network, other.manifest.at("network").at("name"));
    prefer(device, &explore::Front::device, other.manifest.at("device").at("name"));
  }
  const auto name = side.point.empty() ? std::string(kDefaultPoint) : side.point;
  auto chosen = choose_point(side.run, name, network, device, d);
  if (!chosen) return std::nullopt;
  auto& stored = chosen->recorded;
  stored.label = side.path + "#" + name;
  if (stored.missing.count("assignment") == 0) return stored;
  // Written by a version that stored less: measured again from the run's own copies.
  const auto c = rebuild_case(side.path, stored.front, d);
  if (!c) return std::nullopt;
  const auto file = (fs::path(side.path) / stored.point.plan_file).string();
  const auto plan = plan::read_plan(file, *c->network, *c->device, d);
  auto again = plan ? simulated(stored.label, *c, *plan, d) : std::nullopt;
  if (!again) return std::nullopt;
  if (again->point.latency_ticks != stored.point.latency_ticks) {
    d.error(
        {file, 0, 0},
        fmt::format("takes {} cycles, not {} as in the run", again->point.latency_ticks, stored.point.latency_ticks),
        "the run was made by another version of dse: run it again");
    return std::nullopt;
  }
  again->point.origin = stored.point.origin, again->point.marks = stored.point.marks;
  return again;
}

/// A plan file, or the plan of a package, simulated now.
std::optional<reports::RecordedPoint> simulate_plan(const Opened& side, const Opened& other, const DiffOptions& o,
                                                    Diagnostics& d) {
  const auto file = side.kind == Opened::Kind::package ? (fs::path(side.path) / "plan.yaml").string() : side.path;
  PlanSources sources{o.network, o.device, ""};
  if (other.kind == Opened::Kind::run) sources.run = other.path;
  const auto found = find_plan(file, sources, other.kind == Opened::Kind::run ? &other.run : nullptr, d);
  return found ? simulated(side.given, found->c, found->plan, d) : std::nullopt;
}

}  // namespace

std::optional<Opened> open_side(const std::string& given, const DiffOptions& options, Diagnostics& diagnostics) {
  Opened side;
  side.given = given, side.path = given;
  std::error_code error;
  if (const auto hash = given.rfind('#'); !fs::exists(given, error) && hash != std::string::npos)
    side.path = given.substr(0, hash), side.point = given.substr(hash + 1);
  if (!fs::exists(side.path, error)) {
    diagnostics.error({given, 0, 0}, "does not exist", "give the folder of a run, FOLDER#POINT, a plan or a package");
    return std::nullopt;
  }
  Diagnostics own;
  std::optional<Opened> out;
  if (fs::is_directory(side.path, error)) {
    out = open_folder(side, options, own);
  } else if (!side.point.empty()) {
    own.error({given, 0, 0}, "is a file: only runs have points to choose from");
  } else {
    side.kind = Opened::Kind::plan;
    out = side;
  }
  add_all(own, {given, 0, 0}, diagnostics);
  return out;
}

std::optional<reports::RecordedPoint> measured(const Opened& side, const Opened& other, const DiffOptions& options,
                                               Diagnostics& diagnostics) {
  Diagnostics own;
  std::optional<reports::RecordedPoint> out;
  if (side.kind == Opened::Kind::run) out = point_of_run(side, other, options, own);
  if (side.kind == Opened::Kind::package) out = account_of_package(side.path, side.manifest, own);
  if (!out && side.kind != Opened::Kind::run && !own.has_errors()) out = simulate_plan(side, other, options, own);
  add_all(own, {side.given, 0, 0}, diagnostics);
  return out;
}

std::optional<reports::RecordedPoint> knee_of(const Opened& run, const reports::RecordedFront& front,
                                              Diagnostics& diagnostics) {
  Opened one = run;
  one.run.fronts = {front};
  return measured(one, Opened{}, {}, diagnostics);
}

std::optional<reports::RecordedPoint> simulated(const std::string& label, const explore::Case& c,
                                                const plan::Plan& plan, Diagnostics& diagnostics) {
  reports::RecordedPoint out{label, {}, explore::simulate_point(c, plan, true, false), {}};
  explore::describe_front(c, out.front);
  explore::judge_accuracy(c, out.front);
  if (!out.point.verified) {
    diagnostics.error({label, 0, 0}, out.point.run.failure ? "fails: " + out.point.run.failure->what
                                                           : "the simulated outputs differ from the interpreter's");
    return std::nullopt;
  }
  return out;
}

}  // namespace dse::cli
