// What the loops of TinyEngine do, counted by hand; no cut takes less than the least. Prices:
// ClosedFormCalls.TinyEngine.
#include "models/hw/libraries/loops/tinyengine.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/hw/counted_calls.h"

namespace dse::hw::tinyengine_test {
namespace {

using test::square_conv;
using testing::ElementsAre;

Engine core() { return test::counted_engine(tiny_count_names(), {1, 2, 10, 20, 1000, 3, 5, 7, 30, 4, 40, 2, 9}); }

TEST(TinyEngine, AStrideLeavesColumnsOfAPlaneOut) {
  // 2x2 outputs of 3x3 windows two apart over 5x5 inputs: all 25 are under a window; of 1x1 ones 3x3 of them lie
  // between.
  auto op = square_conv(5, 4, 2, 4, 3, 2);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1;
  EXPECT_THAT(TinyEngine::counts(program::whole_call(op)), ElementsAre(0, 0, 0, 0, 0, 144, 0, 100, 16, 0, 0, 0, 0));
  op.kernel_h = op.kernel_w = 1;
  EXPECT_THAT(TinyEngine::counts(program::whole_call(op)), ElementsAre(0, 0, 0, 0, 0, 16, 0, 36, 16, 0, 0, 0, 0));
}

TEST(TinyEngine, TheTablesTimeWhatItDoesNotCompute) {
  auto wide = square_conv(4, 4, 4, 4, 3, 1);
  wide.in_type = wide.out_type = DSE_I16;
  EXPECT_EQ(TinyEngine(core()).cycles(program::whole_call(wide)), 11 * 2304 + 3 * 64);
}

TEST(TinyEngine, NoCutTakesLessThanTheLeast) {
  const TinyEngine library(core());
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 800; ++i) {
    const int kernel = draw(1, 3), out = draw(1, 7), stride = draw(1, 2);
    auto op = square_conv((out - 1) * stride + kernel, draw(1, 9), out, draw(1, 9), kernel, stride);
    const bool depthwise = i % 2;
    if (depthwise) op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1, op.out_c = op.in_c;
    const auto whole = program::whole_call(op);
    const auto sum = test::cycles_of_cut(
        library, op, {draw(1, op.out_h), draw(1, op.out_w), draw(1, op.out_c), depthwise ? op.in_c : draw(1, op.in_c)});
    EXPECT_GE(sum, library.least_cycles(whole)) << i;
    EXPECT_GE(library.cycles(whole), library.least_cycles(whole)) << i;
  }
}

}  // namespace
}  // namespace dse::hw::tinyengine_test
