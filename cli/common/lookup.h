// From what a user writes to a file: paths, and names of what is shipped.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "explore/question/sweep.h"
#include "models/hw/device.h"
#include "models/nn/network.h"

namespace dse::cli {

/// Adds what was found about a part; what names no file is said of `where`.
void add_all(const Diagnostics& part, const Location& where, Diagnostics& diagnostics);

/// Names of the networks that are shipped, sorted.
std::vector<std::string> library_networks();

/// The file of a network: what looks like a path is one (`folder` first if relative, then the working directory),
/// anything else is a shipped network's name. Unknown names and missing files are diagnostics at `where`.
std::optional<std::string> find_network(const std::string& path_or_name, const std::string& folder,
                                        const Location& where, Diagnostics& diagnostics);
/// Same for devices.
std::optional<std::string> find_device_file(const std::string& path_or_name, const std::string& folder,
                                            const Location& where, Diagnostics& diagnostics);

/// Loads a network by path or name.
nn::NetworkPtr load_network(const std::string& path_or_name, Diagnostics& diagnostics,
                            const nn::LoadOptions& options = {});
/// A device's description as text, for commands that read it again and again with other values in it.
struct DeviceText {
  std::string file, text;
};
/// Same, after making sure that it is a device as it stands.
std::optional<DeviceText> open_device(const std::string& path_or_name, Diagnostics& diagnostics,
                                      const std::vector<std::string>& set = {});
/// Loads a device by path or name, with these texts of `--set` (cli/common/limits.h) in it.
hw::DevicePtr load_device(const std::string& path_or_name, Diagnostics& diagnostics,
                          const std::vector<std::string>& set = {});

/// Replaces every path or name in the sweep by the file it means. False after diagnostics.
bool find_files(explore::SweepSpec& spec, Diagnostics& diagnostics);

}  // namespace dse::cli
