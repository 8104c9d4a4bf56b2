// The fields of a device file. Between device_fields.cpp, which declares them, and device_reader.cpp, which makes a
// Device of what was written.
#pragma once
#include <string>

#include "models/hw/fields/text.h"

namespace dse::hw {

const yaml::Object<DeviceText>& device_fields();

/// Where the tables of an engine are from.
struct TableSource {
  const std::string& file;     // of the device
  const std::string& library;  // its kernels
};
/// Checks the tables of an engine that computes, and reads the one that it names (device_tables.cpp). `path` is the
/// engine's, for messages.
void read_tables(Engine& e, const std::string& path, const EngineText& t, const TableSource& source,
                 Diagnostics& diagnostics);

}  // namespace dse::hw
