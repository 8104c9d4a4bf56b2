#include "cli/package/whose_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

namespace dse::cli {

namespace fs = std::filesystem;

namespace {

/// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) out += (i > 0 ? ", " : "") + names[i];
  return out + (names.size() > kShown ? " and " + std::to_string(names.size() - kShown) + " more" : "");
}

}  // namespace

void check_package_folder(const std::string& folder, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const auto& fault : deploy::faults_of(folder))
    if (fault.kind != deploy::FolderFault::Kind::missing) names.push_back(fault.name);
  if (!names.empty())
    diagnostics.error({folder, 0, 0}, "holds files that are not as a package left them: " + some_of(names),
                      "give another folder, or --force: then files of others stay, those of a package are replaced");
}

void check_run_folder(const std::string& folder, Diagnostics& diagnostics) {
  static const std::set<std::string> marks = {"study.sqlite", "unfinished", "results.json", "infeasible.json"};
  std::vector<std::string> others;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto name = at->path().filename().string();
    if (marks.count(name)) return;
    if (name != "variants") others.push_back(name);  // those are made before the run begins
  }
  std::sort(others.begin(), others.end());
  if (!others.empty())
    diagnostics.error({folder, 0, 0}, "holds files, but no run: " + some_of(others),
                      "give another folder, or --force: then the results lie among them");
}

bool report_fault(const std::string& folder, const deploy::FolderFault& fault, Diagnostics& d) {
  const auto file = (fs::path(folder) / fault.name).string();
  switch (fault.kind) {
    case deploy::FolderFault::Kind::missing:
      d.error({file, 0, 0}, "is missing: a package has it", "export the package again");
      break;
    case deploy::FolderFault::Kind::changed:
      d.error({file, 0, 0}, "has changed since it was exported: its SHA-256 is not that of manifest.json",
              "export the package again");
      break;
    case deploy::FolderFault::Kind::foreign:
      d.error({file, 0, 0}, "is not of the package: manifest.json does not list it", "remove it, or export it again");
      break;
  }
  return false;
}

bool is_whole_package(const std::string& folder, Diagnostics& diagnostics) {
  bool same = true;
  for (const auto& fault : deploy::faults_of(folder)) same = report_fault(folder, fault, diagnostics);
  return same;
}

}  // namespace dse::cli
