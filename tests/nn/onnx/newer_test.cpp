// What newer opsets and other exporters write: the same operators, told otherwise.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "onnx_writer.h"

namespace dse::nn::test::newer_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Tensor& output(const Imported& n) { return n->tensors[static_cast<std::size_t>(n->outputs.at(0))]; }

std::vector<float> run(const Imported& n, const std::vector<float>& x) {
  const auto all = interpret(*n.network, {bytes_of(x)});
  return floats_of(all[static_cast<std::size_t>(n->outputs.at(0))]);
}

std::vector<std::uint8_t> run_bytes(const Imported& n, const std::vector<std::uint8_t>& x) {
  return interpret(*n.network, {x})[static_cast<std::size_t>(n->outputs.at(0))];
}

/// Convolution, pool, both conversions, moves.
OnnxModel quantised(int opset) {
  OnnxModel m(opset);
  m.input("x", {1, 3, 8, 8}).output("y");
  m.scalar("s", 0.05f).int8s("z", {}, {3}).scalar("ws", 0.01f).int8s("wz", {}, {0}).int64s("flat", {1, -1});
  m.int8s("w", {4, 3, 3, 3}, integers(108, -127, 127, 1));
  m.node("QuantizeLinear", {"x", "s", "z"}, {"xq"}).node("DequantizeLinear", {"xq", "s", "z"}, {"xd"});
  m.node("DequantizeLinear", {"w", "ws", "wz"}, {"wd"});
  m.node("Conv", {"xd", "wd"}, {"c"}, {{"pads", {1, 1, 1, 1}}}).node("Relu", {"c"}, {"r"});
  m.node("QuantizeLinear", {"r", "s", "z"}, {"rq"}).node("DequantizeLinear", {"rq", "s", "z"}, {"rd"});
  m.node("MaxPool", {"rd"}, {"p"}, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
  m.node("Reshape", {"p", "flat"}, {"y"});
  return m;
}

TEST(OnnxNewer, EveryOpsetReadsTheSameNetwork) {
  LoadOptions options = LoadOptions::floating();
  const auto known = import(quantised(18), options);
  ASSERT_TRUE(known.network) << known.errors;
  for (const int opset : {13, 19, 20, 21, 22, 23}) {
    const auto n = import(quantised(opset), options);
    ASSERT_TRUE(n.network) << opset << n.errors;
    EXPECT_EQ(n->structure_hash(), known->structure_hash()) << opset;
    EXPECT_EQ(run(n, noise(192, 5)), run(known, noise(192, 5))) << opset;
  }
}

TEST(OnnxNewer, WhatNewAttributesChangeIsRefusedByOperator) {
  const auto error = [](const char* type, const Names& inputs, std::vector<Attribute> attributes, int integer = 0) {
    OnnxModel m(21);
    m.input("x", {1, 2, 4, 4}, integer != 0 ? integer : int{onnx::TensorProto::FLOAT}).output("y");
    m.floats("scales", {4}, {1, 1, 2, 2}).int64s("pads", {0, 0, 1, 1, 0, 0, 1, 1});
    m.scalar("s", 0.1f).int8s("z", {}, {0});
    m.node(type, inputs, {"y"}, std::move(attributes));
    return import(m, LoadOptions::floating()).errors;
  };
  EXPECT_THAT(error("Pad", {"x", "pads"}, {{"mode", "wrap"}}), HasSubstr("(Pad): mode 'wrap'"));
  EXPECT_THAT(error("Resize", {"x", "", "scales"}, {{"coordinate_transformation_mode", "half_pixel_symmetric"}}),
              HasSubstr("(Resize): coordinates by 'half_pixel_symmetric'"));
  EXPECT_THAT(error("QuantizeLinear", {"x", "s", "z"}, {{"block_size", 2}}), HasSubstr("one scale per block"));
  EXPECT_THAT(error("DequantizeLinear", {"x", "s", "z"}, {{"block_size", 2}}, onnx::TensorProto::INT8),
              HasSubstr("one scale per block"));
  EXPECT_THAT(error("DequantizeLinear", {"x", "s", "z"}, {{"output_dtype", int{onnx::TensorProto::FLOAT16}}},
                    onnx::TensorProto::INT8),
              HasSubstr("an output of type FLOAT16"));
  EXPECT_THAT(error("AveragePool", {"x"}, {{"kernel_shape", {2, 2}}, {"dilations", {2, 2}}}),
              HasSubstr("a pool with dilations"));
  OnnxModel m(21);
  m.input("x", {4}).output("y").scalar("s", 0.1f);
  m.node("QuantizeLinear", {"x", "s"}, {"y"}, {{"output_dtype", int{onnx::TensorProto::INT8}}});
  const auto n = import(m, LoadOptions::floating());
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(output(n).type, DataType::int8);
}

/// One window over L elements, or over images of height 1.
struct Window {
  bool flat;
  std::vector<Attribute> pair(const char* name, int h, int w) const {
    if (flat) return {{name, {w}}};
    return {{name, {h, w}}};
  }
  Shape shape(std::int64_t n, std::int64_t c, std::int64_t l) const {
    return flat ? Shape{n, c, l} : Shape{n, c, 1, l};
  }
};

std::vector<Attribute> all_of(std::initializer_list<std::vector<Attribute>> lists) {
  std::vector<Attribute> out;
  for (const auto& l : lists) out.insert(out.end(), l.begin(), l.end());
  return out;
}

OnnxModel float_windows(bool flat) {
  const Window w{flat};
  OnnxModel m;
  m.input("x", w.shape(1, 4, 21)).output("y");
  m.floats("w", w.shape(6, 2, 5), noise(60, 1)).floats("b", {6}, noise(6, 2));
  m.floats("scale", {6}, noise(6, 3)).floats("shift", {6}, noise(6, 4)).floats("mean", {6}, noise(6, 5));
  m.floats("variance", {6}, {1, 2, 3, 4, 5, 6});
  const Attribute pads = flat ? Attribute("pads", {3, 1}) : Attribute("pads", {0, 3, 0, 1});
  m.node("Conv", {"x", "w", "b"}, {"c"},
         all_of({w.pair("strides", 1, 2), w.pair("dilations", 1, 2), {pads, {"group", 2}}}));
  m.node("BatchNormalization", {"c", "scale", "shift", "mean", "variance"}, {"n"}).node("Relu", {"n"}, {"r"});
  m.node("MaxPool", {"r"}, {"p"}, all_of({w.pair("kernel_shape", 1, 3), {{"auto_pad", "SAME_UPPER"}}}));
  m.node("AveragePool", {"p"}, {"a"},
         all_of({w.pair("kernel_shape", 1, 2), w.pair("strides", 1, 2), {{"ceil_mode", 1}}}));
  m.node("Add", {"a", "a"}, {"s"}).node("GlobalAveragePool", {"s"}, {"g"}).node("Flatten", {"g"}, {"y"});
  return m;
}

TEST(OnnxNewer, OneDimensionIsAnImageOfHeight1) {
  const auto one = import(float_windows(true), LoadOptions::floating());
  const auto two = import(float_windows(false), LoadOptions::floating());
  ASSERT_TRUE(one.network) << one.errors;
  ASSERT_TRUE(two.network) << two.errors;
  EXPECT_EQ(run(one, noise(84, 9)), run(two, noise(84, 9)));
  // One look at the input as an image, one back before the Flatten.
  EXPECT_EQ(one->operators.size(), two->operators.size() + 2);
}

TEST(OnnxNewer, AFlatResultKeepsItsShapeAndName) {
  OnnxModel m;
  m.input("x", {1, 2, 8}).output("y").output("r").floats("w", {3, 2, 3}, noise(18, 1));
  m.node("Conv", {"x", "w"}, {"y"}).node("Relu", {"y"}, {"r"});
  const auto n = import(m, LoadOptions::floating());
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_THAT(output(n).shape, ElementsAre(1, 3, 6));
  EXPECT_EQ(output(n).name, "y");
  OnnxModel wrong;
  wrong.input("x", {1, 2, 8}).output("y").floats("w", {3, 2, 3}, noise(18, 1));
  wrong.node("Conv", {"x", "w"}, {"y"}, {{"strides", {1, 1, 1}}});
  EXPECT_THAT(import(wrong, LoadOptions::floating()).errors, HasSubstr("'strides' has 3 entries, not 2"));
}

OnnxModel quantised_windows(bool flat) {
  const Window w{flat};
  OnnxModel m;
  m.input("x", w.shape(1, 4, 20), onnx::TensorProto::INT8).output("q4");
  m.scalar("s", 0.05f).int8s("z", {}, {3}).scalar("s2", 0.08f);
  m.floats("ws", {6}, {0.01f, 0.02f, 0.015f, 0.01f, 0.03f, 0.02f}).int8s("wz", {6}, {0, 0, 0, 0, 0, 0});
  m.int8s("w", w.shape(6, 4, 3), integers(72, -127, 127, 1)).floats("b", {6}, noise(6, 2));
  m.node("DequantizeLinear", {"x", "s", "z"}, {"d0"});
  m.node("DequantizeLinear", {"w", "ws", "wz"}, {"wd"}, {{"axis", 0}});
  m.node("Conv", {"d0", "wd", "b"}, {"c"}, {flat ? Attribute("pads", {1, 1}) : Attribute("pads", {0, 1, 0, 1})});
  m.node("Relu", {"c"}, {"r"}).node("QuantizeLinear", {"r", "s2", "z"}, {"q1"});
  m.node("DequantizeLinear", {"q1", "s2", "z"}, {"d1"});
  m.node("MaxPool", {"d1"}, {"p"}, all_of({w.pair("kernel_shape", 1, 2), w.pair("strides", 1, 2)}));
  m.node("QuantizeLinear", {"p", "s2", "z"}, {"q2"}).node("DequantizeLinear", {"q2", "s2", "z"}, {"d2"});
  m.node("Add", {"d2", "d2"}, {"a"}).node("QuantizeLinear", {"a", "s", "z"}, {"q3"});
  m.node("DequantizeLinear", {"q3", "s", "z"}, {"d3"}).node("GlobalAveragePool", {"d3"}, {"g"});
  m.node("QuantizeLinear", {"g", "s", "z"}, {"q4"});
  return m;
}

TEST(OnnxNewer, QuantisedOneDimensionIsIntegerArithmetic) {
  const auto one = import(quantised_windows(true));
  const auto two = import(quantised_windows(false));
  ASSERT_TRUE(one.network) << one.errors;
  ASSERT_TRUE(two.network) << two.errors;
  const auto values = integers(80, -128, 127, 7);
  // [N, C, L] stays as it is; [N, C, 1, L] becomes [N, 1, L, C].
  std::vector<std::uint8_t> flat(values.begin(), values.end()), image(80);
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t l = 0; l < 20; ++l) image[4 * l + c] = flat[20 * c + l];
  EXPECT_EQ(run_bytes(one, flat), run_bytes(two, image));
}

TEST(OnnxNewer, ExtentsAreComputedInFloatsToo) {
  // interpolate(x, scale_factor=1.5) as exporters write it.
  OnnxModel m;
  m.input("x", {1, 2, 6, 10}).output("y");
  m.int64s("from", {2}).int64s("to", {4}).int64s("zero", {0}).int64s("two", {2}).scalar("factor", 1.5f);
  m.node("Shape", {"x"}, {"shape"}).node("Slice", {"shape", "from", "to"}, {"hw"});
  m.node("Cast", {"hw"}, {"real"}, {{"to", int{onnx::TensorProto::FLOAT}}});
  m.node("Mul", {"real", "factor"}, {"more"}).node("Floor", {"more"}, {"whole"});
  m.node("Cast", {"whole"}, {"extents"}, {{"to", int{onnx::TensorProto::INT64}}});
  m.node("Slice", {"shape", "zero", "two"}, {"head"});
  m.node("Concat", {"head", "extents"}, {"sizes"}, {{"axis", 0}});
  m.node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"mode", "linear"}});
  const auto n = import(m, LoadOptions::floating());
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_THAT(output(n).shape, ElementsAre(1, 2, 9, 15));
  EXPECT_EQ(n->operators.size(), 1u);
}

TEST(OnnxNewer, ShapesThatKeepExtentsAreChosen) {
  // x.expand(-1, 3) as exporters write it: Where(Equal(wanted, -1), ones, wanted).
  OnnxModel m;
  m.input("x", {1, 3}).output("y").int64s("rank", {2}).int64s("minus", {-1}).int64s("wanted", {-1, 3});
  onnx::TensorProto one;
  one.set_data_type(onnx::TensorProto::INT64), one.add_dims(1), one.add_int64_data(1);
  m.node("ConstantOfShape", {"rank"}, {"ones"}, {{"value", one}}).node("Mul", {"ones", "minus"}, {"negative"});
  m.node("Equal", {"wanted", "negative"}, {"open"}).node("Where", {"open", "ones", "wanted"}, {"shape"});
  m.node("Expand", {"x", "shape"}, {"y"});
  const auto n = import(m, LoadOptions::floating());
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_THAT(output(n).shape, ElementsAre(1, 3));
}

TEST(OnnxNewer, CastsOfConstants) {
  const auto cast = [](const std::vector<float>& from, int to) {
    OnnxModel m;
    m.input("x", {static_cast<std::int64_t>(from.size())}, to).output("y");
    m.floats("c", {static_cast<std::int64_t>(from.size())}, from);
    m.node("Cast", {"c"}, {"k"}, {{"to", to}}).node("Add", {"x", "k"}, {"y"});
    LoadOptions all;
    all.allow_float = all.keep_unsupported = true;
    const auto n = import(m, all);
    return n.network ? n->tensors.at(1).data : std::vector<std::uint8_t>{};
  };
  EXPECT_THAT(cast({1.9f, -1.9f, 0}, onnx::TensorProto::INT8), ElementsAre(1, 0xff, 0));  // towards zero
  EXPECT_THAT(cast({2.5f, 0}, onnx::TensorProto::BOOL), ElementsAre(1, 0));
}

TEST(OnnxNewer, ConstantsAreRepeatedAndPicked) {
  OnnxModel m;
  m.input("x", {2, 2, 3}).output("y");
  m.floats("c", {2, 3}, {1, 2, 3, 4, 5, 6}).int64s("times", {2, 1}).int64s("rows", {-1, 0}).int64s("shape", {2, 1, 1});
  m.node("Tile", {"c", "times"}, {"t"}).node("Gather", {"t", "rows"}, {"g"}).node("Expand", {"g", "shape"}, {"e"});
  m.node("Add", {"x", "e"}, {"y"});
  const auto n = import(m, LoadOptions::floating());
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(n->operators.size(), 1u);
  EXPECT_EQ(run(n, std::vector<float>(12, 0)), (std::vector<float>{4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3}));
}

TEST(OnnxNewer, KnownIndicesAreMoves) {
  const auto picked = [](const std::vector<std::int64_t>& indices, bool scalar = false) {
    OnnxModel m;
    m.input("x", {1, 12, 2}).output("y").int64s("i", indices);
    if (scalar) m.proto.mutable_graph()->mutable_initializer(0)->clear_dims();
    m.node("Gather", {"x", "i"}, {"y"}, {{"axis", 1}});
    const auto n = import(m, LoadOptions::floating());
    EXPECT_TRUE(n.network) << n.errors;
    const auto x = noise(24, 3);
    std::vector<float> expected;
    for (const auto i : indices)
      for (std::size_t k = 0; k < 2; ++k) expected.push_back(x[2 * static_cast<std::size_t>((i + 12) % 12) + k]);
    EXPECT_EQ(run(n, x), expected) << ::testing::PrintToString(indices);
    EXPECT_THAT(output(n).shape.size(), scalar ? 2u : 3u);
    return n->operators.size();
  };
  EXPECT_EQ(picked({0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}), 3u);  // channels of two groups in turn
  EXPECT_EQ(picked({2, 4, 6}), 1u);
  EXPECT_EQ(picked({11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}), 1u);
  EXPECT_EQ(picked({-1}, true), 2u);
  EXPECT_EQ(picked({5, 5, 5, 0}), 4u);  // 5; 5; 5, 0
}

TEST(OnnxNewer, TileOfOneDimensionIsAConcatenation) {
  OnnxModel m;
  m.input("x", {2, 3}).output("y").output("z").int64s("times", {1, 2}).int64s("ones", {1, 1});
  m.node("Tile", {"x", "times"}, {"y"}).node("Tile", {"x", "ones"}, {"z"});
  const auto n = import(m, LoadOptions::floating());
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(run(n, {1, 2, 3, 4, 5, 6}), (std::vector<float>{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
}

TEST(OnnxNewer, HalvesAreFloats) {
  OnnxModel m;
  m.input("x", {1, 4}).output("y");
  // 1, -2, 2^-24 (subnormal), 65504.
  m.raw("w", {4}, onnx::TensorProto::FLOAT16, std::string("\x00\x3c\x00\xc0\x01\x00\xff\x7b", 8));
  m.node("Cast", {"w"}, {"f"}, {{"to", int{onnx::TensorProto::FLOAT}}}).node("Mul", {"x", "f"}, {"y"});
  const auto n = import(m, LoadOptions::floating());
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(run(n, {1, 1, 1, 1}), (std::vector<float>{1, -2, std::ldexp(1.0f, -24), 65504}));
}

TEST(OnnxNewer, AConstantOfAnotherTypeRefusesItsReadersOnly) {
  OnnxModel m;
  m.input("x", {1, 4}).output("y").raw("d", {1}, onnx::TensorProto::DOUBLE, "12345678");
  m.node("Relu", {"x"}, {"r"}).node("Whatever", {"r", "d"}, {"y"});
  EXPECT_THAT(import(m, LoadOptions::floating()).errors, HasSubstr("'d': type DOUBLE is not supported"));
  LoadOptions all;
  all.allow_float = all.keep_unsupported = true;
  const auto n = import(m, all);
  ASSERT_TRUE(n.network) << n.errors;
  ASSERT_EQ(n->operators.size(), 2u);
  EXPECT_EQ(n->operators[1].unsupported, "'d': type DOUBLE is not supported");
}

/// A quantised network between nodes that nobody knows.
OnnxModel between_unknowns(bool shapes) {
  OnnxModel m;
  m.input("x", {1, 4}, onnx::TensorProto::INT8).output("y").scalar("s", 0.5f).int8s("z", {}, {0});
  m.int8s("w", {4, 4}, integers(16, -20, 20, 1)).scalar("t", 0.25f);
  m.node("Before", {"x"}, {"x0"}).node("DequantizeLinear", {"x", "s", "z"}, {"d"});
  m.node("DequantizeLinear", {"w", "s", "z"}, {"wd"}).node("MatMul", {"d", "wd"}, {"p"});
  m.node("QuantizeLinear", {"p", "t", "z"}, {"q"}).node("After", {"q", "x0"}, {"a"}).node("After", {"a"}, {"b"});
  m.node("After", {"q"}, {"c"}).node("After", {"b", "c"}, {"y"});
  for (const char* name : {"x0", "a", "b", "c", "y"}) {
    if (!shapes) break;
    auto& info = *m.proto.mutable_graph()->add_value_info();
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::INT8);
    for (const int d : {1, 4}) type.mutable_shape()->add_dim()->set_dim_value(d);
  }
  return m;
}

TEST(OnnxNewer, WhatCannotRunIsToldOnceAndCut) {
  const auto whole = import(between_unknowns(true));
  EXPECT_FALSE(whole.network);
  EXPECT_THAT(whole.errors, HasSubstr("(After): this operator is not supported; so are 3 more"));
  for (const bool shapes : {true, false}) {
    LoadOptions cut;
    cut.cut = true;
    const auto n = import(between_unknowns(shapes), cut);
    ASSERT_TRUE(n.network) << shapes << n.errors;
    ASSERT_EQ(n->operators.size(), 1u);
    EXPECT_GT(n->macs(), 0);
    EXPECT_EQ(n->host.size(), 5u);
    EXPECT_EQ(n->outputs.size(), 1u);
  }
}

TEST(OnnxNewer, WhatCannotRunHasAPrice) {
  LoadOptions priced;
  priced.costs = {{"Before", 100}, {"After", 7}};
  const auto n = import(between_unknowns(true), priced);
  ASSERT_TRUE(n.network) << n.errors;
  std::int64_t cycles = 0;
  for (const auto& op : n->operators) cycles += std::max<std::int64_t>(0, op.cycles);
  EXPECT_EQ(cycles, 128);
  EXPECT_THAT(import(between_unknowns(false), priced).errors, HasSubstr("cannot be priced: the shape of its output"));
}

}  // namespace
}  // namespace dse::nn::test::newer_test
