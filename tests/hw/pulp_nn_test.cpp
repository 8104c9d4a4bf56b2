// What the loops of PULP-NN do on the slowest core, counted by hand, and what they take.
#include "models/hw/libraries/loops/pulp_nn.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "tests/hw/counted_calls.h"

namespace dse::hw::pulp_nn_test {
namespace {

using testing::ElementsAre;

/// Rates that tell every count from the others.
Engine cluster(int cores = 8) {
  auto e = test::counted_engine(pulp_count_names(), {14, 1, 10, 100, 7, 1000, 3, 4, 30, 5, 50});
  e.kind = EngineKind::mac_array, e.cores = cores;
  e.macs_per_cycle = {{"int8", {1, 1}}, {"int16", {1, 4}}};
  return e;
}

dse_op conv(int out_h, int out_w, int channels, int filters, int kernel, int stride = 1) {
  dse_op op{};
  op.kind = DSE_CONV_2D;
  op.in_h = (out_h - 1) * stride + kernel, op.in_w = (out_w - 1) * stride + kernel, op.in_c = channels;
  op.out_h = out_h, op.out_w = out_w, op.out_c = filters;
  op.kernel_h = op.kernel_w = kernel, op.stride_h = op.stride_w = stride, op.dilation_h = op.dilation_w = 1;
  return op;
}

dse_op depthwise(int out_h, int out_w, int channels, int kernel, int stride = 1) {
  auto op = conv(out_h, out_w, channels, channels, kernel, stride);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1;
  return op;
}

dse_op dense(int inputs, int outputs) {
  auto op = conv(1, 1, inputs, outputs, 1);
  op.kind = DSE_FULLY_CONNECTED;
  return op;
}

LoopCounts counts(const dse_op& op, int cores = 8) { return PulpNn::counts(program::whole_call(op), cores); }
std::int64_t cycles(const dse_op& op, int cores = 8) { return PulpNn(cluster(cores)).cycles(program::whole_call(op)); }

TEST(PulpNn, AConvolutionInWholeBlocks) {
  // 8 rows of 4 pixels, one row a core: 2 pairs, 2 fours of channels, 3x3x4 = 36 deep: 2 x 2 x 9 iterations. Columns of
  // 3 copies of 12 bytes for each of 4 pixels.
  const auto op = conv(8, 4, 4, 8, 3);
  EXPECT_THAT(counts(op), ElementsAre(36, 0, 36, 12, 2, 32, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 14 * 36 + 10 * 36 + 100 * 12 + 7 * 2 + 1000 * 32);
}

TEST(PulpNn, TheSlowestCoreHasTheRowsThatDoNotDivide) {
  EXPECT_THAT(counts(conv(9, 4, 4, 8, 3)), ElementsAre(72, 0, 72, 24, 4, 64, 0, 0, 0, 0, 0));  // 2 rows
  EXPECT_THAT(counts(conv(1, 4, 4, 8, 3)), ElementsAre(36, 0, 36, 12, 2, 32, 0, 0, 0, 0, 0));  // the others idle
  EXPECT_THAT(counts(conv(8, 4, 4, 8, 3), 1), ElementsAre(288, 0, 288, 96, 16, 256, 0, 0, 0, 0, 0));
}

TEST(PulpNn, TilesOfFewRowsOfATallerImageAreDividedInHalvesToo) {
  const auto op = conv(16, 8, 4, 8, 3);
  auto part = program::whole_call(op);
  part.tile.y = {4, 8};  // 4 rows of 8 pixels: half a row a core
  EXPECT_EQ(PulpNn::counts(part, 8)[5], 4 * 8);
  part.tile.y = {4, 13};  // 9 rows: 2 a core
  EXPECT_EQ(PulpNn::counts(part, 8)[5], 16 * 8);
}

TEST(PulpNn, PairsGoOnOverTheEndsOfRows) {
  // 2 rows of 3 pixels a core are 3 pairs; 1 row is a pair and an odd pixel, whose 8 channels take 9 steps of 3 each.
  EXPECT_EQ(counts(conv(16, 3, 4, 8, 3))[0], 3 * 2 * 9);
  EXPECT_EQ(counts(conv(16, 3, 4, 8, 3))[1], 0);
  EXPECT_EQ(counts(conv(8, 3, 4, 8, 3))[0], 1 * 2 * 9);
  EXPECT_EQ(counts(conv(8, 3, 4, 8, 3))[1], 8 * 9 * 3);
  EXPECT_EQ(counts(conv(8, 3, 4, 8, 3))[4], 2);
}

TEST(PulpNn, ChannelsBeyondFoursAndProductsBeyondFoursAreRests) {
  // 27 deep: 6 fours and 3 products. One pair and one four of channels: 6 iterations, 3 products of 14 loads and
  // products; 2 more channels of 6 + 3 steps of 5. Columns: 3 copies of 9 bytes, 2 words and a byte each, of 2 pixels.
  EXPECT_THAT(counts(conv(8, 2, 3, 6, 3)), ElementsAre(6, 3 * 14 + 2 * 9 * 5, 18, 6, 1, 12, 0, 0, 0, 0, 0));
}

TEST(PulpNn, BordersAreCopiedTapByTap) {
  // 16 rows of 6 with a pad on each side, 2 rows a core. The first has a border row, 6 pixels of 9 copies of a byte;
  // of the other row the pixels at both ends have 9, the four between them 3 copies of 3 bytes.
  auto op = conv(16, 6, 1, 4, 3);
  op.in_h = 16, op.in_w = 6, op.pad_top = op.pad_left = 1;
  EXPECT_EQ(counts(op)[3], (6 + 2) * 9 + 4 * 3);
  EXPECT_EQ(counts(op)[2], (6 + 2) * 9 + 4 * 9);
  auto inner = program::whole_call(op);  // a tile without the first and the last row: the ends of rows alone
  inner.tile.y = {1, 15};
  EXPECT_EQ(PulpNn::counts(inner, 8)[3], 4 * 9 + 8 * 3);
  op.in_c = 4;  // words: 9 of them a pixel, however they are copied
  EXPECT_EQ(counts(op)[2], 12 * 9);
}

TEST(PulpNn, PointwiseConvolutionsDivideRowsInHalvesWhereRowsDoNotDivide) {
  EXPECT_THAT(counts(conv(8, 4, 16, 8, 1)), ElementsAre(2 * 2 * 4, 0, 0, 0, 2, 32, 0, 0, 0, 0, 0));
  // 4 rows of 4: a row and half of its pixels a core.
  EXPECT_THAT(counts(conv(4, 4, 16, 8, 1)), ElementsAre(1 * 2 * 4, 0, 0, 0, 1, 16, 0, 0, 0, 0, 0));
  // 5 rows: 2 a core; the larger half of 5 pixels is a pair and an odd one in each.
  EXPECT_THAT(counts(conv(5, 5, 16, 8, 1)), ElementsAre(2 * 2 * 4, 2 * 8 * 4 * 3, 0, 0, 4, 48, 0, 0, 0, 0, 0));
  // 8 rows of 3: pairs end with the row.
  EXPECT_THAT(counts(conv(8, 3, 16, 8, 1)), ElementsAre(1 * 2 * 4, 8 * 4 * 3, 0, 0, 2, 24, 0, 0, 0, 0, 0));
  EXPECT_THAT(counts(conv(5, 5, 16, 8, 1), 1), ElementsAre(10 * 2 * 4, 5 * 8 * 4 * 3, 0, 0, 15, 200, 0, 0, 0, 0, 0));
}

TEST(PulpNn, BlocksOfPixelsAreHandedOutInEqualParts) {
  EXPECT_THAT(counts(conv(32, 1, 16, 8, 1)), ElementsAre(2 * 2 * 4, 0, 0, 0, 2, 32, 0, 0, 0, 0, 0));
  EXPECT_THAT(counts(conv(20, 1, 16, 8, 1)), ElementsAre(1 * 2 * 4, 8 * 4 * 3, 0, 0, 2, 24, 0, 0, 0, 0, 0));
}

TEST(PulpNn, PointwiseConvolutionsWithAStrideMakeColumns) {
  EXPECT_THAT(counts(conv(8, 4, 16, 8, 1, 2)), ElementsAre(2 * 2 * 4, 0, 4 * 4, 4, 2, 32, 0, 0, 0, 0, 0));
}

TEST(PulpNn, DepthwiseConvolutionsDivideChannels) {
  // 2 channels a core: for each of 5 columns of outputs 6 rows of the input, a word each; 4 x 5 outputs of 2 fours and
  // a product.
  const auto op = depthwise(4, 5, 16, 3);
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 2 * 5 * 6, 2 * 20 * 3, 2 * 20, 0, 0));
  EXPECT_EQ(cycles(op), 3 * 60 + 4 * 120 + 30 * 40);
  EXPECT_EQ(counts(depthwise(4, 5, 17, 3))[8], 3 * 20);         // a third channel on some cores
  EXPECT_EQ(counts(depthwise(4, 5, 16, 3, 2))[6], 2 * 5 * 9);   // with a stride 9 rows
  EXPECT_EQ(counts(depthwise(4, 5, 16, 5))[6], 2 * 5 * 8 * 2);  // 5 bytes are 2 words
  EXPECT_EQ(counts(depthwise(4, 5, 16, 1))[7], 2 * 20 * 2);     // the loop of fours runs once all the same
}

TEST(PulpNn, FullyConnectedLayersDivideOutputs) {
  EXPECT_THAT(counts(dense(64, 16)), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 2 * 16, 2));
  EXPECT_THAT(counts(dense(66, 17)), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 3 * 18, 3));
  EXPECT_EQ(cycles(dense(66, 17)), 5 * 54 + 50 * 3);
}

TEST(PulpNn, PartialSumsAreNotRequantised) {
  const auto op = conv(8, 4, 8, 8, 3);
  auto part = program::whole_call(op);
  part.tile.k = {0, 4}, part.tile.flags = DSE_FIRST;
  EXPECT_THAT(PulpNn::counts(part, 8), ElementsAre(36, 0, 36, 12, 2, 0, 0, 0, 0, 0, 0));
}

TEST(PulpNn, TheTablesTimeWhatIsNotCounted) {
  auto wide = conv(8, 4, 4, 8, 3);
  wide.in_type = wide.out_type = DSE_I16;
  EXPECT_EQ(cycles(wide), 4 * 8 * 4 * 8 * 36 + 3 * 8 * 4 * 8);
  auto add = conv(4, 4, 4, 4, 1);
  add.kind = DSE_ADD;
  EXPECT_EQ(cycles(add), 3 * 64);
}

TEST(PulpNn, NoCutTakesLessThanTheLeast) {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 3000; ++i) {
    auto engine = cluster(1 << draw(0, 3));
    for (auto& [count, rate] : engine.cycles_per_count) rate = {draw(0, 40), draw(1, 16)};
    const PulpNn library(engine);
    const int kernel = draw(1, 3), stride = draw(1, 4), kind = draw(0, 2), out_h = draw(1, 20), out_w = draw(1, 7);
    auto op = kind == 0   ? conv(out_h, out_w, draw(1, 9), draw(1, 9), kernel, stride)
              : kind == 1 ? depthwise(out_h, out_w, draw(1, 20), kernel, stride)
                          : dense(draw(1, 40), draw(1, 40));
    const bool sums = kind != 1;
    if (kind == 0) {  // padding in place of some of the input
      op.pad_top = draw(0, op.in_h - 1), op.in_h -= op.pad_top;
      op.pad_left = draw(0, op.in_w - 1), op.in_w -= op.pad_left;
    }
    const auto whole = program::whole_call(op);
    const auto rows = draw(1, op.out_h), columns = draw(1, op.out_w), filters = draw(1, op.out_c);
    const auto depth = sums ? draw(1, op.in_c) : op.in_c;
    const auto sum = test::cycles_of_cut(library, op, {rows, columns, filters, depth});
    EXPECT_GE(sum, library.least_cycles(whole)) << i;
    EXPECT_GE(library.cycles(whole), library.least_cycles(whole)) << i;
  }
}

TEST(PulpNn, TheLeastIsNearWhatTakesWholeBlocks) {
  const auto op = conv(8, 8, 32, 32, 3);
  const PulpNn library(cluster());
  EXPECT_EQ(library.least_cycles(program::whole_call(op)), cycles(op));
}

}  // namespace
}  // namespace dse::hw::pulp_nn_test
