// What the loops of TensorFlow Lite Micro's reference kernels do, counted by hand, and what they take.
#include "models/hw/libraries/loops/tflm_reference.h"

#include <gmock/gmock.h>

#include <random>

#include "models/hw/libraries/windows.h"
#include "tests/hw/counted_calls.h"

namespace dse::hw::tflm_reference_test {
namespace {

using test::square_conv;
using testing::ElementsAre;

Engine core() { return test::counted_engine(reference_count_names(), {5, 7, 100, 11, 13, 200, 3, 50, 17, 60, 40}); }

LoopCounts counts(const dse_op& op) { return TflmReference::counts(program::whole_call(op)); }
std::int64_t cycles(const dse_op& op) { return TflmReference(core()).cycles(program::whole_call(op)); }

/// The loops themselves: taps of all windows over these outputs that the comparison with the image lets through.
std::int64_t looped(const dse_op& op, const dse_tile& tile) {
  std::int64_t inside = 0;
  for (int y = tile.y.lo; y < tile.y.hi; ++y)
    for (int x = tile.x.lo; x < tile.x.hi; ++x)
      for (int fy = 0; fy < op.kernel_h; ++fy)
        for (int fx = 0; fx < op.kernel_w; ++fx) {
          const int in_y = y * op.stride_h - op.pad_top + op.dilation_h * fy;
          const int in_x = x * op.stride_w - op.pad_left + op.dilation_w * fx;
          inside += in_y >= 0 && in_y < op.in_h && in_x >= 0 && in_x < op.in_w;
        }
  return inside;
}

TEST(TflmReference, TapsOutsideTheImageAreLookedAtAndSkipped) {
  // 4x4 outputs of a padded 3x3 window over 4x4: rows see 2, 3, 3 and 2 rows, so 10 x 10 of 16 x 9 taps are inside.
  auto op = square_conv(4, 3, 4, 5, 3, 1);
  op.pad_top = op.pad_left = 1;
  EXPECT_THAT(counts(op), ElementsAre(100 * 3 * 5, 144 * 5, 16 * 5, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), 5 * 1500 + 7 * 720 + 100 * 80);
}

TEST(TflmReference, DepthwiseByEachOutputChannel) {
  auto op = square_conv(5, 3, 3, 6, 3, 1);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 2;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 9 * 9 * 6, 9 * 9 * 6, 9 * 6, 0, 0, 0, 0, 0));
  EXPECT_EQ(cycles(op), (11 + 13) * 486 + 200 * 54);
}

TEST(TflmReference, FullyConnected) {
  auto op = square_conv(1, 33, 1, 10, 1, 1);
  op.kind = DSE_FULLY_CONNECTED;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 330, 10, 0, 0, 0));
  EXPECT_EQ(cycles(op), 3 * 330 + 50 * 10);
}

TEST(TflmReference, PoolsAreCutToTheImage) {
  // A window of 2x2 by steps of two over 3x3: 4, 2, 2 and 1 inputs.
  auto op = square_conv(3, 8, 2, 8, 2, 2);
  op.kind = DSE_AVERAGE_POOL_2D;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 9 * 8, 4 * 8, 0));
  EXPECT_EQ(cycles(op), 17 * 72 + 60 * 32);
  op.kind = DSE_MAX_POOL_2D;
  EXPECT_THAT(counts(op), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 9 * 8, 0, 4 * 8));
  EXPECT_EQ(cycles(op), 17 * 72 + 40 * 32);
}

TEST(TflmReference, ActivationsOf16BitsHaveRatesOfTheirOwn) {
  auto e = core();
  auto op = square_conv(4, 8, 4, 4, 1, 1);
  op.in_type = op.out_type = DSE_I16;
  EXPECT_EQ(TflmReference(e).cycles(program::whole_call(op)), 11 * 512 + 3 * 64);  // by the tables
  for (const auto& [count, rate] : e.cycles_per_count) e.cycles_per_count_int16[count] = {2 * rate.num, 1};
  EXPECT_EQ(TflmReference(e).cycles(program::whole_call(op)), 2 * (5 * 512 + 7 * 64 + 100 * 64));
}

TEST(TflmReference, TheTablesTimeWhatIsNotCounted) {
  auto add = square_conv(4, 4, 4, 4, 1, 1);
  add.kind = DSE_ADD;
  EXPECT_EQ(cycles(add), 3 * 64);
}

TEST(TflmReference, WindowsAreReadForEachChannelAndWeightsForEachPixel) {
  const TflmReference library(core());
  const auto readings = [&](const dse_op& op, dse_role role, std::int64_t bytes) {
    auto work = program::whole_call(op);
    work.operands[0] = {role, 0, bytes, false, true}, work.operand_count = 1;
    const auto r = library.readings(work, 0);
    return std::pair(r.times, r.apart);
  };
  auto op = square_conv(6, 8, 4, 5, 3, 1);
  EXPECT_EQ(readings(op, DSE_IN0, 288), std::pair(std::int64_t{9 * 5}, std::int64_t{2 * 72}));
  EXPECT_EQ(readings(op, DSE_WEIGHTS, 360), std::pair(std::int64_t{16}, std::int64_t{360}));
  op.in_type = op.out_type = DSE_I16;
  EXPECT_EQ(readings(op, DSE_IN0, 576).first, 0);  // part of the tables' rates
  op = square_conv(6, 8, 4, 16, 3, 1);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 2;  // three of six rows lie under a window
  EXPECT_EQ(readings(op, DSE_IN0, 288), std::pair(std::int64_t{9 * 2}, std::int64_t{144}));
  op.kind = DSE_MAX_POOL_2D;
  EXPECT_EQ(readings(op, DSE_IN0, 288), std::pair(std::int64_t{9}, std::int64_t{144}));
  auto dense = square_conv(1, 33, 1, 10, 1, 1);
  dense.kind = DSE_FULLY_CONNECTED;
  EXPECT_EQ(readings(dense, DSE_IN0, 33), std::pair(std::int64_t{10}, std::int64_t{66}));
  EXPECT_EQ(readings(dense, DSE_WEIGHTS, 330).first, 1);
  dense.kind = DSE_ADD;
  EXPECT_EQ(readings(dense, DSE_IN0, 33).first, 0);
}

/// Padding as little and as much as windows allow, on either side, with and without gaps between taps.
dse_op drawn(std::mt19937& random) {
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  auto op = square_conv(1, draw(1, 5), 1, draw(1, 5), 1, 1);
  const auto axis = [&](int& out, int& in, int& kernel, int& stride, int& dilation, int& pad) {
    out = draw(1, 9), kernel = draw(1, 5), stride = draw(1, 3), dilation = draw(1, 3), pad = draw(0, kernel - 1);
    in = std::max(1, (out - 1) * stride + (kernel - 1) * dilation + 1 - pad - draw(0, kernel - 1));
  };
  axis(op.out_h, op.in_h, op.kernel_h, op.stride_h, op.dilation_h, op.pad_top);
  axis(op.out_w, op.in_w, op.kernel_w, op.stride_w, op.dilation_w, op.pad_left);
  return op;
}

TEST(TflmReference, TapsInsideAreThoseThatTheLoopsLetThrough) {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const auto op = drawn(random);
    auto part = program::whole_call(op);
    part.tile.y.lo = static_cast<int>(random() % static_cast<unsigned>(op.out_h));
    part.tile.x.lo = static_cast<int>(random() % static_cast<unsigned>(op.out_w));
    EXPECT_EQ(taps_inside(part), looped(op, part.tile)) << i;
    EXPECT_EQ(taps_inside(program::whole_call(op)), looped(op, program::whole_call(op).tile)) << i;
  }
}

TEST(TflmReference, TheFewestAreNoMoreThanAnywhere) {
  std::mt19937 random(6);
  int exact = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto op = drawn(random);
    auto part = program::whole_call(op);
    const int rows = 1 + static_cast<int>(random() % static_cast<unsigned>(op.out_h));
    part.tile.y = {0, rows};
    const auto fewest = fewest_taps_inside(part);
    std::int64_t least = taps_inside(part);
    for (int y = 0; y + rows <= op.out_h; ++y) part.tile.y = {y, y + rows}, least = std::min(least, taps_inside(part));
    EXPECT_LE(fewest, least) << i;
    exact += fewest == least;
    if (op.dilation_h == 1) {
      EXPECT_EQ(fewest, least) << i;
    }
    EXPECT_EQ(fewest_taps_inside(program::whole_call(op)), taps_inside(program::whole_call(op))) << i;
  }
  EXPECT_GE(exact, 800);
}

TEST(TflmReference, NoCutTakesLessThanTheLeast) {
  auto e = core();
  for (const auto& [count, rate] : e.cycles_per_count) e.cycles_per_count_int16[count] = {rate.num, 3};
  const TflmReference library(e);
  std::mt19937 random(13);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 600; ++i) {
    auto op = drawn(random);
    if (i % 5 == 1) op.kind = DSE_DEPTHWISE_CONV_2D, op.out_c = op.in_c, op.multiplier = 1;
    if (i % 5 == 2) op.kind = DSE_AVERAGE_POOL_2D, op.out_c = op.in_c;
    if (i % 5 == 3) op = square_conv(1, draw(1, 70), 1, draw(1, 20), 1, 1), op.kind = DSE_FULLY_CONNECTED;
    if (i % 4 == 3) op.in_type = op.out_type = DSE_I16;
    const auto whole = program::whole_call(op);
    const int rows = draw(1, op.out_h), filters = draw(1, op.out_c);
    const bool sums = op.kind == DSE_CONV_2D || op.kind == DSE_FULLY_CONNECTED;
    const int depth = sums ? draw(1, op.in_c) : op.in_c;
    const auto sum = test::cycles_of_cut(library, op, {rows, op.out_w, filters, depth});
    EXPECT_GE(sum, library.least_cycles(whole)) << i;
    EXPECT_EQ(library.cycles(whole), library.least_cycles(whole)) << i;
    // Wherever it is asked about, a part takes no less than what is said of one at the top.
    for (int y = 0; y + rows <= op.out_h; ++y) {
      auto here = whole, top = whole;
      here.tile.y = {y, y + rows}, top.tile.y = {0, rows};
      EXPECT_GE(library.cycles(here), library.least_cycles(top)) << i;
    }
  }
}

}  // namespace
}  // namespace dse::hw::tflm_reference_test
