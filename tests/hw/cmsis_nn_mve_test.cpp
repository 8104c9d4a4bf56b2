// What the vector loops of CMSIS-NN do, counted by hand, and what they take.
#include "models/hw/libraries/cmsis_nn_mve.h"

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
