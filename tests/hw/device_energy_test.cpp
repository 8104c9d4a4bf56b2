// What a device file says of energy: read, refused, and what it comes to in whole femtojoules.
#include <gmock/gmock.h>

#include "models/hw/device_reader.h"
#include "models/hw/energy/energy_rates.h"
#include "tests/support/device_of.h"

namespace dse::hw::device_energy_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const char* const paper = R"(name: paper
clock: 100 MHz
kernels: {library: none}
memories:
  l1: {size: 64 KiB, width: 8 B/cycle, on_chip: true, energy: 0.5 pJ/B, energy_write: 0.75 pJ/B,
       energy_per_access: 2 pJ/access, leakage: 1 uW, leakage_per_kib: 0.25 uW}
  l2: {size: 1 MiB, width: 5/2 B/cycle, energy: 10 pJ/B, energy_read: 0 pJ/B, clock: 200 MHz}
  l3: {size: 1 MiB, width: 1/4 B/cycle, energy: 40 pJ/B}
engines:
  array: {kind: mac-array, memory: l1, macs_per_cycle: {int8: 16, int16: 8}, cycles_per_element: {default: 1},
          energy: 0.3 pJ/MAC, energy_int16: 0.9 pJ/MAC, energy_per_element: 0.1 pJ/element, leakage: 2 mW}
  core: {kind: cpu, memories: [l1, l2], cycles_per_mac: {default: 1}, cycles_per_element: {default: 1},
         energy: 3 pJ/MAC, energy_per_cycle: 12.5 pJ/cycle}
  mover: {kind: dma, between: [l2, l1], leakage: 10.04 uW}
constants: l2
io: l1
leakage: 100 uW
)";

DevicePtr device(const yaml::Overrides& overrides = {}, std::string* said = nullptr) {
  return test::device_of(paper, overrides, said);
}
DevicePtr with(const std::string& path, const std::string& value, std::string* said = nullptr) {
  return device({{path, value, {"test", 0, 0}}}, said);
}

TEST(DeviceEnergy, ComesToWholeFemtojoules) {
  std::string said;
  const auto d = device({}, &said);
  ASSERT_TRUE(d) << said;
  const EnergyRates r(*d);
  EXPECT_EQ(r.memories[0].read, 500);
  EXPECT_EQ(r.memories[0].write, 750) << "one of the pair goes before the figure of both";
  EXPECT_EQ(r.memories[1].read, 0) << "nothing is a figure too";
  EXPECT_EQ(r.memories[1].write, 10'000);
  EXPECT_EQ(r.memories[2].read, 40'000);
  EXPECT_EQ(r.memories[2].write, 40'000);
  EXPECT_EQ(r.memories[0].access, 2000);
  EXPECT_EQ(r.memories[0].width, 8);
  EXPECT_EQ(r.memories[1].width, 2) << "whole bytes";
  EXPECT_EQ(r.memories[2].width, 1) << "an access moves a byte at least";
  EXPECT_EQ(r.engines[0].mac, 300);
  EXPECT_EQ(r.engines[0].mac_int16, 900);
  EXPECT_EQ(r.engines[0].element, 100);
  EXPECT_EQ(r.engines[1].mac_int16, 3000) << "as the others where nothing is said";
  EXPECT_EQ(r.engines[1].cycle, 12'500);
  EXPECT_TRUE(r.by_cause);
  // A tick is 5 ns: 1 uW is 5 fJ.
  EXPECT_EQ(r.memories[0].tick, 5 * (1 + 16));
  EXPECT_EQ(r.memories[1].tick, 0);
  EXPECT_EQ(r.engines[0].tick, 10'000);
  EXPECT_EQ(r.engines[2].tick, 50) << "50.2, rounded";
  EXPECT_EQ(r.tick, 500);
  EXPECT_EQ(r.per_tick(), 85 + 10'000 + 50 + 500);
}

TEST(DeviceEnergy, LeakageFollowsSizeAndClock) {
  const auto tick = [](const DevicePtr& d) { return EnergyRates(*d).memories[0].tick; };
  EXPECT_EQ(tick(with("memories.l1.size", "128 KiB")), 5 * (1 + 32));
  EXPECT_EQ(tick(with("memories.l2.clock", "400 MHz")), 43) << "2.5 fJ per microwatt: 42.5";
  auto m = device()->memories[0];
  m.make_room(std::int64_t{1} << 50);
  EXPECT_EQ(m.size, std::int64_t{1} << 50);
  EXPECT_DOUBLE_EQ(m.leakage(), 17);
}

TEST(DeviceEnergy, OneFigurePerBlockIsNotTakenApart) {
  Diagnostics d;
  for (const char* name : {"gap8-class", "cortex-m7-class", "os-array-16x16"}) {
    const auto shipped = read_device(name, {}, d);
    ASSERT_TRUE(shipped) << d.text();
    EXPECT_FALSE(EnergyRates(*shipped).by_cause) << name;
    EXPECT_EQ(EnergyRates(*shipped).per_tick(), 0) << name;
  }
}

/// Each field by itself.
TEST(DeviceEnergy, EveryOtherFigureIsTakenApart) {
  const Device plain = [] {
    Device d;
    d.clock_hz = 1'000'000;
    d.memories.resize(1), d.engines.resize(1);
    d.memories[0].energy_pj_per_byte = 1, d.engines[0].energy_pj_per_mac = 1;
    return d;
  }();
  EXPECT_FALSE(EnergyRates(plain).by_cause);
  const auto apart = [&](auto change) {
    auto d = plain;
    change(d);
    return EnergyRates(d).by_cause;
  };
  EXPECT_TRUE(apart([](Device& d) { d.memories[0].energy_pj_per_byte_read = 2; }));
  EXPECT_TRUE(apart([](Device& d) { d.memories[0].energy_pj_per_byte_written = 2; }));
  EXPECT_FALSE(apart([](Device& d) { d.memories[0].energy_pj_per_byte_read = 1; })) << "it says the same";
  EXPECT_TRUE(apart([](Device& d) { d.memories[0].energy_pj_per_access = 1; }));
  EXPECT_TRUE(apart([](Device& d) { d.memories[0].leakage_uw = 1; }));
  EXPECT_TRUE(apart([](Device& d) { d.memories[0].size = 1, d.memories[0].leakage_uw_per_kib = 1; }));
  EXPECT_TRUE(apart([](Device& d) { d.engines[0].energy_pj_per_mac_int16 = 2; }));
  EXPECT_TRUE(apart([](Device& d) { d.engines[0].energy_pj_per_element = 1; }));
  EXPECT_TRUE(apart([](Device& d) { d.engines[0].energy_pj_per_cycle = 1; }));
  EXPECT_TRUE(apart([](Device& d) { d.engines[0].leakage_uw = 1; }));
  EXPECT_TRUE(apart([](Device& d) { d.leakage_uw = 1; }));
}

TEST(DeviceEnergy, WhatCannotBeIsRefusedByName) {
  const auto why = [](const std::string& path, const std::string& value) {
    std::string said;
    EXPECT_FALSE(with(path, value, &said)) << path;
    return said;
  };
  EXPECT_THAT(why("memories.l1.energy_read", "2 pJ/MAC"),
              AllOf(HasSubstr("memories.l1.energy_read"), HasSubstr("is not an energy per byte")));
  EXPECT_THAT(why("memories.l1.energy_write", "-1 pJ/B"), HasSubstr("is negative"));
  EXPECT_THAT(why("memories.l1.energy_per_access", "5"),
              HasSubstr("an energy per access is given in pJ/access or nJ/access"));
  EXPECT_THAT(why("memories.l1.leakage", "2 pJ"), HasSubstr("is not a power: use uW, mW or W"));
  EXPECT_THAT(why("memories.l1.leakage", "11 W"), HasSubstr("is out of range: 0 uW to 10 W"));
  EXPECT_THAT(why("memories.l1.leakage_per_kib", "200 mW"), HasSubstr("leakage of all of its KiB is more than 10 W"));
  EXPECT_THAT(why("engines.core.energy_per_cycle", "5 pJ/B"), HasSubstr("is not an energy per cycle"));
  EXPECT_THAT(why("engines.core.energy_per_element", "5 pJ/B"), HasSubstr("is not an energy per element"));
  EXPECT_THAT(why("engines.mover.energy_per_cycle", "5 pJ/cycle"), HasSubstr("engines.mover"));
  EXPECT_THAT(why("engines.mover.energy", "5 pJ/MAC"), HasSubstr("engines.mover"));
}

TEST(DeviceEnergy, IsKnownWhereTheFileSaysWhoseItIs) {
  std::string said;
  const auto unsaid = device({}, &said), said_by = with("energy_source", "measured by us, table 3", &said);
  ASSERT_TRUE(unsaid && said_by) << said;
  EXPECT_FALSE(unsaid->energy_known());
  EXPECT_TRUE(said_by->energy_known());
  EXPECT_EQ(said_by->energy_source, "measured by us, table 3");
  EXPECT_EQ(said_by->hash(), unsaid->hash()) << "simulations count the same figures, so plans are the same";
}

TEST(DeviceEnergy, ASourceOfNoFiguresIsRefusedAtItsPlace) {
  const std::string plain = R"(name: plain
clock: 100 MHz
kernels: {library: none}
memories: {l1: {size: 64 KiB, width: 8 B/cycle, on_chip: true}}
engines: {core: {kind: cpu, memory: l1, cycles_per_mac: {default: 1}, cycles_per_element: {default: 1}}}
constants: l1
io: l1
energy_source: measured
)";
  Diagnostics d;
  EXPECT_FALSE(read_device_text(plain, "plain.yaml", {}, d));
  EXPECT_THAT(d.text(), HasSubstr("plain.yaml:8:16: error: energy_source: the device states no energies"));
  for (const char* figure : {"memories.l1.energy", "memories.l1.energy_read", "memories.l1.energy_write"}) {
    Diagnostics none;
    EXPECT_TRUE(read_device_text(plain, "plain.yaml", {{figure, "1 pJ/B", {"test", 0, 0}}}, none)) << none.text();
  }
  for (const auto& [figure, value] :
       {std::pair("memories.l1.energy_per_access", "1 pJ/access"), std::pair("memories.l1.leakage", "1 uW"),
        std::pair("memories.l1.leakage_per_kib", "1 uW"), std::pair("engines.core.energy", "1 pJ/MAC"),
        std::pair("engines.core.energy_int16", "1 pJ/MAC"),
        std::pair("engines.core.energy_per_element", "1 pJ/element"),
        std::pair("engines.core.energy_per_cycle", "1 pJ/cycle"), std::pair("engines.core.leakage", "1 uW"),
        std::pair("leakage", "1 uW")}) {
    Diagnostics none;
    EXPECT_TRUE(read_device_text(plain, "plain.yaml", {{figure, value, {"test", 0, 0}}}, none)) << none.text();
  }
}

}  // namespace
}  // namespace dse::hw::device_energy_test
