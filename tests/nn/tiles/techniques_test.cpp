// Every technique gives the bytes of the direct computation, in any tiles, layouts and steps, and touches its operands'
// boxes and its scratch only.
#include <gtest/gtest.h>

#include <array>

#include "models/nn/graph/technique.h"
#include "tests/nn/operators.h"
#include "tests/support/slow.h"

namespace dse::nn::test::techniques_test {
namespace {

bool convolves(const dse_op& op) {
  return op.kind == DSE_CONV_2D || op.kind == DSE_DEPTHWISE_CONV_2D || op.kind == DSE_TRANSPOSE_CONV;
}

/// 3x3 in 8 bits, one step at a time: what Winograd computes is rare among all convolutions.
void make_three_by_three(RandomOperator& whole, Random& random) {
  auto& op = whole.op;
  op.kernel_h = op.kernel_w = 3, op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = 1;
  op.pad_top = pick(random, 0, 2), op.pad_left = pick(random, 0, 2);
  op.in_h = std::max(op.in_h, 3), op.in_w = std::max(op.in_w, 3);
  op.out_h = op.in_h + 2 * op.pad_top - 2, op.out_w = op.in_w + 2 * op.pad_left - 2;
  whole.refill(random);
}

/// Filters that are a column times a row, some of zeros.
void make_separable(RandomOperator& whole, Random& random) {
  const auto& op = whole.op;
  auto& w = whole.operand[DSE_WEIGHTS];
  for (int c = 0; c < op.out_c; ++c) {
    std::vector<int> column, row;
    for (int i = 0; i < op.kernel_h; ++i) column.push_back(pick(random, -11, 11));
    for (int i = 0; i < op.kernel_w; ++i) row.push_back(pick(random, -11, 11));
    for (int t = 0; t < op.kernel_h * op.kernel_w; ++t) {
      const int v = column[static_cast<std::size_t>(t / op.kernel_w)] * row[static_cast<std::size_t>(t % op.kernel_w)];
      *w.at(c, t, 0) = static_cast<std::uint8_t>(v + op.weights_zero);
    }
  }
}

/// An operator that the technique computes. Not all draws are.
bool draw(RandomOperator& whole, int technique, Random& random) {
  if (technique == DSE_WINOGRAD && whole.op.kind == DSE_CONV_2D && whole.op.groups <= 1)
    make_three_by_three(whole, random);
  if (!convolves(whole.op) || !dse_technique_fits(&whole.op, technique)) return false;
  const bool sign = whole.op.weight_type == DSE_I8 && whole.op.weights_zero == 0;
  if (technique == DSE_SEPARABLE && sign && pick(random, 0, 3)) make_separable(whole, random);
  return true;
}

class Techniques : public testing::TestWithParam<int> {};

TEST_P(Techniques, GiveTheBytesOfTheDirectComputation) {
  const int technique = GetParam();
  constexpr int wanted = dse::test::of_cases(900);
  int tried = 0, cases = 0;
  for (unsigned seed = 0; cases < wanted && seed < 60'000; ++seed) {
    Random random(seed);
    RandomOperator whole(random);
    if (!draw(whole, technique, random)) continue;
    const auto expected = whole.run_whole();
    ASSERT_FALSE(expected.empty()) << whole.describe();
    whole.op.arg[DSE_ARG_TECHNIQUE] = technique;
    ASSERT_TRUE(dse_op_is_sane(&whole.op)) << whole.describe();
    for (const std::uint8_t poison : {0x5a, 0xa5}) {
      TiledRun tiled(whole, seed, poison);
      tiled.run();
      tried += tiled.calls();
      ASSERT_EQ(tiled.output(), expected) << "seed " << seed << ": " << whole.describe();
      ASSERT_EQ(tiled.violations(), "") << "seed " << seed << ": " << whole.describe();
    }
    ++cases;
  }
  EXPECT_EQ(cases, wanted);
  EXPECT_GT(tried, 4 * cases);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Techniques, testing::Range(1, static_cast<int>(DSE_TECHNIQUES)), [](const auto& info) {
  auto name = technique_names()[static_cast<std::size_t>(info.param)];
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Technique, FiltersAreSeparatedExactly) {
  dse_op op{};
  op.kind = DSE_DEPTHWISE_CONV_2D, op.kernel_h = 2, op.kernel_w = 3, op.weight_type = DSE_I8;
  const auto separate = [&](std::array<std::int8_t, 6> filter, std::array<int, 5>& factors) {
    Plain w(1, 6, 1, 1);
    std::copy(filter.begin(), filter.end(), w.bytes.begin());
    const auto view = w.view();
    return dse_separate(&op, &view, 0, factors.data(), factors.data() + 2);
  };
  std::array<int, 5> f{};
  EXPECT_TRUE(separate({2, 4, -6, -3, -6, 9}, f));
  EXPECT_EQ(f, (std::array<int, 5>{2, -3, 1, 2, -3}));
  EXPECT_TRUE(separate({0, 0, 0, 0, 7, 0}, f));
  EXPECT_EQ(f, (std::array<int, 5>{0, 7, 0, 1, 0}));
  EXPECT_TRUE(separate({0, 0, 0, 0, 0, 0}, f));
  EXPECT_EQ(f[0], 0);
  EXPECT_FALSE(separate({1, 2, 3, 1, 2, 4}, f));
  EXPECT_FALSE(separate({1, 2, 3, 0, 0, 1}, f));
}

TEST(Technique, WhatDoesNotFitIsRefused) {
  dse_op op{};
  op.kind = DSE_CONV_2D, op.kernel_h = op.kernel_w = 3, op.stride_h = op.stride_w = 2;
  op.dilation_h = op.dilation_w = 1;
  EXPECT_TRUE(dse_technique_fits(&op, DSE_IM2ROW));
  EXPECT_FALSE(dse_technique_fits(&op, DSE_WINOGRAD)) << "stride 2";
  op.stride_h = op.stride_w = 1;
  EXPECT_TRUE(dse_technique_fits(&op, DSE_WINOGRAD));
  op.in_type = DSE_I16;
  EXPECT_FALSE(dse_technique_fits(&op, DSE_WINOGRAD)) << "16 bits";
  EXPECT_FALSE(dse_technique_fits(&op, DSE_SUB_PIXEL));
  EXPECT_FALSE(dse_technique_fits(&op, DSE_TECHNIQUES));
  EXPECT_FALSE(dse_technique_fits(&op, -1));
  op.in_type = DSE_I8, op.groups = 2;
  EXPECT_FALSE(dse_technique_fits(&op, DSE_IM2ROW)) << "groups";
  op.groups = 1, op.in_zero = 300;
  EXPECT_FALSE(dse_technique_fits(&op, DSE_IM2ROW)) << "no element stands for its padding";
}

}  // namespace
}  // namespace dse::nn::test::techniques_test
