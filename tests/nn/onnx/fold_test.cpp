// What is known when the file is read is no operator.
#include <gmock/gmock.h>

#include "onnx_writer.h"

namespace dse::nn::test::fold_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Tensor& output(const Imported& n) { return n->tensors[static_cast<std::size_t>(n->outputs.at(0))]; }

TEST(OnnxFold, ShapeChainOfAnExportedFlatten) {
  // x.view(x.size(0), -1) as exporters write it.
  OnnxModel m;
  m.input("x", {2, 3, 4, 5}).output("y");
  m.node("Shape", {"x"}, {"shape"});
  m.node("Constant", {}, {"zero"}, {{"value", [] {
                                       onnx::TensorProto t;
                                       t.set_data_type(onnx::TensorProto::INT64);
                                       t.add_int64_data(0);
                                       return t;
                                     }()}});
  m.node("Gather", {"shape", "zero"}, {"batch"}, {{"axis", 0}});
  m.int64s("axis", {0}).int64s("rest", {-1});
  m.node("Unsqueeze", {"batch", "axis"}, {"batch1"});
  m.node("Concat", {"batch1", "rest"}, {"wanted"}, {{"axis", 0}});
  m.node("Reshape", {"x", "wanted"}, {"y"});
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  ASSERT_EQ(n->operators.size(), 1u);
  EXPECT_THAT(output(n).shape, ElementsAre(2, 60));
  EXPECT_EQ(n->tensors.size(), 2u);  // the constants of the chain are gone
}

TEST(OnnxFold, ArithmeticOnExtents) {
  OnnxModel m;
  m.input("x", {1, 2, 6, 10}).output("y");
  m.node("Shape", {"x"}, {"shape"});
  m.int64s("from", {2}).int64s("to", {4}).int64s("two", {2}).int64s("head", {1, 2}).int64s("three", {3});
  m.node("Slice", {"shape", "from", "to"}, {"hw"});
  m.node("Mul", {"hw", "two"}, {"double"});       // 12, 20
  m.node("Div", {"double", "three"}, {"third"});  // 4, 6
  m.node("Sub", {"third", "two"}, {"less"});      // 2, 4
  m.node("Add", {"less", "two"}, {"sum"});        // 4, 6
  m.node("Cast", {"sum"}, {"cast"}, {{"to", int{onnx::TensorProto::INT64}}});
  m.node("Concat", {"head", "cast"}, {"sizes"}, {{"axis", 0}});
  m.node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"mode", "linear"}});
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_THAT(output(n).shape, ElementsAre(1, 2, 4, 6));
}

TEST(OnnxFold, ConstantOfShapeIsNeverExpanded) {
  OnnxModel m(9);
  m.input("x", {1, 25088}).output("y");
  m.int64s("s", {4096, 25088}).int64s("t", {4096});
  m.node("ConstantOfShape", {"s"}, {"w"}, {{"value", tensor_of({1}, {0.25f})}});
  m.node("ConstantOfShape", {"t"}, {"b0"}, {{"value", tensor_of({1}, {2.0f})}});
  m.node("Unsqueeze", {"b0"}, {"b"}, {{"axes", {0}}});
  m.node("Transpose", {"w"}, {"wt"}, {{"perm", {1, 0}}});
  m.node("Gemm", {"x", "wt", "b"}, {"y"});
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  ASSERT_EQ(n->operators.size(), 1u);
  const auto& w = n->tensors[static_cast<std::size_t>(n->operators[0].inputs[1])];
  const auto& b = n->tensors[static_cast<std::size_t>(n->operators[0].inputs[2])];
  EXPECT_THAT(w.shape, ElementsAre(25088, 4096));
  EXPECT_TRUE(w.data.empty());
  ASSERT_TRUE(w.fill);
  EXPECT_EQ(w.fill->value, 0.25);
  EXPECT_THAT(b.shape, ElementsAre(1, 4096));
  ASSERT_TRUE(b.fill);
}

TEST(OnnxFold, ConstantsAreTransposedOnce) {
  OnnxModel m;
  m.input("x", {1, 3}).output("y");
  m.floats("w", {2, 3}, {1, 2, 3, 4, 5, 6}).node("Transpose", {"w"}, {"t"}).node("MatMul", {"x", "t"}, {"y"});
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  ASSERT_EQ(n->operators.size(), 1u);
  const auto& t = n->tensors[static_cast<std::size_t>(n->operators[0].inputs[1])];
  EXPECT_THAT(t.shape, ElementsAre(3, 2));
  EXPECT_THAT(floats_of(t.data), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(OnnxFold, OpenShapesAreFixedByTheOption) {
  OnnxModel m;
  m.input("x", {-1, 3, 4, 4}).output("y").node("Relu", {"x"}, {"y"});
  EXPECT_THAT(import(m).errors, HasSubstr("error: input 'x' has the open shape [N, 3, 4, 4]\n"
                                          "  hint: say which with --shape x=1x3x4x4"));
  LoadOptions fixed;
  fixed.shapes["x"] = {2, 3, 4, 4};
  const auto n = import(m, fixed);
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_THAT(output(n).shape, ElementsAre(2, 3, 4, 4));
  fixed.shapes["x"] = {2, 3, 4, 5};
  EXPECT_THAT(import(m, fixed).errors, HasSubstr("input 'x' has shape [N, 3, 4, 4], --shape says [2, 3, 4, 5]"));
  fixed.shapes = {{"z", {1}}};
  EXPECT_THAT(import(m, fixed).errors, HasSubstr("open shape"));
  fixed.shapes = {{"x", {1, 3, 4, 4}}, {"z", {1}}};
  EXPECT_THAT(import(m, fixed).errors, HasSubstr("there is no input 'z' to give a shape"));
}

TEST(OnnxFold, NodesInAnyOrderAndUnusedOnes) {
  OnnxModel m;
  m.input("x", {1, 4}).output("y");
  m.node("Relu", {"a"}, {"y"}).node("Tanh", {"x"}, {"unused"}).node("Sigmoid", {"x"}, {"a"});
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  ASSERT_EQ(n->operators.size(), 2u);
  EXPECT_EQ(n->operators[0].type, "Sigmoid");
}

}  // namespace
}  // namespace dse::nn::test::fold_test
