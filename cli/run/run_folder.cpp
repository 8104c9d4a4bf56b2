#include "cli/run/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/log.h"
#include "base/suggest.h"
#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "explore/question/files/sweep_file.h"
#include "models/hw/library.h"
#include "plan/document/document.h"
#include "reports/page/html.h"
#include "reports/run/csv.h"
#include "reports/run/json.h"
#include "reports/words/format.h"

namespace dse::cli {

namespace fs = std::filesystem;
using nlohmann::json;

static std::string results_of(const std::string& folder) { return (fs::path(folder) / "results.json").string(); }

std::map<std::string, std::string> Inputs::hashes() const {
  std::map<std::string, std::string> out = {{"sweep.yaml", hash_of(sweep)}};
  for (const auto& [path, content] : files) out[path] = hash_of(content);
  return out;
}

/// Files that a device names, as it stands or at a point of an axis.
static std::set<std::string> files_beside(const explore::DeviceSpec& device) {
  std::set<std::string> out;
  const auto add = [&](const yaml::Overrides& overrides) {
    for (auto& file : hw::files_of_device(device.base, overrides))
      if (std::error_code error; fs::exists(file, error)) out.insert(std::move(file));
  };
  add({});
  for (const auto& axis : device.axes)
    for (const auto& value : axis.values)
      if (axis.path.ends_with(".table")) add({{axis.path, value, axis.where}});
  return out;
}

std::optional<Inputs> take_inputs(const explore::SweepSpec& spec, Diagnostics& diagnostics) {
  Inputs out;
  auto stored = spec;
  bool all = true;
  // Base names stay, since networks are called after their files; different files of one name go to folders of their
  // own, and what a device names beside it goes where it goes.
  const auto take = [&](std::string& path, const std::string& folder, std::set<std::string> together = {}) {
    std::map<std::string, std::string> contents;  // by base name
    together.insert(path);
    for (const auto& file : together) {
      auto content = read_file(file, diagnostics);
      if (!content) {
        all = false;
        return;
      }
      contents[fs::path(file).filename().string()] = std::move(*content);
    }
    for (int n = 1;; ++n) {
      const auto place = fmt::format("inputs/{}{}/", folder, n == 1 ? "" : "-" + std::to_string(n));
      const bool free = std::all_of(contents.begin(), contents.end(), [&](const auto& c) {
        const auto there = out.files.find(place + c.first);
        return there == out.files.end() || there->second == c.second;
      });
      if (!free) continue;
      for (auto& [name, content] : contents) out.files[place + name] = std::move(content);
      path = place + fs::path(path).filename().string();
      return;
    }
  };
  for (auto& n : stored.networks) take(n, "networks");
  for (auto& d : stored.devices) take(d.base, "devices", files_beside(d));
  for (auto& p : stored.plans) take(p, "plans");
  if (!all) return std::nullopt;
  out.sweep = explore::write_sweep(stored);
  return out;
}

namespace {

void store_inputs(const fs::path& dir, const Inputs& inputs) {
  for (const auto& [path, content] : inputs.files) {
    make_folder((dir / path).parent_path().string());
    write_file((dir / path).string(), content);
  }
  write_file((dir / "sweep.yaml").string(), inputs.sweep);
}

}  // namespace

void begin_run(const std::string& folder, const Inputs& inputs) {
  std::error_code error;
  fs::remove_all(fs::path(folder) / "unfinished", error);
  fs::remove(fs::path(folder) / "infeasible.json", error);
  fs::remove(fs::path(folder) / "finished.json", error);
  make_folder((fs::path(folder) / "unfinished").string());
  store_inputs(fs::path(folder) / "unfinished", inputs);
}

std::optional<std::string> sweep_to_resume(const std::string& folder) {
  for (const auto& path : {fs::path(folder) / "unfinished" / "sweep.yaml", fs::path(folder) / "sweep.yaml"})
    if (std::error_code error; fs::exists(path, error)) return path.string();
  return std::nullopt;
}

void store_run(const std::string& folder, const Inputs& inputs, const explore::Sweep& sweep) {
  const LoggedStage logged("reports");
  const fs::path dir = folder;
  store_inputs(dir, inputs);
  write_file((dir / "front.csv").string(), reports::front_csv(sweep));
  std::error_code error;
  if (const auto energy = reports::energy_csv(sweep); energy.empty())
    fs::remove(dir / "energy.csv", error);
  else
    write_file((dir / "energy.csv").string(), energy);
  write_file((dir / "report.html").string(), reports::report_html(sweep));
  const auto results = reports::results_json(sweep);
  write_file(results_of(folder), results.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  std::set<std::string> named;
  for (const auto& front : sweep.fronts)
    for (const auto* list : {&front.points, &front.marked})
      for (const auto& p : *list) named.insert(fs::path(p.plan_file).filename().string());
  if (!sweep.provenance.interrupted) fs::remove_all(dir / "unfinished", error);
  for (const auto& entry : fs::directory_iterator(dir / "plans", error)) {
    const auto name = entry.path().filename().string();
    const bool ours = name.size() == 13 && name.find_first_not_of("0123456789abcdef") == 8 && name.substr(8) == ".yaml";
    if (ours && named.count(name) == 0) fs::remove(entry.path(), error);
  }
}

void store_why_none(const std::string& folder, const explore::Sweep& sweep) {
  const auto results = reports::results_json(sweep);
  write_file((fs::path(folder) / "infeasible.json").string(),
             results.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

bool holds_run(const std::string& folder) {
  std::error_code error;
  return fs::exists(results_of(folder), error);
}

bool holds_whole_run(const std::string& folder) {
  Diagnostics ignored;
  try {
    const auto text = holds_run(folder) ? read_file(results_of(folder), ignored) : std::nullopt;
    return text && !reports::read_results(*text).provenance.interrupted;
  } catch (const reports::RecordError&) {
    return false;
  }
}

std::optional<reports::RecordedRun> open_run(const std::string& folder, Diagnostics& diagnostics) {
  const auto file = results_of(folder);
  if (!holds_run(folder)) {
    diagnostics.error({folder, 0, 0}, "holds no finished run: there is no results.json", "dse run ... -o " + folder);
    return std::nullopt;
  }
  const auto text = read_file(file, diagnostics);
  if (!text) return std::nullopt;
  reports::RecordedRun run;
  try {
    run = reports::read_results(*text);
  } catch (const reports::RecordError& e) {
    diagnostics.error({file, 0, 0}, e.what());
    return std::nullopt;
  }
  bool same = true;
  for (const auto& [path, hash] : run.provenance.inputs) {
    const auto full = (fs::path(folder) / path).string();
    const auto content = read_file(full, diagnostics);
    const auto now = content ? hash_of(*content) : hash;
    if (now != hash)
      diagnostics.error(
          {full, 0, 0},
          "has changed since the run: its SHA-256 was " + hash.substr(0, 16) + "..., now " + now.substr(0, 16) + "...",
          "run the sweep again, or restore the file");
    same = same && content && now == hash;
  }
  return same ? std::optional(std::move(run)) : std::nullopt;
}

namespace {

bool is_called(const explore::Point& p, const std::string& name) {
  return p.id == name || p.origin == name || std::count(p.marks.begin(), p.marks.end(), name) > 0;
}

const json& document_of(const reports::RecordedFront& of, const explore::Point& p) {
  for (const char* list : {"points", "marked"})
    for (const auto& j : of.document.at(list))
      if (j.at("id") == p.id && j.at("origin") == p.origin) return j;
  throw InvariantError("a point that is not in its front");
}

}  // namespace

std::optional<Chosen> choose_point(const reports::RecordedRun& run, const std::string& name, const std::string& network,
                                   const std::string& device, Diagnostics& diagnostics) {
  std::vector<std::pair<const reports::RecordedFront*, const explore::Point*>> found, by_row, only;
  std::vector<std::string> known;
  std::size_t row = 0;
  const bool number = !name.empty() && name.size() < 8 && name.find_first_not_of("0123456789") == std::string::npos;
  for (const auto& of : run.fronts) {
    const bool meant =
        (network.empty() || of.front.network == network) && (device.empty() || of.front.device == device);
    for (const auto* p : reports::ordered_points(of.front)) {
      ++row;
      if (number && std::to_string(row) == name) by_row.emplace_back(&of, p);
      if (!meant) continue;
      known.insert(known.end(), {p->id, p->origin});
      known.insert(known.end(), p->marks.begin(), p->marks.end());
      if (is_called(*p, name)) found.emplace_back(&of, p);
    }
    if (meant && of.front.points.size() == 1) only.emplace_back(&of, &of.front.points[0]);
  }
  if (found.empty()) found = by_row;
  // A front with one objective has one point and no knee: it is what is meant.
  if (found.empty() && name == "knee") found = only;
  if (found.size() == 1) {
    const auto& [of, point] = found.front();
    const auto& document = document_of(*of, *point);
    try {
      return Chosen{reports::read_point(name, of->document, document), of->document, document};
    } catch (const reports::RecordError& e) {
      diagnostics.error({}, e.what());
      return std::nullopt;
    }
  }
  if (found.empty()) {
    const auto guess = nearest(name, known);
    diagnostics.error(
        {}, "no point " + quote(name) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
        fmt::format(
            "give an id, a row of front.csv (1 to {}), knee, smallest, fastest, or an origin such as rule-based", row));
    return std::nullopt;
  }
  std::string list;
  for (std::size_t i = 0; i < found.size() && i < 8; ++i)
    list += fmt::format("{}{} ({} on {})", i ? ", " : "", found[i].second->id, found[i].first->front.network,
                        found[i].first->front.device);
  diagnostics.error(
      {},
      fmt::format("{} points are called {}: {}{}", found.size(), quote(name), list, found.size() > 8 ? ", ..." : ""),
      "give the id, or narrow the choice with --network and --device");
  return std::nullopt;
}

std::optional<plan::Plan> plan_of(const std::string& folder, const Chosen& chosen, const explore::Case& c,
                                  Diagnostics& diagnostics) {
  const auto file = (fs::path(folder) / chosen.recorded.point.plan_file).string();
  auto plan = plan::read_plan(file, *c.network, *c.device, diagnostics);
  if (!plan || plan->id() == chosen.recorded.point.id) return plan;
  diagnostics.error({file, 0, 0}, "has changed since the run: it is plan " + plan->id() + " now",
                    "to use it, run it as a plan of your own (plans: in the sweep)");
  return std::nullopt;
}

std::string differs_from_run(const Chosen& chosen, const explore::Point& now) {
  if (now.run.failure) return "fails: " + now.run.failure->what;
  const auto then = chosen.recorded.point.latency_ticks;
  if (now.latency_ticks == then) return {};
  return fmt::format("takes {} cycles, not {} as in the run; was the run made by another version of dse?",
                     now.latency_ticks, then);
}

std::optional<explore::Case> rebuild_case(const std::string& folder, const explore::Front& front,
                                          Diagnostics& diagnostics) {
  const auto file = (fs::path(folder) / "sweep.yaml").string();
  auto spec = explore::read_sweep(file, diagnostics);
  if (!spec || !find_files(*spec, diagnostics)) return std::nullopt;
  spec->file.clear();  // paths are resolved
  const auto cases = explore::resolve(*spec, diagnostics);
  for (const auto& c : cases)
    if ((c.network_name() == front.network || c.network->name == front.network) &&
        c.network->structure_hash() == front.network_hash && c.device->hash() == front.device_hash)
      return c;
  if (!diagnostics.has_errors())
    diagnostics.error({file, 0, 0},
                      fmt::format("{} on {} is not what it was when the run was made", front.network, front.device),
                      "the run was made by another version of dse: run it again");
  return std::nullopt;
}

std::optional<PointOfCase> open_point(const PointOptions& options, Diagnostics& diagnostics) {
  const auto run = open_run(options.folder, diagnostics);
  auto chosen = run ? choose_point(*run, options.point, options.network, options.device, diagnostics) : std::nullopt;
  auto c = chosen ? rebuild_case(options.folder, chosen->recorded.front, diagnostics) : std::nullopt;
  if (!c) return std::nullopt;
  return PointOfCase{std::move(*chosen), std::move(*c)};
}

}  // namespace dse::cli
