// Devices of tests that stand in their sources.
#pragma once
#include <string>

#include "models/hw/device_reader.h"

namespace dse::hw::test {

/// @param said what was said about it, if anybody asks. Null: it is none.
inline DevicePtr device_of(const char* text, const yaml::Overrides& overrides = {}, std::string* said = nullptr) {
  Diagnostics d;
  auto out = read_device_text(text, "d.yaml", overrides, d);
  if (said) *said = d.text();
  return out;
}

}  // namespace dse::hw::test
