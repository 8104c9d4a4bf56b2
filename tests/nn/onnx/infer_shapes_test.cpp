// Shapes of what operators make, in both layouts, and what is refused.
#include "models/nn/shapes/infer_shapes.h"

#include <gmock/gmock.h>

namespace dse::nn::infer_shapes_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Shape = std::vector<std::int64_t>;
using Shapes = std::vector<Shape>;

struct Case {
  Network n;
  Operator op;
  Shapes out;
  std::string why;
  /// Inputs of these shapes; one output of shape `known`.
  Case(OperatorKind kind, const Shapes& inputs, const Shape& known = {}, std::size_t outputs = 1) {
    op.kind = kind;
    for (const auto& s : inputs) {
      op.inputs.push_back(static_cast<int>(n.tensors.size()));
      n.tensors.emplace_back().shape = s;
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      op.outputs.push_back(static_cast<int>(n.tensors.size()));
      n.tensors.emplace_back().shape = known;
    }
  }
  OperatorOptions& o() { return op.options; }
  bool run() { return infer_shapes(n, op, out, why); }
};

TEST(InferShapes, ConvolutionsInBothLayouts) {
  Case last(OperatorKind::conv_2d, {{1, 9, 8, 4}, {6, 3, 3, 2}, {6}});
  last.o().groups = 2;
  last.o().stride_h = 2;
  ASSERT_TRUE(last.run()) << last.why;
  EXPECT_THAT(last.out[0], ElementsAre(1, 4, 6, 6));
  Case first(OperatorKind::conv_2d, {{1, 4, 9, 8}, {6, 2, 3, 3}, {6}});
  first.o().groups = 2;
  first.o().channels_first = true;
  first.o().same_padding = true;
  ASSERT_TRUE(first.run()) << first.why;
  EXPECT_THAT(first.out[0], ElementsAre(1, 6, 9, 8));
  first.o().groups = 3;
  EXPECT_FALSE(first.run());
  EXPECT_THAT(first.why, HasSubstr("in 3 groups do not fit"));
  Case depthwise(OperatorKind::depthwise_conv_2d, {{1, 9, 8, 4}, {1, 3, 3, 8}});
  ASSERT_TRUE(depthwise.run()) << depthwise.why;
  EXPECT_THAT(depthwise.out[0], ElementsAre(1, 7, 6, 8));
  Case bias(OperatorKind::conv_2d, {{1, 9, 8, 4}, {6, 3, 3, 4}, {5}});
  EXPECT_FALSE(bias.run());
  EXPECT_EQ(bias.why, "bias has shape [5], not [6]");
}

TEST(InferShapes, WindowsEndWhereTheyFit) {
  EXPECT_EQ(window_extent(7, 3, 2, 1, 0, 0, false), 3);
  EXPECT_EQ(window_extent(8, 3, 2, 1, 0, 0, false), 3);
  EXPECT_EQ(window_extent(8, 3, 2, 1, 0, 0, true), 4);
  EXPECT_EQ(window_extent(4, 1, 4, 1, 0, 0, true), 1);  // the second would start outside
  EXPECT_EQ(window_extent(3, 3, 1, 2, 1, 1, false), 1);
  EXPECT_EQ(window_extent(2, 3, 1, 1, 0, 0, true), 0);
}

TEST(InferShapes, TransposedConvolutionIsCheckedAgainstItsOutput) {
  Case c(OperatorKind::transpose_conv, {{1, 5, 5, 4}, {3, 3, 3, 4}}, {1, 11, 11, 3});
  c.o().stride_h = c.o().stride_w = 2;
  ASSERT_TRUE(c.run()) << c.why;
  EXPECT_THAT(c.out[0], ElementsAre(1, 11, 11, 3));
  c.n.tensors[2].shape = {1, 13, 11, 3};
  EXPECT_FALSE(c.run());
  EXPECT_THAT(c.why, HasSubstr("does not belong to an input"));
}

TEST(InferShapes, Broadcasting) {
  Shape out;
  EXPECT_TRUE(broadcast_shapes({2, 1, 4}, {3, 1}, out));
  EXPECT_THAT(out, ElementsAre(2, 3, 4));
  EXPECT_TRUE(broadcast_shapes({}, {3}, out));
  EXPECT_THAT(out, ElementsAre(3));
  EXPECT_FALSE(broadcast_shapes({2, 3}, {2}, out));
  Case prelu(OperatorKind::prelu, {{2, 3}, {4, 2, 3}});
  EXPECT_FALSE(prelu.run());
  Case sum(OperatorKind::add_n, {{2, 1}, {1, 3}, {1}});
  ASSERT_TRUE(sum.run());
  EXPECT_THAT(sum.out[0], ElementsAre(2, 3));
}

TEST(InferShapes, NothingOverflows) {
  const std::int64_t big = 1 << 25;
  Case product(OperatorKind::batch_matmul, {{big, 1}, {1, big}});
  EXPECT_FALSE(product.run());
  Case spread(OperatorKind::add, {{big, 1}, {1, big}});
  EXPECT_FALSE(spread.run());
  Case pad(OperatorKind::pad, {{4, 4}});
  pad.o().pad_before = {INT64_MAX, 0};
  pad.o().pad_after = {INT64_MAX, 0};
  EXPECT_FALSE(pad.run());
  Case join(OperatorKind::concatenation, {{big}, {big}, {big}});
  EXPECT_FALSE(join.run());
  Case input(OperatorKind::relu, {{INT64_MAX, INT64_MAX}});
  EXPECT_FALSE(input.run());
  Case window(OperatorKind::max_pool_2d, {{1, 4, 4, 1}});
  window.o().filter_h = window.o().filter_w = INT32_MAX;
  EXPECT_FALSE(window.run());
  Case dilated(OperatorKind::max_pool_2d, {{1, 4, 4, 1}});
  dilated.o().filter_h = dilated.o().filter_w = 2;
  dilated.o().explicit_padding = true;
  dilated.o().pad_top = -1;
  EXPECT_FALSE(dilated.run());
  Case strides(OperatorKind::strided_slice, {{8}});
  strides.o().begin = {0}, strides.o().end = {8}, strides.o().strides = {INT64_MIN};
  EXPECT_FALSE(strides.run());
}

TEST(InferShapes, Movements) {
  Case slice(OperatorKind::strided_slice, {{10, 7}});
  slice.o().begin = {9, 1}, slice.o().end = {-1, 6}, slice.o().strides = {-4, 2};
  ASSERT_TRUE(slice.run()) << slice.why;
  EXPECT_THAT(slice.out[0], ElementsAre(3, 3));
  Case shrunk(OperatorKind::strided_slice, {{10, 7}}, {7});
  shrunk.o().begin = {3, 0}, shrunk.o().end = {4, 7}, shrunk.o().strides = {1, 1};
  ASSERT_TRUE(shrunk.run());
  EXPECT_THAT(shrunk.out[0], ElementsAre(7));
  Case squeeze(OperatorKind::squeeze, {{1, 3, 1}});
  squeeze.o().axes = {0};
  ASSERT_TRUE(squeeze.run());
  EXPECT_THAT(squeeze.out[0], ElementsAre(3, 1));
  squeeze.o().axes = {1};
  EXPECT_FALSE(squeeze.run());
  Case expand(OperatorKind::expand_dims, {{3, 4}});
  expand.o().axes = {0, 3};
  ASSERT_TRUE(expand.run());
  EXPECT_THAT(expand.out[0], ElementsAre(1, 3, 4, 1));
  Case split(OperatorKind::split, {{4, 6}}, {}, 2);
  split.o().axis = 1, split.o().sizes = {2, 4};
  ASSERT_TRUE(split.run());
  EXPECT_THAT(split.out, ElementsAre(Shape{4, 2}, Shape{4, 4}));
  split.o().sizes = {2, 3};
  EXPECT_FALSE(split.run());
  Case mirror(OperatorKind::mirror_pad, {{3}});
  mirror.o().pad_before = {3}, mirror.o().pad_after = {0};
  EXPECT_FALSE(mirror.run());
  mirror.o().mirror_symmetric = true;
  EXPECT_TRUE(mirror.run());
}

TEST(InferShapes, FullyConnectedTakesEitherRank) {
  Case free(OperatorKind::fully_connected, {{2, 3, 4}, {5, 12}, {5}});
  ASSERT_TRUE(free.run()) << free.why;
  EXPECT_THAT(free.out[0], ElementsAre(2, 5));
  Case known(OperatorKind::fully_connected, {{2, 3, 4}, {5, 4}}, {2, 3, 5});
  ASSERT_TRUE(known.run()) << known.why;
  EXPECT_THAT(known.out[0], ElementsAre(2, 3, 5));
  Case wrong(OperatorKind::fully_connected, {{2, 3, 4}, {5, 7}});
  EXPECT_FALSE(wrong.run());
}

TEST(InferShapes, ReductionsKeepOrDropAxes) {
  Case mean(OperatorKind::mean, {{2, 3, 4}});
  mean.o().axes = {0, 2};
  ASSERT_TRUE(mean.run());
  EXPECT_THAT(mean.out[0], ElementsAre(3));
  mean.out.clear();
  mean.o().keep_dims = true;
  ASSERT_TRUE(mean.run());
  EXPECT_THAT(mean.out[0], ElementsAre(1, 3, 1));
  mean.o().axes = {2, 0};
  EXPECT_FALSE(mean.run());
  Case arg(OperatorKind::arg_max, {{2, 3}});
  arg.o().axis = 2;
  EXPECT_FALSE(arg.run());
}

}  // namespace
}  // namespace dse::nn::infer_shapes_test
