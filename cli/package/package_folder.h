// Packages as `dse export` writes them, read back.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "reports/diff/point_diff.h"

namespace dse::cli {

/// Name of the document that holds what was measured: front and point, as in results.json.
inline constexpr const char* kAccountFile = "account.json";

/// The text of `account.json` for a point of a run.
std::string account_document(const nlohmann::json& front, const nlohmann::json& point);

/// Whether `folder` holds a package (and no run).
bool holds_package(const std::string& folder);

/// manifest.json, after a check that every file is what it was. Nothing after diagnostics.
std::optional<nlohmann::json> open_package(const std::string& folder, Diagnostics& diagnostics);

/// What was measured when the package was exported; nothing, without diagnostics, for packages that do not hold it.
std::optional<reports::RecordedPoint> account_of_package(const std::string& folder, const nlohmann::json& manifest,
                                                         Diagnostics& diagnostics);

}  // namespace dse::cli
