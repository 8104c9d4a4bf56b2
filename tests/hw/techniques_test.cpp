// What techniques multiply and arrange, counted by hand, and what an engine takes for it.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "models/hw/libraries/rate_table.h"
#include "models/nn/graph/technique.h"

namespace dse::hw::techniques_test {
namespace {

dse_op convolution(int in_h, int in_w, int in_c, int out_c, int kernel, int pad) {
  dse_op op{};
  op.kind = DSE_CONV_2D;
  op.in_h = in_h, op.in_w = in_w, op.in_c = in_c, op.out_c = out_c;
  op.out_h = in_h + 2 * pad - kernel + 1, op.out_w = in_w + 2 * pad - kernel + 1;
  op.kernel_h = op.kernel_w = kernel, op.pad_top = op.pad_left = pad;
  op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = 1;
  return op;
}

program::Arithmetic of(const dse_op& op, int technique) {
  const auto by = nn::by_technique(op, technique);
  EXPECT_EQ(dse_technique_of(&by), technique);
  return program::arithmetic_of(program::whole_call(by));
}

TEST(TechniqueCounts, Im2rowOfTheTilingSource) {
  const auto a = of(convolution(640, 480, 3, 8, 3, 0), DSE_IM2ROW);
  EXPECT_EQ(a.arranged, 8'234'028);  // 304,964 pixels of 27 elements
  EXPECT_EQ(a.macs, 304'964LL * 27 * 8);
  EXPECT_EQ(of(convolution(640, 480, 3, 8, 3, 0), DSE_IM2ROW_BY_ROW).arranged, 8'234'028);
}

TEST(TechniqueCounts, WinogradNeedsSixteenProductsForFourOutputs) {
  const auto op = convolution(5, 4, 6, 7, 3, 1);  // 5 x 4 outputs: 3 x 2 blocks
  const auto a = of(op, DSE_WINOGRAD);
  EXPECT_EQ(a.macs, 16 * 6 * 6 * 7);
  EXPECT_EQ(a.arranged, 32 * 6 * 6 + 32 * 6 * 7 + 64 * 6 * 7);  // blocks, filters, sums
  EXPECT_EQ(of(op, DSE_DIRECT).macs, 9 * 20 * 6 * 7);
}

TEST(TechniqueCounts, TransposedConvolutionsMeetZerosOrLeaveThemOut) {
  dse_op op = convolution(4, 4, 2, 3, 3, 0);
  op.kind = DSE_TRANSPOSE_CONV, op.stride_h = op.stride_w = 2, op.out_h = op.out_w = 9;
  const auto zeros = of(op, DSE_ZERO_INSERTION);
  EXPECT_EQ(zeros.macs, 81 * 9 * 2 * 3);
  EXPECT_EQ(zeros.arranged, 11 * 11 * 2);
  // Even rows meet two taps, odd ones one: five and four of them.
  EXPECT_EQ(of(op, DSE_SUB_PIXEL).macs, (5 * 2 + 4) * (5 * 2 + 4) * 2 * 3);
  EXPECT_EQ(of(op, DSE_SUB_PIXEL).arranged, 0);
  op.pad_top = 1, op.out_h = 7;  // rows 1 .. 7 of before
  EXPECT_EQ(of(op, DSE_SUB_PIXEL).macs, (3 * 2 + 4) * (5 * 2 + 4) * 2 * 3);
}

TEST(TechniqueCounts, SeparableFiltersAreTwoSums) {
  dse_op op = convolution(9, 7, 5, 5, 3, 0);
  op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1;
  op.kernel_h = 5, op.out_h = 5, op.out_w = 5;
  const auto a = of(op, DSE_SEPARABLE);
  EXPECT_EQ(a.macs, 9 * 5 * 5 * 3 + 5 * 5 * 5 * 5);  // nine rows of three products, five of five
  EXPECT_EQ(a.arranged, 4 * 9 * 5 * 5);
}

/// No cut into tiles multiplies or arranges less than the whole.
TEST(TechniqueCounts, PartsAreNeverLess) {
  for (int technique = 1; technique < DSE_TECHNIQUES; ++technique)
    for (int stride = 1; stride <= 3; ++stride)
      for (int pad = 0; pad < 2; ++pad) {
        dse_op op = convolution(11, 9, 4, 6, 3, pad);
        const bool transposed = technique == DSE_ZERO_INSERTION || technique == DSE_SUB_PIXEL;
        if (technique == DSE_SEPARABLE) op.kind = DSE_DEPTHWISE_CONV_2D, op.multiplier = 1, op.out_c = 4;
        if (transposed) op.kind = DSE_TRANSPOSE_CONV;
        op.stride_h = op.stride_w = stride;
        if (!dse_technique_fits(&op, technique)) continue;
        op = nn::by_technique(op, technique);
        const auto whole = program::whole_call(op);
        for (int rows = 1; rows <= op.out_h; ++rows)
          for (int channels = 1; channels <= op.out_c; ++channels) {
            program::Arithmetic sum;
            for (int y = 0; y < op.out_h; y += rows)
              for (int c = 0; c < op.out_c; c += channels) {
                auto part = whole;
                part.tile.y = {y, std::min(op.out_h, y + rows)}, part.tile.c = {c, std::min(op.out_c, c + channels)};
                const auto a = program::arithmetic_of(part);
                sum.macs += a.macs, sum.arranged += a.arranged;
              }
            EXPECT_GE(sum.macs, program::arithmetic_of(whole).macs) << technique << " " << stride;
            EXPECT_GE(sum.arranged, program::arithmetic_of(whole).arranged) << technique << " " << stride;
          }
      }
}

TEST(RateTable, TechniquesAreProductsAndArrangedBytes) {
  Engine array;
  array.kind = EngineKind::mac_array, array.dispatch = 50;
  array.macs_per_cycle["int8"] = {8, 1}, array.efficiency["conv"] = {1, 2};
  array.cycles_per_element["conv"] = {1, 4};
  array.techniques = {{"im2row", {4, 1}}, {"im2row-by-row", {4, 1}}, {"winograd", {2, 1}}};
  array.efficiency["im2row"] = {1, 1};
  const RateTable table(array);
  const auto op = convolution(10, 10, 4, 8, 3, 1);
  const auto cycles = [&](int technique) {
    const auto by = nn::by_technique(op, technique);
    return table.cycles(program::whole_call(by));
  };
  const std::int64_t outputs = 100 * 8, products = outputs * 36, finish = outputs / 4;
  EXPECT_EQ(cycles(DSE_DIRECT), products / 4 + finish);
  EXPECT_EQ(cycles(DSE_IM2ROW), products / 8 + finish + 100 * 36 / 4);
  EXPECT_EQ(cycles(DSE_IM2ROW_BY_ROW), products / 4 + finish + 100 * 36 / 4 + 9 * 50) << "ten products, one call";
  EXPECT_EQ(cycles(DSE_WINOGRAD), 16 * 25 * 4 * 8 / 4 + finish + (32 * 4 * 25 + 32 * 4 * 8 + 64 * 25 * 8) / 2);
  array.techniques.clear();
  const auto by = nn::by_technique(op, DSE_IM2ROW);
  EXPECT_THROW(RateTable(array).cycles(program::whole_call(by)), InvariantError);
}

}  // namespace
}  // namespace dse::hw::techniques_test
