// Reads a device description (docs/run/device.md) into a Device.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/yaml/yaml.h"
#include "models/hw/device.h"

namespace dse::hw {

/// Reads the file `path_or_name`, or the library device of that name (models/hw/library.h), after changing it by
/// `overrides`. Null if there was any error; all of them are in `diagnostics` then, with file, line and column.
/// Warnings do not prevent a result.
DevicePtr read_device(const std::string& path_or_name, const yaml::Overrides& overrides, Diagnostics& diagnostics);

/// Same, from text; `file` is for messages.
DevicePtr read_device_text(std::string_view text, const std::string& file, const yaml::Overrides& overrides,
                           Diagnostics& diagnostics);

/// JSON Schema of a device file (`dse schema device`; committed as configs/schema/device.json).
std::string device_schema();

/// Markdown tables of all fields (part of docs/run/device.md).
std::string device_reference();

}  // namespace dse::hw
