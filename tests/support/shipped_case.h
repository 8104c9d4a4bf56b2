// A shipped network on a shipped device, by their names.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "explore/question/case.h"
#include "models/hw/device_reader.h"
#include "models/nn/import.h"

namespace dse::test {

inline explore::Case shipped_case(const std::string& network, const std::string& device) {
  Diagnostics d;
  explore::Case c;
  c.network = nn::load_network(DSE_SOURCE_DIR "/configs/networks/" + network + ".yaml", d);
  c.device = hw::read_device(device, {}, d);
  c.device_label = device;
  EXPECT_TRUE(c.network && c.device) << d.text();
  return c;
}

}  // namespace dse::test
