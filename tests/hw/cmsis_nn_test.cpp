// What the loops of CMSIS-NN do, counted by hand, and what they take.
#include "models/hw/libraries/cmsis_nn.h"

#include <gmock/gmock.h>

#include <random>

namespace dse::hw::cmsis_nn_test {
namespace {

using testing::ElementsAre;

/// Rates that tell every count from the others.
Engine core() {
  Engine e;
  e.cycles_per_mac["default"] = {11, 1};
  e.cycles_per_element["default"] = {3, 1};
  const std::int64_t rates[] = {1, 2, 10, 100, 1000, 3, 30, 5, 50, 4, 40, 2, 9};
  for (std::size_t k = 0; k < cmsis_count_names().size(); ++k)
    e.cycles_per_count[cmsis_count_names()[k]] = {rates[k], 1};
  return e;
}

dse_op conv(int in, int channels, int out, int filters, int kernel, int stride) {
  dse_op op{};
  op.kind = DSE_CONV_2D;
  op.in_h = op.in_w = in, op.in_c = channels, op.out_h = op.out_w = out, op.out_c = filters;
  op.kernel_h = op.kernel_w = kernel, op.stride_h = op.stride_w = stride, op.dilation_h = op.dilation_w = 1;
  return op;
}

LoopCounts counts(const dse_op& op) { return CmsisNn::counts(program::whole_call(op)); }
std::int64_t cycles(const dse_op& op) { return CmsisNn(core()).cycles(program::whole_call(op)); }

TEST(CmsisNn, AConvolutionInWholeBlocks) {
  // 16 pixels, 4 filters, 3x3x4 = 36 deep: 16 x 4 x 36 products, all in blocks; a column of 36 bytes from 9 taps a
  // pixel.
  const auto op = conv(4, 4, 4, 4, 3, 1);
  EXPECT_THAT(counts(op), ElementsAre(2304, 0, 576, 144, 64, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 2304 + 5760 + 14400 + 64000);
}

TEST(CmsisNn, OddPixelsChannelsAndDepthsAreRests) {
  // 9 pixels, 3 filters, 27 deep: blocks of 8 x 2 x 24.
  const auto op = conv(3, 3, 3, 3, 3, 1);
  EXPECT_THAT(counts(op), ElementsAre(384, 729 - 384, 243, 81, 27, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(CmsisNn, PointwiseConvolutionsReadTheirInputAsItIs) {
  EXPECT_THAT(counts(conv(4, 8, 4, 4, 1, 1)), ElementsAre(512, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(counts(conv(8, 8, 4, 4, 1, 2)),
              ElementsAre(512, 0, 128, 16, 64, 0, 0, 0, 0, 0, 0, 0, 0));  // not with a stride
}

TEST(CmsisNn, DepthwiseAndDense) {
  auto op = conv(4, 8, 4, 8, 3, 1);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 1152, 128, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 3 * 1152 + 30 * 128);
  op.in_c = 2, op.multiplier = 4;  // several outputs of a channel go through another kernel
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 1152, 128, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 5 * 1152 + 50 * 128);
  auto dense = conv(1, 10, 1, 5, 1, 1);
  dense.kind = DSE_FULLY_CONNECTED;
  EXPECT_THAT(counts(dense), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 5, 0, 0));
  EXPECT_EQ(cycles(dense), 4 * 50 + 40 * 5);
}

TEST(CmsisNn, AveragePools) {
  auto op = conv(4, 8, 2, 8, 2, 2);
  op.kind = DSE_AVERAGE_POOL_2D;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 32));
  EXPECT_EQ(cycles(op), 2 * 128 + 9 * 32);
}

TEST(CmsisNn, TheTablesTimeWhatIsNotCounted) {
  auto wide = conv(4, 4, 4, 4, 3, 1);
  wide.in_type = wide.out_type = DSE_I16;
  EXPECT_EQ(cycles(wide), 11 * 2304 + 3 * 64);
  auto add = conv(4, 4, 4, 4, 1, 1);
  add.kind = DSE_ADD;
  EXPECT_EQ(cycles(add), 3 * 64);
}

TEST(CmsisNn, NoCutTakesLessThanTheLeast) {
  const CmsisNn library(core());
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 400; ++i) {
    const int kernel = draw(1, 3), out = draw(1, 7);
    const auto op = conv(out + kernel - 1, draw(1, 9), out, draw(1, 9), kernel, 1);
    const auto whole = program::whole_call(op);
    const auto rows = draw(1, op.out_h), filters = draw(1, op.out_c), depth = draw(1, op.in_c);
    std::int64_t sum = 0;
    for (int y = 0; y < op.out_h; y += rows)
      for (int c = 0; c < op.out_c; c += filters)
        for (int k = 0; k < op.in_c; k += depth) {
          auto part = whole;
          part.tile.y = {y, std::min(y + rows, op.out_h)}, part.tile.c = {c, std::min(c + filters, op.out_c)};
          part.tile.k = {k, std::min(k + depth, op.in_c)};
          part.tile.flags = (k == 0 ? DSE_FIRST : 0u) | (k + depth >= op.in_c ? DSE_LAST : 0u);
          sum += library.cycles(part);
        }
    EXPECT_GE(sum, library.least_cycles(whole)) << i;
    EXPECT_GE(library.cycles(whole), library.least_cycles(whole)) << i;
  }
}

}  // namespace
}  // namespace dse::hw::cmsis_nn_test
