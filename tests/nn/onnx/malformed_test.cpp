// Broken files: one precise error each.
#include <gmock/gmock.h>

#include "onnx_writer.h"

namespace dse::nn::test::malformed_test {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::vector<std::uint8_t>& bytes) {
  const auto n = import(bytes);
  EXPECT_FALSE(n.network);
  std::size_t errors = 0;
  for (std::size_t at = n.errors.find("error: "); at != std::string::npos; at = n.errors.find("error: ", at + 1))
    ++errors;
  EXPECT_EQ(errors, 1u) << n.errors;
  return n.errors;
}
std::string error_of(const OnnxModel& m) { return error_of(m.bytes()); }

OnnxModel relu() {
  OnnxModel m;
  m.input("x", {1, 4}).output("y").node("Relu", {"x"}, {"y"});
  return m;
}

TEST(OnnxMalformed, AHeaderThatClaimsTwoGigabytes) {
  // Field 7 (the graph) of 2^31 - 1 bytes.
  EXPECT_THAT(error_of(std::vector<std::uint8_t>{0x3a, 0xff, 0xff, 0xff, 0xff, 0x07, 0x0a, 0x00}),
              HasSubstr("field 7 at byte 1 claims 2147483647 bytes, but 2 are left"));
  // A length of 64 bits.
  EXPECT_THAT(error_of(std::vector<std::uint8_t>{0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}),
              HasSubstr("claims 18446744073709551615 bytes, but 0 are left"));
}

TEST(OnnxMalformed, ATensorThatClaimsTooMuch) {
  OnnxModel m = relu();
  m.raw("w", {1 << 20, 1 << 20}, onnx::TensorProto::FLOAT, "");
  EXPECT_THAT(error_of(m), HasSubstr("initializer 0 ('w'): shape [1048576, 1048576] has more than 128 M elements"));
  OnnxModel n = relu();
  n.raw("w", {INT64_MAX, INT64_MAX, 4}, onnx::TensorProto::FLOAT, "");
  EXPECT_THAT(error_of(n), HasSubstr("has more than 128 M elements"));
  OnnxModel negative = relu();
  negative.raw("w", {-1}, onnx::TensorProto::FLOAT, "");
  EXPECT_THAT(error_of(negative), HasSubstr("has a negative extent"));
}

TEST(OnnxMalformed, TruncatedData) {
  OnnxModel m = relu();
  m.raw("w", {4}, onnx::TensorProto::FLOAT, "123456");
  EXPECT_THAT(error_of(m), HasSubstr("initializer 0 ('w'): 6 bytes of raw data, shape [4] of FLOAT32 needs 16"));
  OnnxModel typed = relu();
  typed.floats("w", {4}, {1, 2, 3});
  EXPECT_THAT(error_of(typed), HasSubstr("initializer 0 ('w'): 3 elements, shape [4] needs 4"));
}

TEST(OnnxMalformed, EveryPrefixOfAFile) {
  OnnxModel m = relu();
  m.floats("w", {4}, {1, 2, 3, 4});
  const auto whole = m.bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto n =
        import(std::vector<std::uint8_t>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    EXPECT_EQ(n.network == nullptr, !n.errors.empty()) << length;
  }
}

TEST(OnnxMalformed, Cycles) {
  OnnxModel m;
  m.input("x", {1, 4}).output("y");
  m.node("Add", {"x", "c"}, {"a"}).node("Relu", {"a"}, {"b"}).node("Tanh", {"b"}, {"c"}).node("Relu", {"c"}, {"y"});
  EXPECT_THAT(error_of(m), HasSubstr("needs its own output, the graph has a cycle"));
  OnnxModel self;
  self.input("x", {1, 4}).output("y").node("Add", {"x", "y"}, {"y"});
  EXPECT_THAT(error_of(self), HasSubstr("node 0 'Add_y' (Add): needs its own output"));
}

TEST(OnnxMalformed, DuplicateNames) {
  OnnxModel m = relu();
  m.node("Tanh", {"x"}, {"y"});
  EXPECT_THAT(error_of(m), HasSubstr("node 1 'Tanh_y' (Tanh): its output 'y' is already made"));
  OnnxModel w = relu();
  w.scalar("w", 1).scalar("w", 2);
  EXPECT_THAT(error_of(w), HasSubstr("two values have the name 'w'"));
  OnnxModel input = relu();
  input.input("x", {1, 4});
  EXPECT_THAT(error_of(input), HasSubstr("two values have the name 'x'"));
  OnnxModel shadow = relu();
  shadow.node("Tanh", {"x"}, {"x"});
  EXPECT_THAT(error_of(shadow), HasSubstr("its output 'x' is already made"));
}

TEST(OnnxMalformed, MissingValues) {
  OnnxModel m;
  m.input("x", {1, 4}).output("y").node("Add", {"x", "nothing"}, {"y"});
  EXPECT_THAT(error_of(m), HasSubstr("node 0 'Add_y' (Add): its input 'nothing' is made by no node"));
  OnnxModel output = relu();
  output.output("z");
  EXPECT_THAT(error_of(output), HasSubstr("network output 'z' is made by no node"));
}

TEST(OnnxMalformed, ResultsThatAnOperatorDoesNotHave) {
  OnnxModel m;
  m.input("x", {1, 4}).output("y").node("Shape", {"x"}, {"s", "t"}).node("Add", {"x", "t"}, {"y"});
  EXPECT_THAT(error_of(m), HasSubstr("node 0 'Shape_s' (Shape)"));
  OnnxModel folded;
  folded.input("x", {1, 4}).output("y").int64s("w", {4}).node("Identity", {"w"}, {"v", "u"});
  folded.node("Add", {"x", "u"}, {"y"});
  EXPECT_THAT(error_of(folded), HasSubstr("node 0 'Identity_v' (Identity): its output 1 is used"));
}

TEST(OnnxMalformed, WrongShapes) {
  OnnxModel conv;
  conv.input("x", {1, 3, 8, 8}).output("y").floats("w", {4, 2, 3, 3}, noise(72, 1));
  conv.node("Conv", {"x", "w"}, {"y"});
  EXPECT_THAT(error_of(conv), HasSubstr("weights [4, 2, 3, 3] in 1 groups do not fit the input [1, 3, 8, 8]"));
  OnnxModel add;
  add.input("x", {2, 3}).input("z", {2, 4}).output("y").node("Add", {"x", "z"}, {"y"});
  EXPECT_THAT(error_of(add), HasSubstr("shapes [2, 3] and [2, 4] cannot be broadcast"));
  OnnxModel reshape;
  reshape.input("x", {2, 3}).output("y").int64s("s", {-1, 4}).node("Reshape", {"x", "s"}, {"y"});
  EXPECT_THAT(error_of(reshape), HasSubstr("[2, 3] cannot become [-1, 4]"));
  OnnxModel gemm;
  gemm.input("x", {2, 3}).output("y").floats("b", {4, 5}, noise(20, 1)).node("Gemm", {"x", "b"}, {"y"});
  EXPECT_THAT(error_of(gemm), HasSubstr("matrices [2, 3] and [4, 5] do not fit each other"));
}

TEST(OnnxMalformed, WrongAttributes) {
  OnnxModel axis;
  axis.input("x", {2, 3}).output("y").node("Concat", {"x", "x"}, {"y"}, {{"axis", 5}});
  EXPECT_THAT(error_of(axis), HasSubstr("axis 5 is outside the 2 dimensions"));
  OnnxModel type;
  type.input("x", {2, 3}).output("y").node("Concat", {"x", "x"}, {"y"}, {{"axis", 1.0f}});
  EXPECT_THAT(error_of(type), HasSubstr("attribute 'axis' has type 1, not 2"));
  OnnxModel stride;
  stride.input("x", {1, 1, 8, 8}).output("y");
  stride.node("MaxPool", {"x"}, {"y"}, {{"kernel_shape", {2, 2}}, {"strides", {0, 1}}});
  EXPECT_THAT(error_of(stride), HasSubstr("'strides' has an entry of 0, outside 1 to 32768"));
  OnnxModel transposed;
  transposed.input("x", {1, 2}).output("y").node("Transpose", {"x"}, {"y"}, {{"perm", {0, 0}}});
  EXPECT_THAT(error_of(transposed), HasSubstr("[0, 0] is no permutation"));
  OnnxModel many;
  many.input("x", {2, 3}).output("y").node("Relu", {"x", "x"}, {"y"});
  EXPECT_THAT(error_of(many), HasSubstr("has 2 inputs, expected 1"));
}

TEST(OnnxMalformed, Versions) {
  OnnxModel old(6);
  old.input("x", {1}).output("y").node("Relu", {"x"}, {"y"});
  EXPECT_THAT(error_of(old), HasSubstr("opset 6 is not supported"));
  OnnxModel none = relu();
  none.proto.clear_opset_import();
  EXPECT_THAT(error_of(none), HasSubstr("names no opset"));
  EXPECT_THAT(error_of(std::vector<std::uint8_t>{}), HasSubstr("it has no graph"));
}

TEST(OnnxMalformed, UnsupportedTypesAndPlaces) {
  OnnxModel half = relu();
  half.raw("w", {1}, onnx::TensorProto::FLOAT16, "1");
  EXPECT_THAT(error_of(half), HasSubstr("initializer 0 ('w'): 1 bytes of raw data, shape [1] of FLOAT16 needs 2"));
  OnnxModel external = relu();
  external.raw("w", {1}, onnx::TensorProto::FLOAT, "1234");
  external.proto.mutable_graph()->mutable_initializer(0)->set_data_location(1);
  EXPECT_THAT(error_of(external), HasSubstr("its data lies outside the file"));
  OnnxModel input;
  input.input("x", {1}, onnx::TensorProto::DOUBLE).output("y").node("Relu", {"x"}, {"y"});
  EXPECT_THAT(error_of(input), HasSubstr("input 'x' has type DOUBLE"));
}

}  // namespace
}  // namespace dse::nn::test::malformed_test
