// ONNX graphs whose ports are bent: outputs that are inputs or constants, listed twice, made by nobody.
#include <gmock/gmock.h>

#include "quantized_files.h"

namespace dse::nn::test::odd_ports_test {
namespace {

using ::testing::HasSubstr;

/// x -> DQ -> Relu -> Q -> y on [1, 3, 2, 2] of INT8, channels first.
OnnxModel relu_file() {
  OnnxModel m{13};
  const Map x = map_of(3, 2, 2, 0.02, 3, true, 1);
  m.input("x", {1, 3, 2, 2}, i8);
  add_quantization(m, "x", x);
  m.node("DequantizeLinear", {"x", "x_s", "x_z"}, {"x_f"}).node("Relu", {"x_f"}, {"r"});
  add_quantization(m, "y", like(0.02, -128, true));
  m.node("QuantizeLinear", {"r", "y_s", "y_z"}, {"y"});
  return m;
}

/// Outputs as the file lists them, of `x` = 0, 1, 2, ...: distinct tensors that operators make.
TensorBytes outputs_of(const Imported& made) {
  std::vector<std::uint8_t> x(12);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint8_t>(i);
  const auto all = interpret(*made.network, {x});
  TensorBytes out;
  for (const int t : made->outputs) {
    EXPECT_GE(made->producer(t), 0);
    out.push_back(all[static_cast<std::size_t>(t)]);
  }
  return out;
}

TEST(OddOnnxPorts, OutputsTwiceInputsAndConstantsAreCopied) {
  auto plain = relu_file();
  const auto expected = outputs_of(import(plain.output("y")));
  auto odd = relu_file();
  odd.int8s("c", {1, 3}, {7, 8, 9});
  const auto made = import(odd.output("y").output("x").output("c").output("y").output("x"));
  ASSERT_TRUE(made.network) << made.errors;
  const auto out = outputs_of(made);
  ASSERT_EQ(out.size(), 5u);
  std::vector<std::uint8_t> x(12);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(out[0], expected[0]);
  EXPECT_EQ(out[3], expected[0]);
  EXPECT_EQ(out[2], (std::vector<std::uint8_t>{7, 8, 9}));
  EXPECT_EQ(out[1], x);
  EXPECT_EQ(out[4], x);
}

TEST(OddOnnxPorts, ANetworkThatOnlyHandsOnIsACopy) {
  OnnxModel m{13};
  m.input("x", {1, 3, 2, 2}, i8).output("x");
  const auto made = import(m);
  ASSERT_TRUE(made.network) << made.errors;
  EXPECT_EQ(made->operators.size(), 1u);
}

TEST(OddOnnxPorts, WhatNobodyMakesOrListsTwiceIsRefusedOnce) {
  auto nobody = relu_file();
  EXPECT_THAT(import(nobody.output("z")).errors, HasSubstr("network output 'z' is made by no node"));
  auto twice = relu_file();
  twice.input("x", {1, 3, 2, 2}, i8).output("y");
  const auto made = import(twice);
  ASSERT_FALSE(made.network);
  EXPECT_EQ(std::count(made.errors.begin(), made.errors.end(), '\n'), 1) << made.errors;
  OnnxModel nothing{13};
  nothing.input("x", {1, 4}, i8);
  EXPECT_FALSE(import(nothing).network);
}

}  // namespace
}  // namespace dse::nn::test::odd_ports_test
