// Which engine computes what, where an accelerator takes some convolutions, and what a device file can say wrong of it.
#include "models/hw/libraries/work_list.h"

#include <gmock/gmock.h>

#include "models/hw/device_reader.h"
#include "models/hw/libraries/libraries.h"
#include "tests/hw/counted_calls.h"

namespace dse::hw::work_list_test {
namespace {

using testing::HasSubstr;

std::string counts_text() {
  std::string out;
  for (const auto& name : counts_of("ne16")) out += (out.empty() ? "" : ", ") + name + ": 1";
  return "{" + out + "}";
}

/// An accelerator before the array that computes everything.
std::string text(const std::string& accelerator) {
  return "name: d\nclock: 100 MHz\nkernels: {library: none}\n"
         "memories: {l1: {size: 64 KiB, width: 8 B/cycle, on_chip: true}, l2: {size: 1 MiB, width: 4 B/cycle}}\n"
         "engines:\n"
         "  fast: {kind: mac-array, " +
         accelerator +
         ", macs_per_cycle: {int8: 64}}\n"
         "  array: {kind: mac-array, memory: l1, macs_per_cycle: {int8: 4}, cycles_per_element: {default: 1}}\n"
         "  mover: {kind: dma, between: [l2, l1]}\n"
         "constants: l2\nio: l2\n";
}

std::string ne16(const std::string& takes) {
  return "memory: l1, library: ne16, takes: " + takes + ", cycles_per_count: " + counts_text();
}

DevicePtr device_of(const std::string& accelerator) {
  Diagnostics d;
  auto device = read_device_text(text(accelerator), "d.yaml", {}, d);
  EXPECT_EQ(d.text(), "");
  return device;
}

std::string errors_of(const std::string& accelerator) {
  Diagnostics d;
  EXPECT_EQ(read_device_text(text(accelerator), "d.yaml", {}, d), nullptr);
  return d.text();
}

dse_op conv(int kernel, int stride = 1) { return test::square_conv(8, 8, 8, 8, kernel, stride); }
dse_op of_kind(std::int32_t kind, dse_op op) {
  op.kind = kind, op.multiplier = 1;
  return op;
}

TEST(WorkList, AnAcceleratorTakesWhatItsLibraryHasKernelsFor) {
  const auto d = device_of(ne16("[conv, depthwise, pointwise]"));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->compute_engine(), 1);
  for (const auto& op : {conv(3), conv(1), conv(3, 2), of_kind(DSE_DEPTHWISE_CONV_2D, conv(3))})
    EXPECT_EQ(engine_for(*d, op), 0);
  auto wide = conv(3);
  wide.in_type = wide.out_type = DSE_I16;
  for (const auto& op : {conv(5), wide, of_kind(DSE_FULLY_CONNECTED, conv(1)), of_kind(DSE_ADD, conv(1))})
    EXPECT_EQ(engine_for(*d, op), 1);
  EXPECT_EQ(why_not_taken(*d, d->engines[0], conv(5)), "the kernel library 'ne16' has no kernel for it");
  EXPECT_EQ(why_not_taken(*d, d->engines[1], conv(5)), "");
}

TEST(WorkList, TheFileSaysWhichOfThem) {
  const auto d = device_of(ne16("[pointwise, depthwise], largest_stride: 1"));
  ASSERT_TRUE(d);
  EXPECT_EQ(engine_for(*d, conv(1)), 0);
  EXPECT_EQ(engine_for(*d, conv(3)), 1);
  EXPECT_EQ(engine_for(*d, of_kind(DSE_DEPTHWISE_CONV_2D, conv(3))), 0);
  EXPECT_EQ(engine_for(*d, of_kind(DSE_DEPTHWISE_CONV_2D, conv(3, 2))), 1);
  EXPECT_EQ(why_not_taken(*d, d->engines[0], conv(3)), "fast takes only pointwise or depthwise");
  EXPECT_EQ(why_not_taken(*d, d->engines[0], conv(1, 2)), "fast takes no stride above 1");
}

TEST(WorkList, AnEngineByRatesCanTakeSomeToo) {
  const auto d = device_of("memory: l1, takes: [conv]");
  ASSERT_TRUE(d);
  EXPECT_EQ(d->compute_engine(), 1);
  EXPECT_EQ(engine_for(*d, conv(5)), 0);
  EXPECT_EQ(engine_for(*d, conv(1)), 1);
}

TEST(WorkList, WhatAFileCanSayWrong) {
  EXPECT_THAT(errors_of("memory: l1, library: ne16, cycles_per_count: " + counts_text()),
              HasSubstr("takes: is not given, but the kernel library 'ne16' computes convolutions alone"));
  EXPECT_THAT(errors_of("memory: l1, library: ne16, takes: [conv]"),
              HasSubstr("cycles_per_count: is not given, and 'ne16' is timed by nothing else"));
  EXPECT_THAT(errors_of("memories: [l1, l2], takes: [conv]"),
              HasSubstr("engines.fast: computes in other memories than array"));
  EXPECT_THAT(errors_of("memory: l1, largest_stride: 1, cycles_per_element: {default: 1}"),
              HasSubstr("largest_stride without takes"));
  EXPECT_THAT(errors_of("memory: l1, takes: [softmax]"), HasSubstr("softmax"));
  EXPECT_THAT(errors_of("memory: l1, takes: [conv], library: ne16, cycles_per_count: {job: 1}"),
              HasSubstr("which ne16 is timed by"));
}

TEST(WorkList, ControlCanWaitForIt) {
  Diagnostics d;
  const auto device = read_device_text(text("memory: l1, takes: [conv]") + "control: {issue: 5 cycles, engine: fast}\n",
                                       "d.yaml", {}, d);
  ASSERT_TRUE(device) << d.text();
  EXPECT_EQ(device->control.engine, 0);
}

TEST(WorkList, SomeEngineComputesTheRest) {
  Diagnostics d;
  auto alone = text("memory: l1, takes: [conv]");
  const auto at = alone.find("  array:");
  alone.erase(at, alone.find('\n', at) + 1 - at);
  EXPECT_EQ(read_device_text(alone, "d.yaml", {}, d), nullptr);
  EXPECT_THAT(d.text(), HasSubstr("nothing computes"));
}

}  // namespace
}  // namespace dse::hw::work_list_test
