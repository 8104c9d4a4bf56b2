// What a device takes on the chip: read, added up, and refused where it has nothing to be counted by.
#include <gmock/gmock.h>

#include "models/hw/device_reader.h"
#include "tests/support/device_of.h"

namespace dse::hw::device_area_test {
namespace {

using testing::HasSubstr;

const char* const paper = R"(name: paper
clock: 100 MHz
kernels: {library: none}
memories:
  l1: {size: 64 KiB, width: 8 B/cycle, on_chip: true, area: 2000 um2, area_per_kib: 0.01 mm2}
  l2: {size: 1 MiB, width: 4 B/cycle}
engines:
  array: {kind: mac-array, memory: l1, macs_per_cycle: {int8: 16, int16: 8}, cycles_per_element: {default: 1},
          area: 0.05 mm2, area_per_mac: 500 um2, cores: 4, area_per_core: 0.02 mm2}
  mover: {kind: dma, between: [l2, l1], channels: 2, area: 0.01 mm2, area_per_channel: 1500 um2}
  core: {kind: cpu, memories: [l1, l2], cycles_per_mac: {default: 1}, cycles_per_element: {default: 1}, area: 0.1 mm2}
constants: l2
io: l1
area: 0.3 mm2
)";

DevicePtr device(const yaml::Overrides& overrides = {}, std::string* said = nullptr) {
  return test::device_of(paper, overrides, said);
}

double area_with(const std::string& path, const std::string& value) {
  const auto changed = device({{path, value, {"test", 0, 0}}});
  return changed ? changed->area_mm2().value_or(-1) : -2;
}

TEST(DeviceArea, AddsUpWhatTheFileGives) {
  std::string said;
  const auto d = device({}, &said);
  ASSERT_TRUE(d) << said;
  // l1 0.002 + 64 x 0.01; array 0.05 + 16 x 0.0005 + 4 x 0.02; mover 0.01 + 2 x 0.0015; core 0.1; the rest 0.3.
  EXPECT_DOUBLE_EQ(d->area_mm2().value(), 0.642 + 0.138 + 0.013 + 0.1 + 0.3);
}

TEST(DeviceArea, FollowsTheCountsThatASweepVaries) {
  const double whole = device()->area_mm2().value();
  EXPECT_DOUBLE_EQ(area_with("memories.l1.size", "32 KiB"), whole - 0.32);
  EXPECT_DOUBLE_EQ(area_with("engines.array.macs_per_cycle.int8", "32"), whole + 16 * 0.0005);
  EXPECT_DOUBLE_EQ(area_with("engines.array.macs_per_cycle.int16", "4"), whole) << "the largest peak counts";
  EXPECT_DOUBLE_EQ(area_with("engines.array.cores", "8"), whole + 4 * 0.02);
  EXPECT_DOUBLE_EQ(area_with("engines.mover.channels", "1"), whole - 0.0015);
  EXPECT_DOUBLE_EQ(area_with("memories.l2.area_per_kib", "0.001 mm2"), whole + 1.024);
}

TEST(DeviceArea, IsNotKnownWhereNothingIsGiven) {
  Diagnostics d;
  for (const char* name : {"gap8-class", "cortex-m7-class"}) {
    const auto shipped = read_device(name, {}, d);
    ASSERT_TRUE(shipped);
    EXPECT_FALSE(shipped->area_mm2()) << name << " gives no area: its file would have to name a source";
  }
}

TEST(DeviceArea, OfEachUnitNeedsUnits) {
  const std::string table = R"(name: t
clock: 100 MHz
kernels: {library: none}
memories: {l1: {size: 64 KiB, width: 8 B/cycle, on_chip: true}}
engines:
  npu: {kind: table, memory: l1, table: none.csv, area_per_mac: 500 um2}
constants: l1
io: l1
)";
  Diagnostics d;
  EXPECT_FALSE(read_device_text(table, "t.yaml", {}, d));
  EXPECT_THAT(d.text(), HasSubstr("area_per_mac without macs_per_cycle"));
  std::string said;
  EXPECT_FALSE(device({{"memories.l1.area", "2 B", {"test", 0, 0}}}, &said));
  EXPECT_THAT(said, HasSubstr("'2 B' is not an area: use um2 or mm2, for example 0.8 mm2"));
}

}  // namespace
}  // namespace dse::hw::device_area_test
