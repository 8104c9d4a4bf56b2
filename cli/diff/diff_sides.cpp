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
#include "reports/run/json.h"

namespace dse::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kDefaultPoint = "knee";

/// What was said about one side names it.
void take(const Diagnostics& own, const std::string& side, Diagnostics& out) {
  for (auto d : own.list()) {
    if (d.where.file.empty()) d.where.file = side;
    out.add(std::move(d));
  }
}

/// A file's network or device goes by the name inside it.
std::string name_in_runs(const std::string& wanted, const json& fronts, const char* key, Diagnostics& d) {
  if (wanted.empty()) return wanted;
  for (const auto& f : fronts)
    if (f.at(key) == wanted) return wanted;
  std::error_code error;
  if (!fs::exists(wanted, error)) return wanted;
  if (key == std::string("network")) {
    nn::LoadOptions any;  // the run may be of a part of it
    any.allow_float = any.keep_unsupported = true;
    const auto network = cli::load_network(wanted, d, any);
    return network ? network->name : wanted;
  }
  const auto device = load_device(wanted, d);
  return device ? device->name : wanted;
}

/// Keeps the fronts that --network and --device name.
bool narrow(Opened& run, const DiffOptions& o, Diagnostics& d) {
  auto& fronts = run.results.at("fronts");
  const auto network = name_in_runs(o.network, fronts, "network", d);
  const auto device = name_in_runs(o.device, fronts, "device", d);
  json kept = json::array();
  std::vector<std::string> known;
  for (const auto& f : fronts) {
    known.push_back(f.at("network").get<std::string>() + " on " + f.at("device").get<std::string>());
    if ((network.empty() || f.at("network") == network) && (device.empty() || f.at("device") == device))
      kept.push_back(f);
  }
  if (kept.empty()) {
    d.error({run.path, 0, 0},
            fmt::format("has no front of {}{}{}", network.empty() ? "any network" : quote(network), " on ",
                        device.empty() ? "any device" : quote(device)),
            known.empty() ? "" : "there is " + join_or(known));
    return false;
  }
  if (run.point.find_first_not_of("0123456789") != std::string::npos || run.point.size() > 7 || run.point.empty())
    fronts = std::move(kept);  // rows of front.csv are counted over all fronts
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
  auto results = open_run(side.path, d);
  if (!results) return std::nullopt;
  side.results = std::move(*results);
  if (side.point.empty()) side.point = o.point;
  if (!narrow(side, o, d)) return std::nullopt;
  return side;
}

std::optional<reports::Measured> point_of_run(const Opened& side, const Opened& other, const DiffOptions& o,
                                              Diagnostics& d) {
  // Where several fronts have the point, the other side's network and device say which is meant.
  auto network = o.network, device = o.device;
  const auto& fronts = side.results.at("fronts");
  network = name_in_runs(network, fronts, "network", d), device = name_in_runs(device, fronts, "device", d);
  const auto prefer = [&](std::string& choice, const char* key, const std::string& wanted) {
    if (!choice.empty() || wanted.empty()) return;
    for (const auto& f : fronts)
      if (f.at(key) == wanted) choice = wanted;
  };
  if (fronts.size() > 1 && other.kind == Opened::Kind::run && other.results.at("fronts").size() == 1) {
    prefer(network, "network", other.results.at("fronts")[0].at("network"));
    prefer(device, "device", other.results.at("fronts")[0].at("device"));
  } else if (fronts.size() > 1 && other.kind == Opened::Kind::package) {
    prefer(network, "network", other.manifest.at("network").at("name"));
    prefer(device, "device", other.manifest.at("device").at("name"));
  }
  const auto name = side.point.empty() ? std::string(kDefaultPoint) : side.point;
  auto chosen = choose_point(side.results, name, network, device, d);
  if (!chosen) return std::nullopt;
  const auto label = side.path + "#" + name;
  if (chosen->point.contains("assignment")) return reports::Measured{label, chosen->front, chosen->point};
  // Written by a version that stored less: measured again from the run's own copies.
  const auto c = rebuild_case(side.path, chosen->front, d);
  if (!c) return std::nullopt;
  const auto file = (fs::path(side.path) / chosen->point.at("plan").get<std::string>()).string();
  const auto plan = plan::read_plan(file, *c->network, *c->device, d);
  auto again = plan ? simulated(label, *c, *plan, d) : std::nullopt;
  if (!again) return std::nullopt;
  if (again->point.at("latency_cycles") != chosen->point.at("latency_cycles")) {
    d.error({file, 0, 0},
            fmt::format("takes {} cycles, not {} as in the run", again->point.at("latency_cycles").dump(),
                        chosen->point.at("latency_cycles").dump()),
            "the run was made by another version of dse: run it again");
    return std::nullopt;
  }
  again->point["origin"] = chosen->point.at("origin"), again->point["marks"] = chosen->point.at("marks");
  return again;
}

/// A plan file, or the plan of a package, simulated now.
std::optional<reports::Measured> simulate_plan(const Opened& side, const Opened& other, const DiffOptions& o,
                                               Diagnostics& d) {
  const auto file = side.kind == Opened::Kind::package ? (fs::path(side.path) / "plan.yaml").string() : side.path;
  PlanSources sources{o.network, o.device, ""};
  if (other.kind == Opened::Kind::run) sources.run = other.path;
  const auto found = find_plan(file, sources, other.kind == Opened::Kind::run ? &other.results : nullptr, d);
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
  take(own, given, diagnostics);
  return out;
}

std::optional<reports::Measured> measured(const Opened& side, const Opened& other, const DiffOptions& options,
                                          Diagnostics& diagnostics) {
  Diagnostics own;
  std::optional<reports::Measured> out;
  if (side.kind == Opened::Kind::run) out = point_of_run(side, other, options, own);
  if (side.kind == Opened::Kind::package) out = account_of_package(side.path, side.manifest, own);
  if (!out && side.kind != Opened::Kind::run && !own.has_errors()) out = simulate_plan(side, other, options, own);
  take(own, side.given, diagnostics);
  return out;
}

std::optional<reports::Measured> knee_of(const Opened& run, const json& front, Diagnostics& diagnostics) {
  Opened one = run;
  one.results["fronts"] = json::array({front});
  return measured(one, Opened{}, {}, diagnostics);
}

std::optional<reports::Measured> simulated(const std::string& label, const explore::Case& c, const plan::Plan& plan,
                                           Diagnostics& diagnostics) {
  explore::Sweep sweep;
  sweep.fronts.emplace_back();
  explore::describe_front(c, sweep.fronts[0]);
  explore::judge_accuracy(c, sweep.fronts[0]);
  sweep.fronts[0].points.push_back(explore::simulate_point(c, plan, true, false));
  const auto& point = sweep.fronts[0].points[0];
  if (!point.verified) {
    diagnostics.error({label, 0, 0}, point.run.failure ? "fails: " + point.run.failure->what
                                                       : "the simulated outputs differ from the interpreter's");
    return std::nullopt;
  }
  auto front = reports::results_json(sweep).at("fronts").at(0);
  auto measured_point = front.at("points").at(0);
  return reports::Measured{label, std::move(front), std::move(measured_point)};
}

}  // namespace dse::cli
