#include "models/hw/device.h"

#include <gtest/gtest.h>

namespace dse::hw::device_test {
namespace {

/// L3 - L2 - L1 by one DMA, a MAC array on L1, a CPU on L2 and L1.
Device device() {
  Device d;
  d.clock_hz = 100;
  for (const char* name : {"l1", "l2", "l3"}) {
    Memory m;
    m.name = name;
    m.size = 1024;
    d.memories.push_back(m);
  }
  Engine cpu, dma, array;
  cpu.name = "cpu", cpu.kind = EngineKind::cpu, cpu.memories = {1, 0};
  dma.name = "dma", dma.kind = EngineKind::dma, dma.links = {{2, 1}};
  array.name = "array", array.kind = EngineKind::mac_array, array.memories = {0};
  d.engines = {cpu, dma, array};
  d.constants = 2, d.io = 1;
  return d;
}

TEST(Device, FindsByName) {
  const auto d = device();
  EXPECT_EQ(d.memory("l3"), 2);
  EXPECT_EQ(d.memory("l4"), -1);
  EXPECT_EQ(d.engine("dma"), 1);
  EXPECT_EQ(d.engine(""), -1);
}

TEST(Device, ComputesOnTheMacArrayBeforeTheCpu) {
  auto d = device();
  EXPECT_EQ(d.compute_engine(), 2);
  EXPECT_EQ(d.cpu(), 0);
  d.engines.pop_back();
  EXPECT_EQ(d.compute_engine(), 0);
  d.engines.erase(d.engines.begin());
  EXPECT_EQ(d.compute_engine(), -1);
  EXPECT_EQ(d.cpu(), -1);
}

TEST(Device, CopiesByDmaInBothDirectionsElseByACpuThatCan) {
  auto d = device();
  EXPECT_EQ(d.copy_engine(2, 1), 1);
  EXPECT_EQ(d.copy_engine(1, 2), 1);
  EXPECT_EQ(d.copy_engine(1, 0), -1) << "the CPU cannot copy";
  d.engines[0].copy_bytes_per_cycle = {4, 1};
  EXPECT_EQ(d.copy_engine(1, 0), 0);
  EXPECT_EQ(d.copy_engine(2, 0), -1) << "nobody reaches both";
  d.engines[1].links.push_back({0, 1});
  EXPECT_EQ(d.copy_engine(1, 0), 1) << "a DMA goes before the CPU";
}

TEST(Device, TheTickIsTheFastestClock) {
  auto d = device();
  EXPECT_EQ(d.tick_hz(), 100);
  d.memories[1].clock_hz = 250;
  d.engines[0].clock_hz = 50;
  EXPECT_EQ(d.tick_hz(), 250);
}

TEST(Device, KindsHaveTheirNames) {
  EXPECT_STREQ(name_of(EngineKind::mac_array), "mac-array");
  EXPECT_STREQ(name_of(EngineKind::npu), "npu");
}

TEST(DeviceHash, CoversWhatChangesASimulationAndNothingElse) {
  const auto base = device();
  const auto h = base.hash();
  EXPECT_EQ(h.size(), 16u);
  EXPECT_EQ(device().hash(), h);
  const auto changed = [&](auto change) {
    auto d = device();
    change(d);
    return d.hash() != h;
  };
  EXPECT_FALSE(changed([](Device& d) { d.source = "elsewhere"; }));
  EXPECT_FALSE(changed([](Device& d) { d.validated.push_back({"n", "s", "fit", "", 1}); }));
  EXPECT_TRUE(changed([](Device& d) { d.clock_hz = 101; }));
  EXPECT_TRUE(changed([](Device& d) { d.memories[0].size = 1; }));
  EXPECT_TRUE(changed([](Device& d) { d.memories[0].width = {1, 2}; }));
  EXPECT_TRUE(changed([](Device& d) { d.memories[2].on_chip = true; }));
  EXPECT_TRUE(changed([](Device& d) { d.memories[2].energy_pj_per_byte = 0.25; }));
  EXPECT_TRUE(changed([](Device& d) { d.engines[1].links[0] = {1, 2}; }));
  EXPECT_TRUE(changed([](Device& d) { d.engines[1].outstanding = 2; }));
  EXPECT_TRUE(changed([](Device& d) { d.engines[2].efficiency["conv"] = {1, 2}; }));
  EXPECT_TRUE(changed([](Device& d) { d.engines[2].macs_per_cycle["conv"] = {1, 2}; }));
  EXPECT_TRUE(changed([](Device& d) { d.control.issue = 1; }));
  EXPECT_TRUE(changed([](Device& d) { d.constants = 1; }));
  EXPECT_TRUE(changed([](Device& d) { d.kernel_library = "x"; }));
}

}  // namespace
}  // namespace dse::hw::device_test
