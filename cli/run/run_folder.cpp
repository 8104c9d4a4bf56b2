#include "cli/run/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/log.h"
#include "cli/common/files.h"
#include "explore/question/files/sweep_file.h"
#include "models/hw/library.h"
#include "reports/page/html.h"
#include "reports/run/csv.h"
#include "reports/run/json.h"
#include "reports/words/format.h"

namespace dse::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::string_view kSignature = "\"signature\": \"";  // its quotes stand in no text of JSON
const std::string kUnsigned(64, '0');

/// Hash of a text whose signature, at `at`, does not count.
std::string signature_of(std::string text, std::size_t at) {
  return hash_of(text.replace(at, kUnsigned.size(), kUnsigned));
}

/// Results as text that says what the files beside it hold and, with its signature, that it is as it was written.
std::string signed_text(json results, const std::map<std::string, std::string>& outputs) {
  results["provenance"]["outputs"] = outputs;
  results["provenance"]["signature"] = kUnsigned;
  auto text = results.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  const auto at = text.rfind(kSignature) + kSignature.size();
  return text.replace(at, kUnsigned.size(), signature_of(text, at));
}

/// Path and hash of every file beside results.json that tells its user something; nothing: the text is not as it was
/// written.
std::optional<std::map<std::string, std::string>> signed_outputs(const std::string& text) {
  const auto found = text.rfind(kSignature), at = found + kSignature.size();
  if (found == std::string::npos || at + kUnsigned.size() > text.size() ||
      text.substr(at, kUnsigned.size()) != signature_of(text, at))
    return std::nullopt;
  const std::string key = "\n \"provenance\": ";  // in a text of ours, so that not all of it is read once more
  const auto from = text.rfind(key) + key.size();
  const auto provenance = json::parse(text.substr(from, text.find("\n }", from) + 3 - from), nullptr, false);
  if (!provenance.is_object() || !provenance.contains("outputs")) return std::nullopt;
  return provenance["outputs"].get<std::map<std::string, std::string>>();
}

}  // namespace

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
  for (auto& n : stored.networks) take(n.file, "networks");
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
  std::map<std::string, std::string> outputs;
  const auto write = [&](const std::string& name, const std::string& content) {
    write_file((dir / name).string(), content);
    outputs[name] = hash_of(content);
  };
  write("front.csv", reports::front_csv(sweep));
  std::error_code error;
  if (const auto energy = reports::energy_csv(sweep); energy.empty())
    fs::remove(dir / "energy.csv", error);
  else
    write("energy.csv", energy);
  write_file((dir / "report.html").string(), reports::report_html(sweep));
  std::set<std::string> named;
  for (const auto& front : sweep.fronts)
    for (const auto* list : {&front.points, &front.marked})
      for (const auto& p : *list) {
        Diagnostics ignored;
        named.insert(fs::path(p.plan_file).filename().string());
        if (const auto plan = read_file((dir / p.plan_file).string(), ignored); plan && !p.plan_file.empty())
          outputs[p.plan_file] = hash_of(*plan);
      }
  write_file(results_of(folder), signed_text(reports::results_json(sweep), outputs));
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
  std::map<std::string, std::string> outputs;
  if (text->find("\"signature\"") == std::string::npos) {
    diagnostics.note({file, 0, 0}, "is not signed: an older version wrote it, or somebody changed it");
  } else if (auto read = signed_outputs(*text)) {
    outputs = std::move(*read);
  } else {
    diagnostics.error({file, 0, 0}, "has changed since the run: its signature is not that of what it says",
                      "run the sweep again, or restore the file");
    return std::nullopt;
  }
  bool same = true;
  auto depends_on = run.provenance.inputs;
  depends_on.insert(outputs.begin(), outputs.end());
  for (const auto& [path, hash] : depends_on) {
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

}  // namespace dse::cli
