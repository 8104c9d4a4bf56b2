// What every ONNX operator becomes: kind, options, shapes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "onnx_writer.h"

namespace dse::nn::test::operators_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A network of one node that reads x (and what `prepare` adds).
struct One {
  OnnxModel m;
  Imported n;
  One(int opset, const Shape& x, const std::string& type, const Names& inputs, std::vector<Attribute> attributes,
      const std::function<void(OnnxModel&)>& prepare = {}, const Names& outputs = {"y"})
      : m(opset) {
    m.input("x", x);
    if (prepare) prepare(m);
    m.node(type, inputs, outputs, std::move(attributes));
    for (const auto& o : outputs) m.output(o);
    n = import(m);
  }
  const Operator& op() const { return n->operators.at(0); }
  const Shape& shape(std::size_t i = 0) const { return n->tensors[static_cast<std::size_t>(n->outputs[i])].shape; }
};

#define EXPECT_IMPORTED(one) ASSERT_TRUE((one).n.network) << (one).n.errors

TEST(OnnxOperators, AutoPadAndExplicitPads) {
  const auto weights = [](OnnxModel& m) { m.floats("w", {8, 3, 3, 3}, noise(216, 1)); };
  const One upper(11, {1, 3, 8, 8}, "Conv", {"x", "w"}, {{"auto_pad", "SAME_UPPER"}, {"strides", {2, 2}}}, weights);
  EXPECT_IMPORTED(upper);
  EXPECT_THAT(upper.shape(), ElementsAre(1, 8, 4, 4));
  EXPECT_EQ(upper.op().options.pad_top, 0);
  EXPECT_EQ(upper.op().options.pad_bottom, 1);
  EXPECT_TRUE(upper.op().options.channels_first);
  const One lower(11, {1, 3, 8, 8}, "Conv", {"x", "w"}, {{"auto_pad", "SAME_LOWER"}, {"strides", {2, 2}}}, weights);
  EXPECT_IMPORTED(lower);
  EXPECT_EQ(lower.op().options.pad_top, 1);
  EXPECT_EQ(lower.op().options.pad_bottom, 0);
  const One pads(11, {1, 3, 8, 9}, "Conv", {"x", "w"}, {{"pads", {1, 2, 0, 3}}, {"dilations", {2, 1}}}, weights);
  EXPECT_IMPORTED(pads);
  EXPECT_THAT(pads.shape(), ElementsAre(1, 8, 8 + 1 - 4, 9 + 5 - 2));
  EXPECT_EQ(pads.op().kind, OperatorKind::conv_2d);
  EXPECT_EQ(pads.op().type, "Conv");
  EXPECT_EQ(pads.op().name, "Conv_y");
}

TEST(OnnxOperators, PoolsRoundUpAndCountPadding) {
  const One up(10, {1, 2, 6, 6}, "AveragePool", {"x"},
               {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}, {"ceil_mode", 1}, {"count_include_pad", 1}});
  EXPECT_IMPORTED(up);
  EXPECT_THAT(up.shape(), ElementsAre(1, 2, 3, 3));
  EXPECT_TRUE(up.op().options.count_include_pad);
  const One down(10, {1, 2, 6, 6}, "MaxPool", {"x"}, {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}});
  EXPECT_THAT(down.shape(), ElementsAre(1, 2, 2, 2));
  // A window that would start behind the image and its leading padding does not count.
  const One outside(10, {1, 1, 4, 4}, "MaxPool", {"x"},
                    {{"kernel_shape", {1, 1}}, {"strides", {4, 4}}, {"ceil_mode", 1}});
  EXPECT_THAT(outside.shape(), ElementsAre(1, 1, 1, 1));
  const One global(10, {2, 5, 6, 7}, "GlobalAveragePool", {"x"}, {});
  EXPECT_THAT(global.shape(), ElementsAre(2, 5, 1, 1));
}

TEST(OnnxOperators, TransposedConvolution) {
  const auto weights = [](OnnxModel& m) { m.floats("w", {4, 3, 3, 3}, noise(108, 1)); };
  const One plain(11, {1, 4, 5, 5}, "ConvTranspose", {"x", "w"},
                  {{"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}, {"output_padding", {1, 1}}}, weights);
  EXPECT_IMPORTED(plain);
  EXPECT_THAT(plain.shape(), ElementsAre(1, 3, 10, 10));
  const One same(11, {1, 4, 5, 5}, "ConvTranspose", {"x", "w"}, {{"strides", {2, 2}}, {"auto_pad", "SAME_UPPER"}},
                 weights);
  EXPECT_IMPORTED(same);
  EXPECT_THAT(same.shape(), ElementsAre(1, 3, 10, 10));
  EXPECT_EQ(same.op().options.pad_top + same.op().options.pad_bottom, 1);
  const One given(11, {1, 4, 5, 5}, "ConvTranspose", {"x", "w"}, {{"strides", {2, 2}}, {"output_shape", {9, 10}}},
                  weights);
  EXPECT_IMPORTED(given);
  EXPECT_THAT(given.shape(), ElementsAre(1, 3, 9, 10));
  EXPECT_EQ(given.op().options.pad_top, 1);
}

TEST(OnnxOperators, ClipHasItsLimitsInBothForms) {
  const One old(9, {2, 3}, "Clip", {"x"}, {{"min", -2.0f}});
  EXPECT_IMPORTED(old);
  EXPECT_EQ(old.op().options.clip_min, -2.0f);
  EXPECT_EQ(old.op().options.clip_max, std::numeric_limits<float>::max());
  const One young(11, {2, 3}, "Clip", {"x", "", "hi"}, {}, [](OnnxModel& m) { m.scalar("hi", 6.0f); });
  EXPECT_IMPORTED(young);
  EXPECT_EQ(young.op().options.clip_max, 6.0f);
  EXPECT_EQ(young.op().inputs.size(), 1u);
  const auto y = floats_of(
      interpret(*young.n.network, {bytes_of({-9, 1, 7, 6, 5.5f, 100})})[static_cast<std::size_t>(young.n->outputs[0])]);
  EXPECT_THAT(y, ElementsAre(-9, 1, 6, 6, 5.5f, 6));
}

TEST(OnnxOperators, SliceTakesNegativeIndicesAndSteps) {
  const One s(13, {4, 6}, "Slice", {"x", "a", "b", "axes", "steps"}, {}, [](OnnxModel& m) {
    m.int64s("a", {-1, 1}).int64s("b", {INT64_MIN, INT64_MAX}).int64s("axes", {0, -1}).int64s("steps", {-2, 3});
  });
  EXPECT_IMPORTED(s);
  EXPECT_THAT(s.shape(), ElementsAre(2, 2));
  std::vector<float> x(24);
  for (std::size_t i = 0; i < 24; ++i) x[i] = static_cast<float>(i);
  const auto y = floats_of(interpret(*s.n.network, {bytes_of(x)})[static_cast<std::size_t>(s.n->outputs[0])]);
  EXPECT_THAT(y, ElementsAre(19, 22, 7, 10));
  const One old(9, {4, 6}, "Slice", {"x"}, {{"starts", {1}}, {"ends", {3}}, {"axes", {1}}});
  EXPECT_THAT(old.shape(), ElementsAre(4, 2));
}

TEST(OnnxOperators, SplitsEqualAndGiven) {
  const One equal(13, {2, 6}, "Split", {"x"}, {{"axis", -1}}, {}, {"y", "z"});
  EXPECT_IMPORTED(equal);
  EXPECT_THAT(equal.shape(1), ElementsAre(2, 3));
  const One given(13, {2, 6}, "Split", {"x", "s"}, {{"axis", 1}},
                  [](OnnxModel& m) {
                    m.int64s("s", {1, 5});
                  },
                  {"y", "z"});
  EXPECT_THAT(given.shape(0), ElementsAre(2, 1));
  EXPECT_THAT(given.shape(1), ElementsAre(2, 5));
}

TEST(OnnxOperators, ReductionsAndArgMax) {
  const One mean(13, {2, 3, 4}, "ReduceMean", {"x"}, {{"axes", {-1}}, {"keepdims", 0}});
  EXPECT_IMPORTED(mean);
  EXPECT_THAT(mean.shape(), ElementsAre(2, 3));
  EXPECT_THAT(mean.op().options.axes, ElementsAre(2));
  const One sum(13, {2, 3, 4}, "ReduceSum", {"x", "axes"}, {}, [](OnnxModel& m) { m.int64s("axes", {0, 2}); });
  EXPECT_THAT(sum.shape(), ElementsAre(1, 3, 1));
  const One all(13, {2, 3, 4}, "ReduceMax", {"x"}, {});
  EXPECT_THAT(all.shape(), ElementsAre(1, 1, 1));
  const One arg(13, {2, 3, 4}, "ArgMax", {"x"}, {{"axis", 1}, {"keepdims", 0}});
  EXPECT_IMPORTED(arg);
  EXPECT_THAT(arg.shape(), ElementsAre(2, 4));
  EXPECT_EQ(arg.n->tensors[static_cast<std::size_t>(arg.n->outputs[0])].type, DataType::int64);
}

TEST(OnnxOperators, SoftmaxOfOldFilesTakesTheRest) {
  const One old(9, {2, 5, 1, 1}, "Softmax", {"x"}, {});
  EXPECT_IMPORTED(old);
  EXPECT_EQ(old.op().options.axis, 1);
  const One young(13, {2, 5, 4}, "Softmax", {"x"}, {});
  EXPECT_EQ(young.op().options.axis, 2);
  const One rows(9, {2, 5, 4}, "Softmax", {"x"}, {});
  EXPECT_THAT(rows.n.errors, HasSubstr("over all of [2, 5, 4] from axis 1 on"));
}

TEST(OnnxOperators, ResizeByWholeFactors) {
  const auto sizes = [](OnnxModel& m) { m.floats("roi", {0}, {}).floats("scales", {4}, {1, 1, 2, 2}); };
  const One nearest(13, {1, 1, 2, 2}, "Resize", {"x", "roi", "scales"}, {{"mode", "nearest"}}, sizes);
  EXPECT_IMPORTED(nearest);
  EXPECT_THAT(nearest.shape(), ElementsAre(1, 1, 4, 4));
  const auto y = floats_of(
      interpret(*nearest.n.network, {bytes_of({1, 2, 3, 4})})[static_cast<std::size_t>(nearest.n->outputs[0])]);
  EXPECT_THAT(y, ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4));
  const One linear(13, {1, 1, 2, 2}, "Resize", {"x", "roi", "scales"}, {{"mode", "linear"}}, sizes);
  EXPECT_IMPORTED(linear);
  EXPECT_TRUE(linear.op().options.half_pixel_centers);
  const auto z =
      floats_of(interpret(*linear.n.network, {bytes_of({1, 2, 3, 4})})[static_cast<std::size_t>(linear.n->outputs[0])]);
  EXPECT_FLOAT_EQ(z[0], 1);
  EXPECT_FLOAT_EQ(z[1], 1.25f);
  EXPECT_FLOAT_EQ(z[5], 1.75f);
  const One cubic(13, {1, 1, 2, 2}, "Resize", {"x", "roi", "scales"}, {{"mode", "cubic"}}, sizes);
  EXPECT_THAT(cubic.n.errors, HasSubstr("interpolation 'cubic'"));
  const One old(9, {1, 1, 2, 3}, "Upsample", {"x", "s"}, {}, [](OnnxModel& m) { m.floats("s", {4}, {1, 1, 3, 1}); });
  EXPECT_THAT(old.shape(), ElementsAre(1, 1, 6, 3));
}

TEST(OnnxOperators, PadsAndReflects) {
  const auto pads = [](OnnxModel& m) { m.int64s("p", {0, 1, 0, 2}).scalar("v", -1.5f); };
  const One constant(13, {1, 2}, "Pad", {"x", "p", "v"}, {}, pads);
  EXPECT_IMPORTED(constant);
  const auto y =
      floats_of(interpret(*constant.n.network, {bytes_of({5, 6})})[static_cast<std::size_t>(constant.n->outputs[0])]);
  EXPECT_THAT(y, ElementsAre(-1.5f, 5, 6, -1.5f, -1.5f));
  const One reflect(13, {1, 3}, "Pad", {"x", "p"}, {{"mode", "reflect"}}, pads);
  EXPECT_EQ(reflect.op().kind, OperatorKind::mirror_pad);
  const One edge(13, {1, 3}, "Pad", {"x", "p"}, {{"mode", "edge"}}, pads);
  EXPECT_THAT(edge.n.errors, HasSubstr("mode 'edge'"));
}

TEST(OnnxOperators, MatrixProducts) {
  const One gemm(11, {3, 2}, "Gemm", {"x", "b", "c"}, {{"transA", 1}, {"alpha", 2.0f}, {"beta", 3.0f}},
                 [](OnnxModel& m) {
                   m.floats("b", {3, 1}, {1, 10, 100}).floats("c", {1}, {1});
                 });
  EXPECT_IMPORTED(gemm);
  EXPECT_THAT(gemm.shape(), ElementsAre(2, 1));
  const auto y = floats_of(
      interpret(*gemm.n.network, {bytes_of({1, 2, 3, 4, 5, 6})})[static_cast<std::size_t>(gemm.n->outputs[0])]);
  EXPECT_THAT(y, ElementsAre(2 * 531 + 3, 2 * 642 + 3));
  const One product(13, {2, 3, 4}, "MatMul", {"x", "w"}, {}, [](OnnxModel& m) { m.floats("w", {4, 5}, noise(20, 1)); });
  EXPECT_THAT(product.shape(), ElementsAre(2, 3, 5));
}

TEST(OnnxOperators, AttributesOfActivations) {
  const One elu(13, {2}, "Elu", {"x"}, {{"alpha", 0.5f}});
  EXPECT_EQ(elu.op().options.alpha, 0.5f);
  const One leaky(13, {2}, "LeakyRelu", {"x"}, {});
  EXPECT_EQ(leaky.op().options.alpha, 0.01f);
  const One hard(13, {2}, "HardSigmoid", {"x"}, {});
  EXPECT_EQ(hard.op().options.alpha, 0.2f);
  EXPECT_EQ(hard.op().options.beta, 0.5f);
  const One lrn(13, {1, 4, 2, 2}, "LRN", {"x"}, {{"size", 3}, {"alpha", 0.5f}});
  EXPECT_EQ(lrn.op().options.size, 3);
  EXPECT_EQ(lrn.op().options.beta, 0.75f);
  const One cast(13, {2}, "Cast", {"x"}, {{"to", int{onnx::TensorProto::FLOAT}}});
  EXPECT_EQ(cast.op().kind, OperatorKind::identity);
}

TEST(OnnxOperators, UnknownOperatorsAreKeptForInspection) {
  OnnxModel m;
  m.input("x", {1, 4}).node("Relu", {"x"}, {"r"}).node("Whatever", {"r"}, {"w"}).node("Relu", {"w"}, {"y"}).output("y");
  const auto refused = import(m);
  EXPECT_FALSE(refused.network);
  EXPECT_THAT(refused.errors, HasSubstr("node 1 'Whatever_w' (Whatever): this operator is not supported"));
  EXPECT_THAT(refused.errors, ::testing::Not(HasSubstr("node 2")));
  LoadOptions keep;
  keep.keep_unsupported = true;
  const auto kept = import(m, keep);
  ASSERT_TRUE(kept.network) << kept.errors;
  ASSERT_EQ(kept->operators.size(), 3u);
  EXPECT_EQ(kept->operators[0].unsupported, "");
  EXPECT_EQ(kept->operators[1].unsupported, "this operator is not supported");
  EXPECT_THAT(kept->operators[2].unsupported, HasSubstr("the shape of its input 'w' is not known"));
}

TEST(OnnxOperators, OutputsThatNobodyMakesMustNotBeUsed) {
  const One pool(11, {1, 1, 4, 4}, "MaxPool", {"x"}, {{"kernel_shape", {2, 2}}}, {}, {"y", "indices"});
  EXPECT_THAT(pool.n.errors, HasSubstr("its output 1 is used"));
  OnnxModel m;
  m.input("x", {1, 4}).node("Dropout", {"x"}, {"y", "mask"}).output("y");
  EXPECT_TRUE(import(m).network);
}

}  // namespace
}  // namespace dse::nn::test::operators_test
