// The device library: device files that can be called by name.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/yaml/yaml.h"

namespace dse::hw {

/// Directories `configs` in the order in which they are searched: those in the environment variable DSE_CONFIGS
/// (separated by `:`), the installed one (../share/dse/configs from the running program), the source tree's. Only
/// directories that exist.
std::vector<std::string> config_directories();

/// The file with this path below the first of config_directories() that has it.
std::optional<std::string> config_file(const std::string& path);

/// Names of all library devices, sorted, each once.
std::vector<std::string> library_devices();

/// Other names of library devices, lower case -> the device's name. Of several devices with one alias the first counts.
std::map<std::string, std::string> device_aliases();

/// Further files that a device file names, by itself or with `overrides`: tables of engines. What cannot be read names
/// none.
std::vector<std::string> files_of_device(const std::string& file, const yaml::Overrides& overrides);

/// The file that `path_or_name` means. What has a `/` or ends in .yaml or .yml is a path and returned as it is;
/// anything else is `<name>.yaml` below `devices` in the first of config_directories() that has it, or the device with
/// this alias (in any case). An unknown name is an error that lists the known ones.
std::optional<std::string> find_device(const std::string& path_or_name, Diagnostics& diagnostics);

}  // namespace dse::hw
