// Systems of one's own around an Ethos-U: the fields of Arm's compiler configuration, in a file.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "models/hw/ethos_u/system.h"

namespace dse::hw::ethos_u {

struct SystemFile {
  std::string name, source;
  SystemConfig config;          // its name is the one above
  std::int64_t sram_bytes = 0;  // what schedules may use of the SRAM; 0: not said
  int hand_over = -1;           // idle cycles of the NPU per invocation; -1: not said
  std::string cpu;              // device whose CPU runs what the NPU cannot; empty: not said
};
using SystemFilePtr = std::shared_ptr<const SystemFile>;

/// Null after an error.
SystemFilePtr read_system_text(std::string_view text, const std::string& file, Diagnostics& diagnostics);
SystemFilePtr read_system(const std::string& path, Diagnostics& diagnostics);

/// JSON Schema of the files, and the table of their fields for docs/npu/system.md.
std::string system_schema();
std::string system_reference();

}  // namespace dse::hw::ethos_u
