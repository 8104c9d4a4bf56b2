// What a job of NE16 goes through, counted by hand, and what it takes.
#include "models/hw/libraries/loops/ne16.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/hw/counted_calls.h"

namespace dse::hw::ne16_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// DORY's model, with 5 cycles a job.
const std::vector<std::int64_t> kModel = {5, 6, 10, 1, 6, 1, 6, 1, 2, 9, 1, 0, 8, 1, 4, 1};

Engine accelerator(const std::vector<std::int64_t>& rates = kModel) {
  auto e = test::counted_engine(ne16_count_names(), rates);
  e.kind = EngineKind::mac_array, e.takes = {"conv", "depthwise", "pointwise"}, e.library = "ne16";
  e.macs_per_cycle = {{"int8", {162, 1}}};
  return e;
}

dse_op conv(int out_h, int out_w, int channels, int filters, int kernel, int stride = 1) {
  auto op = test::square_conv(1, channels, 1, filters, kernel, stride);
  op.in_h = (out_h - 1) * stride + kernel, op.in_w = (out_w - 1) * stride + kernel;
  op.out_h = out_h, op.out_w = out_w;
  return op;
}

dse_op depthwise(int out_h, int out_w, int channels, int stride = 1) {
  auto op = conv(out_h, out_w, channels, channels, 3, stride);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1;
  return op;
}

LoopCounts counts(const dse_op& op) { return Ne16::counts(program::whole_call(op)); }
std::int64_t cycles(const dse_op& op) { return Ne16(accelerator()).cycles(program::whole_call(op)); }

TEST(Ne16, AConvolutionInWholeSubtiles) {
  // 2 x 2 subtiles of two blocks of 32 outputs, each from two patches of 16 inputs: 16 passes of 5 x 5 pixels and of 8
  // bits of 32 filters; 8 outputs of 3 x 3 pixels x 32 channels.
  const auto op = conv(6, 6, 32, 64, 3);
  EXPECT_THAT(counts(op), ElementsAre(1, 16, 0, 400, 16, 0, 16, 4096, 16, 8, 256, 64, 8, 32, 8, 72));
  EXPECT_EQ(cycles(op), 5 + 16 * (6 + 25 + 6 + 6 + 8 * 32 + 2) + 8 * (9 + 32 + 8 + 4 + 4 + 9));
  EXPECT_EQ(cycles(op), 5 + 5344);  // as the model has it
}

TEST(Ne16, WhatIsLeftOverTakesSubtilesOfItsOwn) {
  // 7 x 4 pixels are 3 x 2 subtiles, 17 inputs two patches, 40 outputs a block of 32 and one of 8.
  const auto op = conv(7, 4, 17, 40, 3);
  EXPECT_THAT(counts(op), ElementsAre(1, 24, 0, 600, 24, 0, 24, 3840, 24, 12, 240, 60, 12, 30, 12, 108));
  EXPECT_EQ(cycles(op), 5 + 5550);
}

TEST(Ne16, PointwiseConvolutionsLoadNinePixelsAndAllBitsAtOnce) {
  const auto op = conv(6, 6, 32, 64, 1);
  EXPECT_THAT(counts(op), ElementsAre(1, 0, 16, 144, 16, 0, 16, 512, 16, 8, 256, 64, 8, 32, 8, 72));
  EXPECT_EQ(cycles(op), 5 + 16 * (10 + 9 + 6 + 6 + 32 + 2) + 8 * (9 + 32 + 8 + 4 + 4 + 9));
}

TEST(Ne16, ARunOfPixelsIsAPictureOfThreeColumns) {
  EXPECT_EQ(counts(conv(36, 1, 16, 32, 1))[2], 4);
  EXPECT_EQ(counts(conv(37, 1, 16, 32, 1))[2], 5);
  EXPECT_EQ(counts(conv(36, 1, 16, 32, 3))[1], 12);  // windows need the picture as it is
}

TEST(Ne16, DepthwiseConvolutionsGoBySixteenChannels) {
  const auto op = depthwise(7, 7, 24);
  EXPECT_THAT(counts(op), ElementsAre(1, 18, 0, 450, 18, 216, 18, 1728, 18, 18, 216, 54, 18, 27, 18, 162));
  EXPECT_EQ(cycles(op), 5 + 3537);
}

TEST(Ne16, WithAStrideASubtileOfTwoByTwoIsAJob) {
  EXPECT_THAT(counts(conv(4, 4, 16, 32, 3, 2)), ElementsAre(4, 4, 0, 100, 4, 0, 4, 1024, 4, 4, 128, 32, 4, 16, 4, 36));
  EXPECT_EQ(cycles(conv(4, 4, 16, 32, 3, 2)), 4 * 5 + 1468);
  EXPECT_EQ(counts(depthwise(6, 6, 16, 2))[0], 9);
}

TEST(Ne16, PartialSumsAreWrittenAndReadInWordsOfEightChannels) {
  const auto op = conv(6, 6, 32, 32, 3);
  auto part = program::whole_call(op);
  part.tile.k = {0, 16}, part.tile.flags = DSE_FIRST;
  EXPECT_THAT(Ne16::counts(part), ElementsAre(1, 4, 0, 100, 4, 0, 4, 1024, 4, 0, 0, 0, 0, 0, 4, 4 * 9 * 4));
  part.tile.k = {16, 32}, part.tile.flags = DSE_LAST;
  EXPECT_THAT(Ne16::counts(part), ElementsAre(1, 4, 0, 100, 4, 0, 4, 1024, 4, 4, 128, 32, 4, 16, 8, 4 * 9 * 5));
}

TEST(Ne16, ComputesNothingElse) {
  const auto but = [](dse_op op, auto change) { return change(op), op; };
  for (const auto& op : {
           conv(4, 4, 8, 8, 5),
           conv(4, 4, 8, 8, 2),
           conv(4, 4, 8, 8, 3, 3),
           conv(4, 4, 8, 7, 3, 2),  // outputs are written in pairs
           but(conv(4, 4, 8, 8, 3), [](dse_op& o) { o.dilation_h = o.dilation_w = 2; }),
           but(conv(4, 4, 8, 8, 3), [](dse_op& o) { o.kernel_w = 1; }),
           but(conv(4, 4, 8, 8, 3), [](dse_op& o) { o.stride_w = 2; }),
           but(conv(4, 4, 8, 8, 3), [](dse_op& o) { o.groups = 2; }),
           but(conv(4, 4, 8, 8, 3), [](dse_op& o) { o.in_type = o.out_type = DSE_I16; }),
           but(depthwise(4, 4, 8), [](dse_op& o) { o.kernel_h = o.kernel_w = 1; }),
           but(depthwise(4, 4, 8), [](dse_op& o) { o.multiplier = 2; }),
           but(conv(4, 4, 8, 8, 1), [](dse_op& o) { o.kind = DSE_FULLY_CONNECTED; }),
           but(conv(4, 4, 8, 8, 1), [](dse_op& o) { o.kind = DSE_ADD; }),
       }) {
    EXPECT_FALSE(ne16_computes(op));
    EXPECT_THAT(counts(op), IsEmpty());
  }
  for (const auto& op : {conv(4, 4, 8, 7, 3), conv(4, 4, 8, 8, 1, 2), depthwise(4, 4, 7), depthwise(4, 4, 8, 2)})
    EXPECT_TRUE(ne16_computes(op));
}

TEST(Ne16, NoCutTakesLessThanTheLeast) {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 3000; ++i) {
    auto engine = accelerator();
    for (auto& [count, rate] : engine.cycles_per_count) rate = {draw(0, 40), draw(1, 16)};
    const Ne16 library(engine);
    const bool narrow = draw(0, 3) == 0;
    const int rows = draw(1, 20), columns = narrow ? 1 : draw(1, 12), stride = draw(1, 2);
    const auto op = draw(0, 2) == 0 ? depthwise(rows, columns, 2 * draw(1, 30), stride)
                                    : conv(rows, columns, draw(1, 50), 2 * draw(1, 40), draw(0, 1) ? 3 : 1, stride);
    const bool sums = op.kind == DSE_CONV_2D;
    const auto whole = program::whole_call(op);
    const test::Cut cut{draw(1, op.out_h), draw(1, op.out_w), draw(1, op.out_c), sums ? draw(1, op.in_c) : op.in_c};
    EXPECT_GE(test::cycles_of_cut(library, op, cut), library.least_cycles(whole)) << i;
    EXPECT_GE(library.cycles(whole), library.least_cycles(whole)) << i;
  }
}

TEST(Ne16, TheLeastIsWhatTheWholeTakes) {
  const Ne16 library(accelerator());
  for (const auto& op : {conv(6, 6, 32, 64, 3), depthwise(7, 7, 24), conv(6, 6, 32, 64, 1), conv(4, 4, 16, 32, 3, 2)})
    EXPECT_EQ(library.least_cycles(program::whole_call(op)), cycles(op));
}

}  // namespace
}  // namespace dse::hw::ne16_test
