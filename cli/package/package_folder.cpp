#include "cli/package/package_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/common/files.h"
#include "cli/package/whose_files.h"
#include "deploy/export/package.h"

namespace dse::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// Reads JSON of format 1 to `newest`.
std::optional<json> read_json(const std::string& file, int newest, Diagnostics& d) {
  const auto text = read_file(file, d);
  if (!text) return std::nullopt;
  auto j = json::parse(*text, nullptr, false);
  if (!j.is_object() || !j.contains("format") || !j["format"].is_number_integer()) {
    d.error({file, 0, 0}, "is damaged: it is no JSON with a format");
    return std::nullopt;
  }
  if (j["format"].get<int>() > newest) {
    d.error({file, 0, 0},
            fmt::format("has format {}, newer than this program, which knows format {}", j["format"].dump(), newest));
    return std::nullopt;
  }
  return j;
}

}  // namespace

std::string account_document(const json& front, const json& point) {
  json j = {{"format", 1}, {"front", front}, {"point", point}};
  for (const char* key : {"points", "marked", "dominated", "bound"}) j["front"].erase(key);
  return j.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

bool holds_package(const std::string& folder) {
  return is_file(fs::path(folder) / "manifest.json") && !is_file(fs::path(folder) / "results.json");
}

std::optional<json> open_package(const std::string& folder, Diagnostics& diagnostics) {
  const auto file = (fs::path(folder) / "manifest.json").string();
  auto manifest = read_json(file, deploy::kManifestFormat, diagnostics);
  if (!manifest) return std::nullopt;
  try {
    manifest->at("network").at("name").get<std::string>();
    manifest->at("device").at("name").get<std::string>();
    manifest->at("files").at(0);
    bool same = true;
    for (const auto& fault : deploy::faults_of(folder))
      if (fault.kind != deploy::FolderFault::Kind::foreign) same = report_fault(folder, fault, diagnostics);
    if (!same) return std::nullopt;
  } catch (const json::exception& e) {
    diagnostics.error({file, 0, 0}, std::string("is no manifest of a package: ") + e.what());
    return std::nullopt;
  }
  return manifest;
}

std::optional<reports::RecordedPoint> account_of_package(const std::string& folder, const json& manifest,
                                                         Diagnostics& diagnostics) {
  const auto& files = manifest.at("files");
  const bool listed = std::any_of(files.begin(), files.end(),
                                  [](const json& f) { return f.value("name", std::string()) == kAccountFile; });
  if (!listed) return std::nullopt;
  const auto file = (fs::path(folder) / kAccountFile).string();
  const auto account = read_json(file, 1, diagnostics);
  if (!account) return std::nullopt;
  if (!account->contains("front") || !account->contains("point")) {
    diagnostics.error({file, 0, 0}, "is damaged: it holds no point");
    return std::nullopt;
  }
  return reports::read_point(folder, account->at("front"), account->at("point"));
}

}  // namespace dse::cli
