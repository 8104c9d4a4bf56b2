#include "cli/common/lookup.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/suggest.h"
#include "cli/common/limits.h"
#include "models/hw/device_reader.h"
#include "models/hw/library.h"

namespace dse::cli {

namespace fs = std::filesystem;

namespace {

bool looks_like_path(const std::string& text) {
  const auto extension = fs::path(text).extension();
  return text.find('/') != std::string::npos || extension == ".yaml" || extension == ".yml" || extension == ".tflite" ||
         extension == ".onnx" || extension == ".dsenet";
}

std::optional<std::string> find_path(const std::string& path, const std::string& folder, const std::string& what,
                                     const Location& where, Diagnostics& diagnostics) {
  std::error_code error;
  std::vector<fs::path> places;
  if (fs::path(path).is_relative() && !folder.empty()) places.push_back(fs::path(folder) / path);
  places.emplace_back(path);
  for (const auto& p : places)
    if (fs::exists(p, error)) return p.lexically_normal().string();
  diagnostics.error(where, what + " file " + quote(path) + " does not exist",
                    places.size() > 1 ? "looked in " + folder + " and the working directory" : "");
  return std::nullopt;
}

}  // namespace

void add_all(const Diagnostics& part, const Location& where, Diagnostics& diagnostics) {
  for (auto d : part.list()) {
    if (d.where.file.empty()) d.where = where;
    diagnostics.add(std::move(d));
  }
}

std::vector<std::string> library_networks() {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& directory : hw::config_directories())
    for (auto it = fs::directory_iterator(fs::path(directory) / "networks", error);
         !error && it != fs::directory_iterator(); it.increment(error))
      if (it->path().extension() == ".yaml") names.insert(it->path().stem().string());
  return {names.begin(), names.end()};
}

std::optional<std::string> find_network(const std::string& wanted, const std::string& folder, const Location& where,
                                        Diagnostics& diagnostics) {
  if (looks_like_path(wanted)) return find_path(wanted, folder, "network", where, diagnostics);
  const auto names = library_networks();
  if (std::count(names.begin(), names.end(), wanted) > 0)
    if (auto file = hw::config_file("networks/" + wanted + ".yaml")) return file;
  const auto guess = nearest(wanted, names);
  diagnostics.error(where,
                    "no network is named " + quote(wanted) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
                    names.empty() ? "there are none: set DSE_CONFIGS to the folder configs"
                                  : "there is " + join_or(names) + ", or give a path");
  return std::nullopt;
}

std::optional<std::string> find_device_file(const std::string& wanted, const std::string& folder, const Location& where,
                                            Diagnostics& diagnostics) {
  if (looks_like_path(wanted)) return find_path(wanted, folder, "device", where, diagnostics);
  Diagnostics own;
  auto file = hw::find_device(wanted, own);
  add_all(own, where, diagnostics);
  return file;
}

nn::NetworkPtr load_network(const std::string& path_or_name, Diagnostics& diagnostics, const nn::LoadOptions& options) {
  const auto file = find_network(path_or_name, "", {}, diagnostics);
  return file ? nn::load_network(*file, diagnostics, options) : nullptr;
}

hw::DevicePtr load_device(const std::string& path_or_name, Diagnostics& diagnostics,
                          const std::vector<std::string>& set) {
  const auto file = find_device_file(path_or_name, "", {}, diagnostics);
  const auto overrides = overrides_of(set, diagnostics);
  return file && overrides.size() == set.size() ? hw::read_device(*file, overrides, diagnostics) : nullptr;
}

std::optional<DeviceText> open_device(const std::string& path_or_name, Diagnostics& diagnostics,
                                      const std::vector<std::string>& set) {
  const auto file = find_device_file(path_or_name, "", {}, diagnostics);
  auto text = file ? yaml::load(*file, diagnostics) : std::nullopt;
  const auto overrides = overrides_of(set, diagnostics);
  if (!text || overrides.size() != set.size() || !hw::read_device_text(*text, *file, overrides, diagnostics))
    return std::nullopt;
  return DeviceText{*file, std::move(*text)};
}

bool find_files(explore::SweepSpec& spec, Diagnostics& diagnostics) {
  const auto folder = fs::path(spec.file).parent_path().string();
  const Location whole{spec.file, 0, 0};
  bool all = true;
  for (auto& n : spec.networks)
    if (auto file = find_network(n.file, folder, whole, diagnostics))
      n.file = *file;
    else
      all = false;
  for (auto& v : spec.variants) {
    if (auto file = find_network(v.base, folder, v.where, diagnostics))
      v.base = *file;
    else
      all = false;
    if (const auto there = fs::path(folder) / v.data; !v.data.empty() && fs::exists(there)) v.data = there.string();
  }
  for (auto& d : spec.devices)
    if (auto file = find_device_file(d.base, folder, d.where, diagnostics))
      d.base = *file;
    else
      all = false;
  for (auto& p : spec.plans)
    if (auto file = find_path(p, folder, "plan", whole, diagnostics))
      p = *file;
    else
      all = false;
  return all;
}

}  // namespace dse::cli
