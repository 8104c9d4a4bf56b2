// What a device file says of an NPU.
#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "models/hw/fields/text.h"

namespace dse::hw {

/// `o` with the fields of an NPU.
yaml::Object<EngineText> npu_fields(yaml::Object<EngineText> o);

/// Accelerator, memory mode and system by name. Errors: names that are none, one memory twice.
void name_npu(Engine& e, const std::string& path, const EngineText& t, Diagnostics& diagnostics);

/// Errors: a second NPU, a clock whose cycles are no whole number of ticks.
void check_npus(const Device& device, const DeviceText& text, Diagnostics& diagnostics);

/// "no memory \"l3\"; did you mean l1?"
std::string unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& known);

}  // namespace dse::hw
