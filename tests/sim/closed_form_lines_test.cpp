// What a core waits for the lines of its cache, worked out by hand. A 1x1 convolution of 4x4 pixels from 8 channels to
// 4 by CMSIS-NN: 512 products at 1 cycle and 64 outputs at 1000. Its 32 bytes of weights, and 48 that requantise, are
// read for each two pixels, 8 times, and 40 bytes lie between two readings; its 128 bytes of input are read for each
// two channels, twice, and all of them lie between. far: 4 B/cycle, latency 10.
#include "models/hw/libraries/libraries.h"
#include "tests/hw/counted_calls.h"
#include "tests/sim/support.h"

namespace dse::sim::testing::closed_form_lines_test {
namespace {

constexpr std::int64_t kArithmetic = 7 + 512 + 64 * 1000;  // with its dispatch

dse_op pointwise() {
  auto op = hw::test::square_conv(4, 8, 4, 4, 1, 1);
  op.multiplier = 1;
  return op;
}

hw::Device device(std::int64_t cache, std::int64_t line) {
  hw::Device d = small_device();
  d.kernel_library = "cmsis-nn";
  d.memories[0].size = d.memories[1].size = 1 << 20;
  auto& e = d.engines[1];
  e.cache = cache, e.cache_line = line;
  e.cycles_per_element["default"] = {1, 1};
  const std::vector<std::int64_t> rates = {1, 2, 10, 100, 1000, 3, 30, 5, 50, 4, 40, 2, 9};
  for (std::size_t i = 0; i < rates.size(); ++i) e.cycles_per_count[hw::counts_of("cmsis-nn").at(i)] = {rates[i], 1};
  return d;
}

/// Ticks beside dispatch and arithmetic.
std::int64_t waits(const hw::Device& d, const std::map<int, int>& places) {
  const RunResult r = run(one_call(pointwise(), places), d);
  EXPECT_FALSE(r.failure) << r.failure->what;
  return r.ticks - kArithmetic;
}
std::int64_t waits_for_weights(const hw::Device& d) { return waits(d, {{DSE_WEIGHTS, 1}}); }

TEST(ClosedFormLines, WithoutLinesByteAfterByte) {
  EXPECT_EQ(waits(device(0, 0), {}), 0);
  EXPECT_EQ(waits_for_weights(device(0, 0)), 10 + 8 * 32 / 4);
  EXPECT_EQ(waits_for_weights(device(40, 0)), 10 + 32 / 4);
  EXPECT_EQ(waits_for_weights(device(0, 16)), 10 + 8 * 32 / 4) << "lines of a cache that there is not";
}

TEST(ClosedFormLines, EachColdMissTakesTheLatencyAndALine) {
  EXPECT_EQ(waits_for_weights(device(1024, 16)), 2 * (10 + 16 / 4));
  EXPECT_EQ(waits_for_weights(device(1024, 8)), 4 * (10 + 8 / 4));
  EXPECT_EQ(waits_for_weights(device(1024, 32)), 10 + 32 / 4) << "one line: what it takes without lines";
}

TEST(ClosedFormLines, WhatTheCacheDoesNotHoldMissesAgain) {
  EXPECT_EQ(waits_for_weights(device(47, 16)), 8 * 2 * (10 + 16 / 4)) << "40 bytes are three lines";
  EXPECT_EQ(waits_for_weights(device(48, 16)), 2 * (10 + 16 / 4));
}

TEST(ClosedFormLines, ALineComesWhole) {
  EXPECT_EQ(waits_for_weights(device(1024, 12)), 3 * (10 + 12 / 4)) << "32 bytes in lines of 12";
  EXPECT_EQ(waits_for_weights(device(1024, 64)), 10 + 64 / 4);
  auto d = device(1024, 16);
  d.memories[1].width = {3, 1};
  EXPECT_EQ(waits_for_weights(d), 2 * (10 + 6)) << "a line is a whole number of cycles";
  d.memories[1].width = {1, 2};
  EXPECT_EQ(waits_for_weights(d), 2 * (10 + 32));
  d.memories[1].clock_hz = d.clock_hz / 2;
  EXPECT_EQ(waits_for_weights(d), 2 * 2 * (10 + 32)) << "of its own clock";
}

TEST(ClosedFormLines, EachMemoryHasItsLatency) {
  auto d = device(1024, 16);
  d.memories.push_back({.name = "slow", .size = 1 << 20, .width = {1, 1}, .latency = 30});
  d.engines[1].memories = {0, 1, 2};
  EXPECT_EQ(waits(d, {{DSE_WEIGHTS, 1}, {DSE_QPARAMS, 2}}), 2 * (10 + 16 / 4) + 3 * (30 + 16));
  EXPECT_EQ(waits(d, {{DSE_WEIGHTS, 1}, {DSE_QPARAMS, 1}}), (2 + 3) * (10 + 16 / 4));
  EXPECT_EQ(waits(d, {{DSE_WEIGHTS, 1}, {DSE_OUT, 2}}), 2 * (10 + 16 / 4) + 30) << "written: the latency once";
}

TEST(ClosedFormLines, InputsMissOnceOrPerReading) {
  EXPECT_EQ(waits(device(127, 16), {{DSE_IN0, 1}}), 2 * 8 * (10 + 16 / 4));
  EXPECT_EQ(waits(device(128, 16), {{DSE_IN0, 1}}), 8 * (10 + 16 / 4));
}

/// The loops of an addition are not counted: what reading takes is part of its rate, and latency is paid once.
TEST(ClosedFormLines, WhatIsNotCountedIsAsWithout) {
  auto op = pointwise();
  op.kind = DSE_ADD, op.out_c = 8;
  for (const std::int64_t line : {0, 16})
    EXPECT_EQ(run(one_call(op, {{DSE_IN0, 1}, {DSE_IN1, 1}}), device(1024, line)).ticks, 7 + 10 + 128) << line;
}

}  // namespace
}  // namespace dse::sim::testing::closed_form_lines_test
