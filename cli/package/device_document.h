// A device as a package holds it: its file, those beside it, and what was overridden.
#pragma once
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "explore/measure/results.h"
#include "models/hw/device.h"

namespace dse::cli {

/// JSON {"name", "overrides": [[path, value], ...], "files": {name: text}} of the device of a front, from the run's own
/// copies. Nothing after diagnostics.
std::optional<std::string> device_document(const std::string& folder, const explore::Front& front,
                                           Diagnostics& diagnostics);

/// The device, from files that are written into `folder`. Null after diagnostics, which name `file`.
hw::DevicePtr device_of_document(const std::string& document, const std::string& folder, const std::string& file,
                                 Diagnostics& diagnostics);

}  // namespace dse::cli
