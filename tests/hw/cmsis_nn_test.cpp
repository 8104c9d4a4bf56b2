// What the loops of CMSIS-NN do, counted by hand, and what they take.
#include "models/hw/libraries/loops/cmsis_nn.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/hw/counted_calls.h"

namespace dse::hw::cmsis_nn_test {
namespace {

using test::square_conv;
using testing::ElementsAre;

Engine core() { return test::counted_engine(cmsis_count_names(), {1, 2, 10, 100, 1000, 3, 30, 5, 50, 4, 40, 2, 9}); }

LoopCounts counts(const dse_op& op) { return CmsisNn::counts(program::whole_call(op)); }
std::int64_t cycles(const dse_op& op) { return CmsisNn(core()).cycles(program::whole_call(op)); }

TEST(CmsisNn, AConvolutionInWholeBlocks) {
  // 16 pixels, 4 filters, 3x3x4 = 36 deep: 16 x 4 x 36 products, all in blocks; a column of 36 bytes from 9 taps a
  // pixel.
  const auto op = square_conv(4, 4, 4, 4, 3, 1);
  EXPECT_THAT(counts(op), ElementsAre(2304, 0, 576, 144, 64, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 2304 + 5760 + 14400 + 64000);
}

TEST(CmsisNn, AGroupIsAsDeepAsItsChannels) {
  // The same with two groups of two input channels each: 3x3x2 = 18 deep, in whole fours 16; each has columns of its
  // own.
  auto op = square_conv(4, 4, 4, 4, 3, 1);
  op.groups = 2;
  EXPECT_EQ(program::arithmetic_of(program::whole_call(op)).macs, 16 * 4 * 18);
  EXPECT_THAT(counts(op), ElementsAre(16 * 4 * 16, 16 * 4 * 2, 2 * 16 * 18, 2 * 144, 64, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(CmsisNn, OddPixelsChannelsAndDepthsAreRests) {
  // 9 pixels, 3 filters, 27 deep: blocks of 8 x 2 x 24.
  const auto op = square_conv(3, 3, 3, 3, 3, 1);
  EXPECT_THAT(counts(op), ElementsAre(384, 729 - 384, 243, 81, 27, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(CmsisNn, PointwiseConvolutionsReadTheirInputAsItIs) {
  EXPECT_THAT(counts(square_conv(4, 8, 4, 4, 1, 1)), ElementsAre(512, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(counts(square_conv(8, 8, 4, 4, 1, 2)),
              ElementsAre(512, 0, 128, 16, 64, 0, 0, 0, 0, 0, 0, 0, 0));  // not with a stride
}

TEST(CmsisNn, DepthwiseAndDense) {
  auto op = square_conv(4, 8, 4, 8, 3, 1);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 1152, 128, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 3 * 1152 + 30 * 128);
  op.in_c = 2, op.multiplier = 4;  // several outputs of a channel go through another kernel
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 1152, 128, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 5 * 1152 + 50 * 128);
  auto dense = square_conv(1, 10, 1, 5, 1, 1);
  dense.kind = DSE_FULLY_CONNECTED;
  EXPECT_THAT(counts(dense), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 5, 0, 0));
  EXPECT_EQ(cycles(dense), 4 * 50 + 40 * 5);
}

TEST(CmsisNn, ActivationsOf16BitsHaveRatesOfTheirOwn) {
  auto e = core();
  auto op = square_conv(4, 8, 4, 4, 1, 1);
  op.in_type = op.out_type = DSE_I16;
  EXPECT_EQ(CmsisNn(e).cycles(program::whole_call(op)), 11 * 512 + 3 * 64);  // by the tables
  for (const auto& [count, rate] : e.cycles_per_count) e.cycles_per_count_int16[count] = {3 * rate.num, 1};
  // A column of 8 values and one tap for each of 16 pixels: 1x1 is no exception here.
  EXPECT_THAT(counts(op), ElementsAre(512, 0, 128, 16, 64, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(CmsisNn(e).cycles(program::whole_call(op)), 3 * (512 + 1280 + 1600 + 64000));
  EXPECT_EQ(CmsisNn(e).cycles(program::whole_call(square_conv(4, 8, 4, 4, 1, 1))), 512 + 64000);
}

TEST(CmsisNn, AveragePools) {
  auto op = square_conv(4, 8, 2, 8, 2, 2);
  op.kind = DSE_AVERAGE_POOL_2D;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 32));
  EXPECT_EQ(cycles(op), 2 * 128 + 9 * 32);
}

TEST(CmsisNn, TheTablesTimeWhatIsNotCounted) {
  auto wide = square_conv(4, 4, 4, 4, 3, 1);
  wide.in_type = wide.out_type = DSE_I16;
  EXPECT_EQ(cycles(wide), 11 * 2304 + 3 * 64);
  auto add = square_conv(4, 4, 4, 4, 1, 1);
  add.kind = DSE_ADD;
  EXPECT_EQ(cycles(add), 3 * 64);
}

TEST(CmsisNn, NoCutTakesLessThanTheLeast) {
  auto e = core();
  for (const auto& [count, rate] : e.cycles_per_count) e.cycles_per_count_int16[count] = rate;
  e.cycles_per_count_int16["conv_rest"] = {1, 2};  // cheaper than in blocks
  const CmsisNn library(e);
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 400; ++i) {
    const int kernel = draw(1, 3), out = draw(1, 7);
    auto op = square_conv(out + kernel - 1, draw(1, 9), out, draw(1, 9), kernel, 1);
    if (i % 4 == 3) op.in_type = op.out_type = DSE_I16;
    const auto whole = program::whole_call(op);
    const auto rows = draw(1, op.out_h), filters = draw(1, op.out_c), depth = draw(1, op.in_c);
    const auto sum = test::cycles_of_cut(library, op, {rows, op.out_w, filters, depth});
    EXPECT_GE(sum, library.least_cycles(whole)) << i;
    EXPECT_GE(library.cycles(whole), library.least_cycles(whole)) << i;
  }
}

}  // namespace
}  // namespace dse::hw::cmsis_nn_test
