// Any way of cutting an operator into tiles, in any layout, gives the bytes of the whole, and a call touches its boxes
// only.
#include <gtest/gtest.h>

#include "tests/nn/operators.h"

namespace dse::nn::test::tiles_test {
namespace {

class Tiles : public testing::TestWithParam<unsigned> {};

TEST_P(Tiles, EqualTheWholeAndTouchOnlyTheirBoxes) {
  for (unsigned i = 0; i < 250; ++i) {
    const unsigned seed = GetParam() * 1000 + i;
    Random random(seed);
    RandomOperator whole(random);
    const auto expected = whole.run_whole();
    ASSERT_FALSE(expected.empty()) << whole.describe();
    // Reads outside the boxes would see two different poisons.
    for (const std::uint8_t poison : {0x5a, 0xa5}) {
      TiledRun tiled(whole, seed, poison);
      tiled.run();
      ASSERT_GT(tiled.calls(), 0);
      ASSERT_EQ(tiled.output(), expected) << "seed " << seed << ": " << whole.describe();
      ASSERT_EQ(tiled.violations(), "") << "seed " << seed << ": " << whole.describe();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Tiles, testing::Range(0u, 8u));

TEST(Kernels, RefuseUnknownKindsAndAbsentOperands) {
  Random random(1);
  RandomOperator whole(random);
  dse_call call{};
  call.op = &whole.op;
  call.tile = {{0, whole.op.out_h}, {0, whole.op.out_w}, {0, whole.op.out_c}, {0, whole.depth()}, DSE_FIRST | DSE_LAST};
  EXPECT_EQ(dse_run_call(&call), -1);
  whole.op.kind = 99;
  EXPECT_EQ(dse_run_call(&call), -1);
}

TEST(Kernels, BoxesAreClampedAndMinimal) {
  dse_op op{};
  op.kind = DSE_CONV_2D;
  op.in_h = op.in_w = op.out_h = op.out_w = 10;
  op.in_c = 8, op.out_c = 4, op.kernel_h = op.kernel_w = 3, op.stride_h = op.stride_w = 1, op.dilation_h = 2,
  op.dilation_w = 1;
  op.pad_top = 2, op.pad_left = 1, op.multiplier = 1;
  dse_tile t{{0, 2}, {3, 5}, {1, 3}, {4, 8}, DSE_FIRST};
  const dse_box in = dse_operand_box(&op, &t, DSE_IN0);
  EXPECT_EQ(in.h.lo, 0);
  EXPECT_EQ(in.h.hi, 4);  // rows -2 .. 3
  EXPECT_EQ(in.w.lo, 2);
  EXPECT_EQ(in.w.hi, 6);
  EXPECT_EQ(in.c.lo, 4);
  const dse_box w = dse_operand_box(&op, &t, DSE_WEIGHTS);
  EXPECT_EQ(w.h.lo, 1);
  EXPECT_EQ(w.w.hi, 9);
  EXPECT_EQ(w.c.lo, 4);
  EXPECT_FALSE(dse_operand_box(&op, &t, DSE_OUT).touched);
  EXPECT_FALSE(dse_operand_box(&op, &t, DSE_QPARAMS).touched);
  EXPECT_TRUE(dse_operand_box(&op, &t, DSE_ACC).touched);
  t.flags = DSE_LAST;
  EXPECT_TRUE(dse_operand_box(&op, &t, DSE_OUT).touched);
  EXPECT_TRUE(dse_operand_box(&op, &t, DSE_QPARAMS).touched);
  EXPECT_TRUE(dse_operand_box(&op, &t, DSE_ACC).touched);
  t.flags = DSE_FIRST | DSE_LAST;
  EXPECT_FALSE(dse_operand_box(&op, &t, DSE_ACC).touched);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 2, op.out_c = 16;
  t.c = {3, 6};
  EXPECT_EQ(dse_operand_box(&op, &t, DSE_IN0).c.lo, 1);
  EXPECT_EQ(dse_operand_box(&op, &t, DSE_IN0).c.hi, 3);
}

}  // namespace
}  // namespace dse::nn::test::tiles_test
