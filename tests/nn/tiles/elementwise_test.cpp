// Element-wise operators: broadcasting against plain loops, the modes onnx and qformat at values worked out by hand,
// and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/nn/tiles/one_elementwise.h"

namespace dse::nn::test::elementwise_test {
namespace {

using Shape = std::vector<std::int64_t>;

/// Index into an operand of shape `from` for the row-major index `i` of `to`.
std::size_t index_in(const Shape& from, const Shape& to, std::int64_t i) {
  std::int64_t at = 0, step = 1;
  for (std::size_t d = 0; d < to.size(); ++d) {
    const std::int64_t coordinate = i % to[to.size() - 1 - d];
    i /= to[to.size() - 1 - d];
    if (d >= from.size()) continue;
    const std::int64_t extent = from[from.size() - 1 - d];
    if (extent > 1) at += coordinate * step;
    step *= extent;
  }
  return static_cast<std::size_t>(at);
}

void expect_broadcast(const Shape& a, const Shape& b, const Shape& out, std::size_t calls) {
  OneOperator one(OperatorKind::minimum);
  one.input(DataType::int16, a, 1.0f).input(DataType::int16, b, 1.0f).output(DataType::int16, out, 1.0f);
  const auto n = one.finish();
  ASSERT_TRUE(n) << one.problems();
  EXPECT_EQ(n->operators[0].calls.size(), calls) << text_of_shape(out);
  std::vector<std::int64_t> va, vb, expected;
  for (std::int64_t i = 0; i < n->tensors[0].elements(); ++i) va.push_back((i * 7919) % 30011 - 15000);
  for (std::int64_t i = 0; i < n->tensors[1].elements(); ++i) vb.push_back((i * 104729) % 29989 - 15000);
  for (std::int64_t i = 0; i < n->tensors[2].elements(); ++i)
    expected.push_back(std::min(va[index_in(a, out, i)], vb[index_in(b, out, i)]));
  EXPECT_EQ(one.run({va, vb}), expected) << text_of_shape(a) << " " << text_of_shape(b);
}

TEST(Broadcast, EqualsPlainLoopsInAnyNumberOfDimensions) {
  expect_broadcast({5}, {5}, {5}, 1);
  expect_broadcast({1}, {7, 5}, {7, 5}, 1);
  expect_broadcast({7, 1}, {1, 5}, {7, 5}, 1);
  expect_broadcast({4, 3}, {6, 4, 3}, {6, 4, 3}, 1);
  expect_broadcast({1, 6, 1, 3}, {4, 1}, {1, 6, 4, 3}, 1);
  expect_broadcast({2, 6, 4, 3}, {2, 6, 4, 3}, {2, 6, 4, 3}, 1);
  expect_broadcast({2, 6, 4, 3}, {3}, {2, 6, 4, 3}, 1);           // merged: [48, 3]
  expect_broadcast({2, 1, 4, 1}, {1, 6, 1, 3}, {2, 6, 4, 3}, 2);  // nothing can be merged
  expect_broadcast({2, 1, 4, 1, 2}, {6, 1, 3, 1}, {2, 6, 4, 3, 2}, 12);
  expect_broadcast({2, 2, 1, 2, 1, 2, 1}, {1, 2, 3, 1, 2, 1, 2}, {2, 2, 3, 2, 2, 2, 2}, 2 * 2 * 3 * 2);
  expect_broadcast({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}, 1);
}

TEST(Broadcast, RefusesWhatDoesNotFitAndWhatTakesTooManyCalls) {
  OneOperator shapes(OperatorKind::maximum);
  shapes.input(DataType::int8, {3, 4}, 1.0f).input(DataType::int8, {3}, 1.0f).output(DataType::int8, {3, 4}, 1.0f);
  EXPECT_FALSE(shapes.finish());
  EXPECT_NE(shapes.problems().find("inputs [3, 4] and [3] are not broadcast to [3, 4]"), std::string::npos)
      << shapes.problems();
  OneOperator calls(OperatorKind::maximum);
  calls.input(DataType::int8, {100, 1, 2, 1, 2, 1}, 1.0f)
      .input(DataType::int8, {1, 50, 1, 2, 1, 2}, 1.0f)
      .output(DataType::int8, {100, 50, 2, 2, 2, 2}, 1.0f);
  EXPECT_FALSE(calls.finish());
  EXPECT_NE(calls.problems().find("takes 10000 calls"), std::string::npos) << calls.problems();
}

/// One pair of values in, one value out.
std::int64_t of_two(OperatorKind kind, Rounding mode, DataType type, float sa, float sb, float so, std::int64_t a,
                    std::int64_t b) {
  OneOperator one(kind);
  one.options().rounding = mode;
  one.input(type, {1}, sa).input(type, {1}, sb).output(type, {1}, so);
  EXPECT_TRUE(one.finish()) << one.problems();
  return one.run({{a}, {b}}).at(0);
}

TEST(Modes, OnnxRoundsTiesToEven) {
  const auto add = [](std::int64_t a, std::int64_t b) {
    return of_two(OperatorKind::add, Rounding::onnx, DataType::int8, 0.5f, 0.5f, 1.0f, a, b);
  };
  EXPECT_EQ(add(1, 0), 0);   // 0.5
  EXPECT_EQ(add(1, 2), 2);   // 1.5
  EXPECT_EQ(add(-1, 0), 0);  // -0.5
  EXPECT_EQ(add(-2, -3), -2);
  const auto mul = [](std::int64_t a, std::int64_t b) {
    return of_two(OperatorKind::mul, Rounding::onnx, DataType::int8, 0.5f, 1.0f, 1.0f, a, b);
  };
  EXPECT_EQ(mul(5, 1), 2);
  EXPECT_EQ(mul(7, 1), 4);
  EXPECT_EQ(mul(100, 100), 127);
  const auto div = [](std::int64_t a, std::int64_t b) {
    return of_two(OperatorKind::div, Rounding::onnx, DataType::int8, 1.0f, 1.0f, 1.0f, a, b);
  };
  EXPECT_EQ(div(5, 2), 2);
  EXPECT_EQ(div(7, 2), 4);
  EXPECT_EQ(div(-7, 2), -4);
  EXPECT_EQ(div(7, -3), -2);
  EXPECT_EQ(div(1, 0), 127);
  EXPECT_EQ(div(-1, 0), -128);
  EXPECT_EQ(div(0, 0), 0);
}

TEST(Modes, QFormatsRoundTiesUpwardsAndSaturate) {
  const auto add = [](std::int64_t a, std::int64_t b) {
    // Q.3 + Q.5 -> Q.4
    return of_two(OperatorKind::add, Rounding::qformat, DataType::int8, 0.125f, 0.03125f, 0.0625f, a, b);
  };
  EXPECT_EQ(add(1, 1), 3);     // (4 + 1) / 2 = 2.5
  EXPECT_EQ(add(-1, -1), -2);  // -2.5
  EXPECT_EQ(add(127, 127), 127);
  EXPECT_EQ(of_two(OperatorKind::mul, Rounding::qformat, DataType::int16, 1.0f / 32768, 1.0f / 32768, 1.0f / 32768,
                   -32768, -32768),
            32767);
  EXPECT_EQ(of_two(OperatorKind::maximum, Rounding::qformat, DataType::int8, 0.5f, 0.25f, 1.0f, 3, 5), 2);  // 1.5
  EXPECT_EQ(of_two(OperatorKind::sub, Rounding::qformat, DataType::int8, 1.0f, 1.0f, 1.0f / 1024, 1, 2), -128);
}

TEST(Modes, DivisionByZeroIsTheLimitOfTheDividendsSide) {
  for (const Rounding mode : {Rounding::tflite, Rounding::single}) {
    EXPECT_EQ(of_two(OperatorKind::div, mode, DataType::int8, 1.0f, 1.0f, 1.0f, 3, 0), 127);
    EXPECT_EQ(of_two(OperatorKind::div, mode, DataType::int8, 1.0f, 1.0f, 1.0f, -3, 0), -128);
    EXPECT_EQ(of_two(OperatorKind::div, mode, DataType::int8, 1.0f, 1.0f, 1.0f, 0, 0), 0);
    EXPECT_EQ(of_two(OperatorKind::div, mode, DataType::int8, 1.0f, 1.0f, 1.0f, 100, 5), 20);
    EXPECT_EQ(of_two(OperatorKind::div, mode, DataType::int8, 1.0f, 1.0f, 1.0f / 64, 1, -1), -64);
  }
}

std::vector<std::int64_t> quantized(Rounding mode, DataType type, float scale, const std::vector<float>& values) {
  OneOperator one(OperatorKind::quantize);
  one.options().rounding = mode;
  const Shape shape{static_cast<std::int64_t>(values.size())};
  one.real_input(shape).output(type, shape, scale);
  EXPECT_TRUE(one.finish()) << one.problems();
  return one.run_reals(values);
}

TEST(Quantize, OfFloatsRoundsTiesByModeAndSaturates) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{0.5f, 1.5f, 2.5f, -0.5f, -2.5f, 0.49999997f, 8388609.0f, 1e30f, -inf, nan};
  EXPECT_EQ(quantized(Rounding::tflite, DataType::int16, 1.0f, values),
            (std::vector<std::int64_t>{1, 2, 3, -1, -3, 0, 32767, 32767, -32768, 0}));
  EXPECT_EQ(quantized(Rounding::onnx, DataType::int16, 1.0f, values),
            (std::vector<std::int64_t>{0, 2, 2, 0, -2, 0, 32767, 32767, -32768, 0}));
  EXPECT_EQ(quantized(Rounding::tflite, DataType::int32, 1.0f, {8388609.0f, 3e9f, -3e9f}),
            (std::vector<std::int64_t>{8388609, 2147483647, -2147483648}));
}

TEST(Unary, LimitsOfClipAreThoseOfTheOutput) {
  OneOperator one(OperatorKind::clip);
  one.options().rounding = Rounding::onnx;
  one.options().clip_min = -1.0f, one.options().clip_max = std::numeric_limits<float>::infinity();
  one.input(DataType::int8, {4}, 0.5f).output(DataType::uint8, {4}, 0.25f, 100);
  ASSERT_TRUE(one.finish()) << one.problems();
  EXPECT_EQ(one.run({{-128, -3, 3, 127}}), (std::vector<std::int64_t>{96, 96, 106, 255}));
}

TEST(Unary, NegativeOfTheLeastValueSaturates) {
  OneOperator one(OperatorKind::neg);
  one.input(DataType::int16, {3}, 1.0f).output(DataType::int16, {3}, 1.0f);
  ASSERT_TRUE(one.finish()) << one.problems();
  EXPECT_EQ(one.run({{-32768, 5, 32767}}), (std::vector<std::int64_t>{32767, -5, -32767}));
}

TEST(Unary, WhatTheReferenceDoesNotKnowIsRefused) {
  OneOperator logistic(OperatorKind::logistic);
  logistic.input(DataType::int8, {4}, 0.1f).output(DataType::int8, {4}, 0.1f);
  EXPECT_FALSE(logistic.finish());
  EXPECT_NE(logistic.problems().find("not 0.00390625 and -128"), std::string::npos) << logistic.problems();
  OneOperator swish(OperatorKind::hard_swish);
  swish.input(DataType::int16, {4}, 0.1f).output(DataType::int16, {4}, 0.1f);
  EXPECT_FALSE(swish.finish());
  OneOperator format(OperatorKind::relu);
  format.options().rounding = Rounding::qformat;
  format.input(DataType::int8, {4}, 0.1f).output(DataType::int8, {4}, 0.5f);
  EXPECT_FALSE(format.finish());
  EXPECT_NE(format.problems().find("no Q format"), std::string::npos) << format.problems();
  OneOperator ratio(OperatorKind::mul);
  ratio.input(DataType::int8, {4}, 1e20f).input(DataType::int8, {4}, 1e20f).output(DataType::int8, {4}, 1e-20f);
  EXPECT_FALSE(ratio.finish());
}

TEST(Softmax, OverAnInnerAxisEqualsTheTransposed) {
  const auto run = [](Shape shape, int axis, Rounding mode, const std::vector<std::int64_t>& values) {
    OneOperator one(OperatorKind::softmax);
    one.options().rounding = mode, one.options().axis = axis;
    one.input(DataType::int8, shape, 0.1f).output(DataType::int8, shape, 1.0f / 256, -128);
    EXPECT_TRUE(one.finish()) << one.problems();
    return one.run({values});
  };
  std::vector<std::int64_t> values, transposed(2 * 5 * 3);
  for (std::int64_t i = 0; i < 2 * 5 * 3; ++i) values.push_back((i * 37) % 101 - 50);
  const auto at = [](std::size_t n, std::size_t c, std::size_t x) { return (n * 5 + c) * 3 + x; };
  const auto to = [](std::size_t n, std::size_t c, std::size_t x) { return (n * 3 + x) * 5 + c; };
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t c = 0; c < 5; ++c)
      for (std::size_t x = 0; x < 3; ++x) transposed[to(n, c, x)] = values[at(n, c, x)];
  const auto inner = run({2, 5, 3}, 1, Rounding::onnx, values), last = run({2, 3, 5}, 0, Rounding::tflite, transposed);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t c = 0; c < 5; ++c)
      for (std::size_t x = 0; x < 3; ++x) EXPECT_EQ(inner[at(n, c, x)], last[to(n, c, x)]);
}

TEST(Softmax, OfEqualValuesIsUniform) {
  OneOperator one(OperatorKind::softmax);
  one.input(DataType::int16, {1, 4}, 1.0f / 1024).output(DataType::int16, {1, 4}, 1.0f / 32768);
  ASSERT_TRUE(one.finish()) << one.problems();
  for (const auto v : one.run({{5, 5, 5, 5}})) EXPECT_NEAR(static_cast<double>(v), 8192.0, 2.0);
}

}  // namespace
}  // namespace dse::nn::test::elementwise_test
