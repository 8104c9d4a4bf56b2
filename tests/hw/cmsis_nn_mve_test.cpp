// What the vector loops of CMSIS-NN do, counted by hand, and what they take.
#include "models/hw/libraries/cmsis_nn_mve.h"

#include <gmock/gmock.h>

#include <random>

namespace dse::hw::cmsis_nn_mve_test {
namespace {

using testing::ElementsAre;

/// Rates that tell every count from the others.
Engine core() {
  Engine e;
  e.cycles_per_mac["default"] = {11, 1};
  e.cycles_per_element["default"] = {3, 1};
  const std::int64_t rates[] = {10, 5, 1, 20, 7, 16, 9, 8, 6, 12, 4, 2, 9};
  for (std::size_t k = 0; k < mve_count_names().size(); ++k) e.cycles_per_count[mve_count_names()[k]] = {rates[k], 1};
  return e;
}

dse_op conv(int in, int channels, int out, int filters, int kernel, int stride) {
  dse_op op{};
  op.kind = DSE_CONV_2D;
  op.in_h = op.in_w = in, op.in_c = channels, op.out_h = op.out_w = out, op.out_c = filters;
  op.kernel_h = op.kernel_w = kernel, op.stride_h = op.stride_w = stride, op.dilation_h = op.dilation_w = 1;
  return op;
}

LoopCounts counts(const dse_op& op) { return CmsisNnMve::counts(program::whole_call(op)); }
std::int64_t cycles(const dse_op& op) { return CmsisNnMve(core()).cycles(program::whole_call(op)); }

TEST(CmsisNnMve, AConvolutionByFoursOfPixels) {
  // 16 pixels are 4 groups; 5 filters; 3x3x4 = 36 products are 3 vectors; a column of 36 bytes from 9 taps a pixel.
  const auto op = conv(4, 4, 4, 5, 3, 1);
  EXPECT_THAT(counts(op), ElementsAre(4 * 5 * 3, 0, 16 * 36, 16 * 9, 80, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 600 + 576 + 2880 + 560);
}

TEST(CmsisNnMve, PixelsBeyondTheLastFourAreSingle) {
  // 9 pixels: two groups and one; 16 products fill one vector, 17 take two.
  EXPECT_THAT(counts(conv(3, 16, 3, 3, 1, 1)), ElementsAre(2 * 3, 1 * 3, 0, 0, 27, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(counts(conv(3, 17, 3, 3, 1, 1)), ElementsAre(2 * 3 * 2, 1 * 3 * 2, 0, 0, 27, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(counts(conv(6, 16, 3, 3, 1, 2)),
              ElementsAre(6, 3, 9 * 16, 9, 27, 0, 0, 0, 0, 0, 0, 0, 0));  // not as it is
}

TEST(CmsisNnMve, DepthwiseByFoursOfChannelsAndPixels) {
  auto op = conv(3, 10, 3, 10, 3, 1);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 3 * 3 * 9, 9 * 9, 90, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 16 * 81 + 9 * 81 + 8 * 90);
  op.in_c = 5, op.multiplier = 2;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 90, 810, 0, 0, 0, 0));
}

TEST(CmsisNnMve, FullyConnectedByFoursOfOutputs) {
  auto op = conv(1, 33, 1, 10, 1, 1);
  op.kind = DSE_FULLY_CONNECTED;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 3 * 3, 10, 0, 0));
  EXPECT_EQ(cycles(op), 12 * 9 + 4 * 10);
}

TEST(CmsisNnMve, AveragePools) {
  auto op = conv(4, 8, 2, 8, 2, 2);
  op.kind = DSE_AVERAGE_POOL_2D;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 32));
}

TEST(CmsisNnMve, TheTablesTimeWhatIsNotCounted) {
  auto wide = conv(4, 4, 4, 4, 3, 1);
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
    auto op = conv(out + kernel - 1, draw(1, 40), out, draw(1, 9), kernel, 1);
    if (i % 3 == 1) op.kind = DSE_DEPTHWISE_CONV_2D, op.out_c = op.in_c, op.multiplier = 1;
    if (i % 3 == 2) op = conv(1, draw(1, 70), 1, draw(1, 20), 1, 1), op.kind = DSE_FULLY_CONNECTED;
    const auto whole = program::whole_call(op);
    const int rows = draw(1, op.out_h), filters = draw(1, op.out_c);
    const int depth = i % 3 == 0 ? draw(1, op.in_c) : op.in_c;
    std::int64_t sum = 0;
    for (int y = 0; y < op.out_h; y += rows)
      for (int c = 0; c < op.out_c; c += filters)
        for (int k = 0; k < op.in_c; k += depth) {
          auto part = whole;
          part.tile.y = {y, std::min(y + rows, op.out_h)}, part.tile.c = {c, std::min(c + filters, op.out_c)};
          part.tile.k = {k, std::min(k + depth, op.in_c)};
          part.tile.flags = (k == 0 ? unsigned{DSE_FIRST} : 0u) | (k + depth >= op.in_c ? unsigned{DSE_LAST} : 0u);
          sum += library.cycles(part);
        }
    EXPECT_GE(sum, library.least_cycles(whole)) << i;
    EXPECT_GE(library.cycles(whole), library.least_cycles(whole)) << i;
  }
}

}  // namespace
}  // namespace dse::hw::cmsis_nn_mve_test
