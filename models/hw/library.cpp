#include "models/hw/library.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/suggest.h"
#include "models/hw/device_fields.h"
#include "models/hw/libraries/shape_rows.h"

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

std::optional<std::string> config_file(const std::string& path) {
  std::error_code error;
  for (const auto& directory : config_directories())
    if (const auto file = fs::path(directory) / path; fs::is_regular_file(file, error)) return file.string();
  return std::nullopt;
}

namespace {

/// Files of devices by name, of the first directory that has one; in folders below as well.
std::map<std::string, std::string> device_files() {
  std::map<std::string, std::string> out;
  std::error_code error;
  for (const auto& directory : config_directories())
    for (auto it = fs::recursive_directory_iterator(fs::path(directory) / "devices", error);
         !error && it != fs::recursive_directory_iterator(); it.increment(error))
      if (it->path().extension() == ".yaml") out.emplace(it->path().stem().string(), it->path().string());
  return out;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Other names of these, lower case -> the name.
std::map<std::string, std::string> aliases_of(const std::map<std::string, std::string>& files) {
  std::map<std::string, std::string> out;
  for (const auto& [name, file] : files) {
    Diagnostics ignored;  // a file with errors has what aliases could be read; who asks for it by name is told why
    const auto text = yaml::load(file, ignored);
    DeviceText written;
    if (text) yaml::read_text(*text, file, device_fields(), {}, ignored, written);
    for (const auto& alias : written.aliases) out.emplace(lower(alias), name);
  }
  return out;
}

}  // namespace

std::vector<std::string> library_devices() {
  std::vector<std::string> names;
  for (const auto& [name, file] : device_files()) names.push_back(name);
  return names;
}

std::map<std::string, std::string> device_aliases() { return aliases_of(device_files()); }

std::vector<std::string> files_of_device(const std::string& file, const yaml::Overrides& overrides) {
  Diagnostics ignored;
  const auto text = yaml::load(file, ignored);
  DeviceText written;
  if (text) yaml::read_text(*text, file, device_fields(), overrides, ignored, written);
  std::vector<std::string> out;
  for (const auto& e : written.engines.value)
    if (e.value.table.given) out.push_back(shape_file(file, e.value.table.value));
  return out;
}

std::optional<std::string> find_device(const std::string& wanted, Diagnostics& diagnostics) {
  const auto ends = [&](std::string_view tail) {
    return wanted.size() >= tail.size() && std::string_view(wanted).substr(wanted.size() - tail.size()) == tail;
  };
  if (wanted.find('/') != std::string::npos || ends(".yaml") || ends(".yml")) return wanted;
  const auto files = device_files();
  if (const auto it = files.find(wanted); it != files.end()) return it->second;
  const auto aliases = aliases_of(files);
  if (const auto it = aliases.find(lower(wanted)); it != aliases.end()) return files.at(it->second);
  std::vector<std::string> names, known_names;
  for (const auto& [name, file] : files) names.push_back(name);
  known_names = names;
  for (const auto& [alias, name] : aliases) known_names.push_back(alias);
  const auto guess = nearest(wanted, known_names);
  std::string known = names.empty() ? "there are none: set DSE_CONFIGS to the folder configs"
                                    : "there is " + join_or(names) + ", or give a path";
  diagnostics.error({}, "no device is named " + quote(wanted) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
                    std::move(known));
  return std::nullopt;
}

}  // namespace dse::hw
