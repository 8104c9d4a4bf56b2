// The Ethos-U of a device: what its file says, and what is refused.
#include "models/hw/ethos_u/of_device.h"

#include <gmock/gmock.h>

#include "models/hw/device_reader.h"
#include "models/hw/library.h"

namespace dse::hw::ethos_u::of_device_test {
namespace {

using testing::HasSubstr;

/// The shipped device with other words in it.
std::string replaced(const std::string& from, const std::string& to) {
  Diagnostics d;
  auto text = yaml::load(find_device("corstone-u55", d).value(), d).value();
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::string said(const std::string& from, const std::string& to) {
  Diagnostics d;
  EXPECT_FALSE(read_device_text(replaced(from, to), "mine.yaml", {}, d)) << to;
  return d.text();
}

TEST(DeviceNpu, ShippedOnesHaveThePortsOfTheirSystems) {
  for (const auto& [name, system] :
       {std::pair("corstone-u55", "Ethos_U55_High_End_Embedded"), std::pair("alif-ensemble-he", "Alif_He_Sram_Mram")}) {
    Diagnostics d;
    const auto device = read_device(name, {}, d);
    ASSERT_TRUE(device) << d.text();
    const auto npu = npu_of(*device);
    ASSERT_TRUE(npu);
    const SystemConfig& want = *find_system(system);
    EXPECT_EQ(npu->system.clock_hz, want.clock_hz);
    EXPECT_DOUBLE_EQ(npu->system.sram.clock_scale, want.sram.clock_scale);
    EXPECT_DOUBLE_EQ(npu->system.second_port.clock_scale, want.second_port.clock_scale);
    EXPECT_EQ(npu->system.sram.read_latency, want.sram.read_latency);
    EXPECT_EQ(npu->npu.arena_limit, device->memories[0].free());
  }
}

TEST(DeviceNpu, WidthsOfMemoriesAreSharesOfThePorts) {
  Diagnostics d;
  const auto device =
      read_device_text(replaced("accelerator: ethos-u55-128", "accelerator: ethos-u65-256"), "mine.yaml", {}, d);
  ASSERT_TRUE(device) << d.text();
  EXPECT_DOUBLE_EQ(npu_of(*device)->system.sram.clock_scale, 0.5);  // 8 bytes a cycle of a port of 16
}

TEST(DeviceNpu, EveryMistakeIsTold) {
  EXPECT_THAT(said("accelerator: ethos-u55-128", "accelerator: ethos-u55-129"),
              HasSubstr("did you mean ethos-u55-128"));
  EXPECT_THAT(said("memory_mode: Shared_Sram", "memory_mode: Shared_Dram"), HasSubstr("did you mean Shared_Sram"));
  EXPECT_THAT(said("system: Ethos_U55_High_End_Embedded", "system: Ethos_U55"), HasSubstr("engines.npu.system"));
  EXPECT_THAT(said("memories: [sram, flash]\n    memory_mode", "memories: [sram, sram]\n    memory_mode"),
              HasSubstr("both are sram"));
  EXPECT_THAT(said("memories: [sram, flash]\n    memory_mode", "memories: [sram, dram]\n    memory_mode"),
              HasSubstr("no memory 'dram'"));
  EXPECT_THAT(said("kind: npu\n", "kind: npu\n    clock: 300 MHz\n"), HasSubstr("does not divide"));
}

TEST(DeviceNpu, ThereIsOneAtMost) {
  EXPECT_THAT(said("  core:\n",
                   "  other:\n    kind: npu\n    accelerator: ethos-u55-32\n    memories: [sram, flash]\n  core:\n"),
              HasSubstr("one NPU"));
}

}  // namespace
}  // namespace dse::hw::ethos_u::of_device_test
