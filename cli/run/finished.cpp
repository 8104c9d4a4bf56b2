#include "cli/run/finished.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/common/files.h"
#include "cli/common/version.h"
#include "explore/study/study_reader.h"
#include "reports/run/csv.h"
#include "sim/timing_model.h"

namespace dse::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string file_of(const std::string& folder) { return (fs::path(folder) / "finished.json").string(); }

/// What tells this program from one built of other sources under the same version: the size and age of its file.
std::string program_text() {
  std::error_code error;
  const auto path = fs::read_symlink("/proc/self/exe", error);
  const auto size = error ? 0 : fs::file_size(path, error);
  const auto written = error ? fs::file_time_type() : fs::last_write_time(path, error);
  return fmt::format("{} {} {} {}", version, sim::kTimingModel, size, written.time_since_epoch().count());
}

std::string signature_of(json j) {
  j.erase("signature");
  return hash_of(j.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Every file that the run left, except the study, which later runs may add to.
std::vector<std::string> files_of(const explore::Sweep& sweep, const Inputs& inputs) {
  std::set<std::string> out = {"front.csv", "report.html", "results.json", "sweep.yaml"};
  if (!reports::energy_csv(sweep).empty()) out.insert("energy.csv");
  for (const auto& [path, content] : inputs.files) out.insert(path);
  for (const auto& front : sweep.fronts)
    for (const auto* list : {&front.points, &front.marked})
      for (const auto& p : *list) out.insert(p.plan_file);
  out.erase("");
  return {out.begin(), out.end()};
}

}  // namespace

std::string question_of(const Inputs& inputs) {
  auto text = program_text();
  for (const auto& [path, hash] : inputs.hashes()) text += "\n" + hash + " " + path;
  return hash_of(text);
}

void note_finished(const std::string& folder, const Inputs& inputs, const explore::Sweep& sweep,
                   const std::vector<std::string>& lines) {
  json files = json::object();
  for (const auto& path : files_of(sweep, inputs)) {
    Diagnostics ignored;
    const auto content = read_file((fs::path(folder) / path).string(), ignored);
    if (!content) return;
    files[path] = hash_of(*content);
  }
  json j = {{"format", 2}, {"question", question_of(inputs)}, {"printed", lines}, {"files", files}};
  j["signature"] = signature_of(j);
  write_file(file_of(folder), j.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

std::optional<std::vector<std::string>> finished_answer(const std::string& folder, const Inputs& inputs) {
  std::error_code error;
  if (!fs::exists(file_of(folder), error) || fs::exists(fs::path(folder) / "unfinished", error)) return std::nullopt;
  Diagnostics ignored;
  const auto text = read_file(file_of(folder), ignored);
  const auto j = text ? json::parse(*text, nullptr, false) : json();
  try {
    if (!j.is_object() || j.at("format") != 2 || j.at("signature") != signature_of(j) ||
        j.at("question") != question_of(inputs))
      return std::nullopt;
    for (const auto& [path, hash] : j.at("files").items()) {
      const auto content = read_file((fs::path(folder) / path).string(), ignored);
      if (!content || hash_of(*content) != hash.get<std::string>()) return std::nullopt;
    }
    const explore::StudyReader study((fs::path(folder) / "study.sqlite").string());  // one that could be gone on with
    return j.at("printed").get<std::vector<std::string>>();
  } catch (const json::exception&) {
    return std::nullopt;  // somebody else's file: the run is made again
  } catch (const std::runtime_error&) {
    return std::nullopt;  // and says what is wrong with the study
  }
}

}  // namespace dse::cli
