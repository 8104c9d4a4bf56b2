// Any text is a device or a list of diagnostics, never anything else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "models/hw/device_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  dse::Diagnostics diagnostics;
  // What follows the last NUL, if any, is the value of an override.
  dse::yaml::Overrides overrides;
  const auto split = text.rfind('\0');
  if (split != std::string_view::npos)
    overrides.push_back({"memories.l1.size", std::string(text.substr(split + 1)), {"override", 1, 1}});
  const auto device = dse::hw::read_device_text(text.substr(0, split), "fuzz.yaml", overrides, diagnostics);
  if ((device == nullptr) != diagnostics.has_errors()) std::abort();
  if (device) {
    if (device->compute_engine() < 0 || device->constants < 0 || device->io < 0 || device->tick_hz() < 1) std::abort();
    (void)device->hash();
  }
  (void)diagnostics.text();
  return 0;
}
