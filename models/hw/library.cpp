#include "models/hw/library.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/suggest.h"

namespace dse::hw {

namespace fs = std::filesystem;

std::vector<std::string> config_directories() {
  std::vector<fs::path> candidates;
  std::error_code error;
  if (const char* list = std::getenv("DSE_CONFIGS")) {
    std::istringstream in(list);
    for (std::string one; std::getline(in, one, ':');)
      if (!one.empty()) candidates.emplace_back(one);
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) candidates.push_back(program.parent_path().parent_path() / "share" / "dse" / "configs");
#ifdef DSE_SOURCE_CONFIGS
  candidates.emplace_back(DSE_SOURCE_CONFIGS);
#endif
  std::vector<std::string> out;
  for (const auto& c : candidates)
    if (fs::is_directory(c, error)) out.push_back(c.string());
  return out;
}

std::vector<std::string> library_devices() {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& directory : config_directories())
    for (auto it = fs::directory_iterator(fs::path(directory) / "devices", error);
         !error && it != fs::directory_iterator(); it.increment(error))
      if (it->path().extension() == ".yaml") names.insert(it->path().stem().string());
  return {names.begin(), names.end()};
}

std::optional<std::string> find_device(const std::string& wanted, Diagnostics& diagnostics) {
  const auto ends = [&](std::string_view tail) {
    return wanted.size() >= tail.size() && std::string_view(wanted).substr(wanted.size() - tail.size()) == tail;
  };
  if (wanted.find('/') != std::string::npos || ends(".yaml") || ends(".yml")) return wanted;
  std::error_code error;
  const auto names = library_devices();
  if (std::find(names.begin(), names.end(), wanted) != names.end())
    for (const auto& directory : config_directories()) {
      const fs::path file = fs::path(directory) / "devices" / (wanted + ".yaml");
      if (fs::exists(file, error)) return file.string();
    }
  const auto guess = nearest(wanted, names);
  std::string known = names.empty() ? "there are none: set DSE_CONFIGS to the folder configs"
                                    : "there is " + join_or(names) + ", or give a path";
  diagnostics.error({}, "no device is named " + quote(wanted) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
                    std::move(known));
  return std::nullopt;
}

}  // namespace dse::hw
