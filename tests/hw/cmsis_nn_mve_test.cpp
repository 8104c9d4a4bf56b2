// What the vector loops of CMSIS-NN do, counted by hand, and what they take.
#include "models/hw/libraries/loops/cmsis_nn_mve.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/hw/counted_calls.h"

namespace dse::hw::cmsis_nn_mve_test {
namespace {

using test::square_conv;
using testing::ElementsAre;

Engine core() { return test::counted_engine(mve_count_names(), {10, 5, 1, 20, 7, 16, 9, 8, 6, 12, 4, 2, 9}); }

LoopCounts counts(const dse_op& op) { return CmsisNnMve::counts(program::whole_call(op)); }
std::int64_t cycles(const dse_op& op) { return CmsisNnMve(core()).cycles(program::whole_call(op)); }

TEST(CmsisNnMve, AConvolutionByFoursOfPixels) {
  // 16 pixels are 4 groups; 5 filters; 3x3x4 = 36 products are 3 vectors; a column of 36 bytes from 9 taps a pixel.
  const auto op = square_conv(4, 4, 4, 5, 3, 1);
  EXPECT_THAT(counts(op), ElementsAre(4 * 5 * 3, 0, 16 * 36, 16 * 9, 80, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 600 + 576 + 2880 + 560);
}

TEST(CmsisNnMve, PixelsBeyondTheLastFourAreSingle) {
  // 9 pixels: two groups and one; 16 products fill one vector, 17 take two.
  EXPECT_THAT(counts(square_conv(3, 16, 3, 3, 1, 1)), ElementsAre(2 * 3, 1 * 3, 0, 0, 27, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(counts(square_conv(3, 17, 3, 3, 1, 1)),
              ElementsAre(2 * 3 * 2, 1 * 3 * 2, 0, 0, 27, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(counts(square_conv(6, 16, 3, 3, 1, 2)),
              ElementsAre(6, 3, 9 * 16, 9, 27, 0, 0, 0, 0, 0, 0, 0, 0));  // not as it is
}

TEST(CmsisNnMve, DepthwiseByFoursOfChannelsAndPixels) {
  auto op = square_conv(3, 10, 3, 10, 3, 1);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 3 * 3 * 9, 9 * 9, 90, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 16 * 81 + 9 * 81 + 8 * 90);
  op.in_c = 5, op.multiplier = 2;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 90, 810, 0, 0, 0, 0));
}

TEST(CmsisNnMve, FullyConnectedByFoursOfOutputs) {
  auto op = square_conv(1, 33, 1, 10, 1, 1);
  op.kind = DSE_FULLY_CONNECTED;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 3 * 3, 10, 0, 0));
  EXPECT_EQ(cycles(op), 12 * 9 + 4 * 10);
}

TEST(CmsisNnMve, AveragePools) {
  auto op = square_conv(4, 8, 2, 8, 2, 2);
  op.kind = DSE_AVERAGE_POOL_2D;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 32));
}

TEST(CmsisNnMve, TheTablesTimeWhatIsNotCounted) {
  auto wide = square_conv(4, 4, 4, 4, 3, 1);
  wide.in_type = wide.out_type = DSE_I16;
  EXPECT_EQ(cycles(wide), 11 * 2304 + 3 * 64);
}

/// Rates of 16 bits, the same but for long_mac.
Engine wide_core() {
  auto e = core();
  e.cycles_per_count_int16 = e.cycles_per_count;
  e.cycles_per_count_int16["long_mac"] = {3, 1};
  return e;
}

LoopCounts wide_counts(dse_op op) {
  op.in_type = op.out_type = DSE_I16;
  return counts(op);
}

TEST(CmsisNnMve, SixteenBitsInVectorsOfEight) {
  // 17 pixels of 1x1 are 4 groups and one; 20 products are 3 vectors of four pixels, 5 of the one. Columns are made.
  auto op = square_conv(1, 20, 1, 6, 1, 1);
  op.in_h = op.out_h = 17;
  EXPECT_THAT(wide_counts(op), ElementsAre(4 * 6 * 3, 6 * 5, 17 * 20, 17, 17 * 6, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  op.in_type = op.out_type = DSE_I16;
  EXPECT_EQ(CmsisNnMve(wide_core()).cycles(program::whole_call(op)), 720 + 150 + 340 + 340 + 714);
  op.kind = DSE_AVERAGE_POOL_2D, op.out_c = 20;
  EXPECT_THAT(wide_counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 340, 340, 0));
  auto dense = square_conv(1, 33, 1, 10, 1, 1);
  dense.kind = DSE_FULLY_CONNECTED;
  EXPECT_THAT(wide_counts(dense), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 3 * 5, 10, 0, 0, 0));
}

TEST(CmsisNnMve, ProductsBeyondThe512thOfASumAreSingle) {
  // 3x3x64 = 576 products: 64 vectors, and 64 products for each of 4 x 5 outputs.
  EXPECT_THAT(wide_counts(square_conv(4, 64, 2, 5, 3, 1)),
              ElementsAre(5 * 64, 0, 4 * 576, 4 * 9, 20, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 64));
  auto dense = square_conv(1, 600, 1, 10, 1, 1);
  dense.kind = DSE_FULLY_CONNECTED;
  EXPECT_THAT(wide_counts(dense), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 3 * 64, 10, 0, 0, 880));
  dense.in_type = dense.out_type = DSE_I16;
  EXPECT_EQ(CmsisNnMve(wide_core()).cycles(program::whole_call(dense)), 12 * 192 + 4 * 10 + 3 * 880);
}

TEST(CmsisNnMve, NoCutOfSixteenBitsTakesLessThanTheLeast) {
  std::mt19937 random(17);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  int longs = 0, unlike = 0;
  for (int i = 0; i < 900; ++i) {
    auto e = wide_core();
    e.cycles_per_count_int16["conv_vector"] = {draw(1, 60), draw(1, 7)};
    e.cycles_per_count_int16["conv_rest"] = {draw(1, 24), draw(1, 7)};
    e.cycles_per_count_int16["long_mac"] = {draw(0, 8), draw(1, 9)};
    e.cycles_per_count_int16["dense_vector"] = {draw(1, 60), draw(1, 7)};
    const CmsisNnMve library(e);
    const int kernel = draw(1, 3), out = draw(1, 4);
    auto op = square_conv(out + kernel - 1, draw(1, i % 2 ? 9 : 90), out, draw(1, 5), kernel, 1);
    if (i % 3 == 2) op = square_conv(1, draw(1, 900), 1, draw(1, 11), 1, 1), op.kind = DSE_FULLY_CONNECTED;
    op.in_type = op.out_type = DSE_I16;
    const auto whole = program::whole_call(op);
    const int rows = draw(1, op.out_h), columns = draw(1, op.out_w), filters = draw(1, op.out_c);
    const auto sum = test::cycles_of_cut(library, op, {rows, columns, filters, draw(1, op.in_c)});
    EXPECT_GE(sum, library.least_cycles(whole)) << i;
    EXPECT_GE(library.cycles(whole), library.least_cycles(whole)) << i;
    const auto counted = CmsisNnMve::counts(whole);
    longs += counted[counted.size() - 1] > 0, unlike += library.cycles(whole) > library.least_cycles(whole);
  }
  EXPECT_GE(longs, 100);
  EXPECT_GE(unlike, 100);  // the least is not just the whole
}

TEST(CmsisNnMve, NoCutTakesLessThanTheLeast) {
  std::mt19937 random(11);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 600; ++i) {
    auto e = core();
    e.cycles_per_count["conv_rest"] = {draw(1, 8), 2};  // above and below a quarter of a vector of four
    const CmsisNnMve library(e);
    const int kernel = draw(1, 3), out = draw(1, 7);
    auto op = square_conv(out + kernel - 1, draw(1, 40), out, draw(1, 9), kernel, 1);
    if (i % 3 == 1) op.kind = DSE_DEPTHWISE_CONV_2D, op.out_c = op.in_c, op.multiplier = 1;
    if (i % 3 == 2) op = square_conv(1, draw(1, 70), 1, draw(1, 20), 1, 1), op.kind = DSE_FULLY_CONNECTED;
    const auto whole = program::whole_call(op);
    const int rows = draw(1, op.out_h), filters = draw(1, op.out_c);
    const int depth = i % 3 == 0 ? draw(1, op.in_c) : op.in_c;
    const auto sum = test::cycles_of_cut(library, op, {rows, op.out_w, filters, depth});
    EXPECT_GE(sum, library.least_cycles(whole)) << i;
    EXPECT_GE(library.cycles(whole), library.least_cycles(whole)) << i;
  }
}

}  // namespace
}  // namespace dse::hw::cmsis_nn_mve_test
