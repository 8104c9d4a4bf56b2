// The oracle's roundings against numbers worked out by hand, and where each mode differs from the next.
#include <gtest/gtest.h>

#include <cmath>

#include "arithmetic.h"

namespace dse::nn::oracle::oracle_test {
namespace {

TEST(OracleArithmetic, RoundsTiesAsNamed) {
  EXPECT_EQ(static_cast<int>(half_up(5, 2)), 3);
  EXPECT_EQ(static_cast<int>(half_up(-5, 2)), -2);
  EXPECT_EQ(static_cast<int>(half_away(-5, 2)), -3);
  EXPECT_EQ(static_cast<int>(half_even(5, 2)), 2);
  EXPECT_EQ(static_cast<int>(half_even(7, 2)), 4);
  EXPECT_EQ(static_cast<int>(half_even(-5, 2)), -2);
  EXPECT_EQ(static_cast<int>(half_even(-7, 2)), -4);
  EXPECT_EQ(static_cast<int>(half_even(-8, 3)), -3);
  EXPECT_EQ(wrap32(power(31)), INT32_MIN);
  EXPECT_EQ(wrap32(-power(31) - 1), INT32_MAX);
  EXPECT_THROW(fits32(power(31)), std::overflow_error);
}

TEST(OracleArithmetic, QuantizesMultipliers) {
  const auto half = quantize_multiplier(0.5);
  EXPECT_EQ(half.m, 1 << 30);
  EXPECT_EQ(half.shift, 0);
  const auto below_one = quantize_multiplier(std::nextafter(1.0, 0.0));  // rounds up to a power of two
  EXPECT_EQ(below_one.m, 1 << 30);
  EXPECT_EQ(below_one.shift, 1);
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, -40)).m, 0);
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, 40), Mode::single).shift, 30);
}

// -3 * 0.5 and 3 * 0.5 are ties; 5 * 0.25 - two roundings would see the 0.5 of the first and go on from there.
TEST(OracleArithmetic, EachModeHasItsOwnTies) {
  const Multiplier half{1 << 30, 0}, quarter{1 << 30, -1};
  const auto all = [](std::int64_t x, Multiplier m) {
    return std::array<int, 3>{mbqm32(x, m, Mode::tflite), mbqm32(x, m, Mode::single), mbqm32(x, m, Mode::onnx)};
  };
  EXPECT_EQ(all(3, half), (std::array<int, 3>{2, 2, 2}));
  EXPECT_EQ(all(-3, half), (std::array<int, 3>{-1, -1, -2}));
  EXPECT_EQ(all(5, half), (std::array<int, 3>{3, 3, 2}));
  EXPECT_EQ(all(5, quarter), (std::array<int, 3>{2, 1, 1}));
  EXPECT_EQ(all(-6, quarter), (std::array<int, 3>{-2, -1, -2}));
  EXPECT_EQ(all(-5, quarter), (std::array<int, 3>{-1, -1, -1}));
  EXPECT_EQ(srdhm(INT32_MIN, INT32_MIN), INT32_MAX);
}

TEST(OracleArithmetic, FixedPointFunctionsAreNearTheRealOnes) {
  const auto q = [](double v, int bits) { return static_cast<std::int64_t>(std::llround(std::ldexp(v, 31 - bits))); };
  const auto real = [](std::int64_t v, int bits) { return std::ldexp(static_cast<double>(v), bits - 31); };
  for (double x = 0.01; x < 15; x += 0.37) {
    EXPECT_NEAR(real(exp_negative(q(-x, 5), 5), 0), std::exp(-x), 1e-6) << x;
    EXPECT_NEAR(real(logistic_fixed(q(x, 4), 4), 0), 1 / (1 + std::exp(-x)), 1e-6) << x;
    EXPECT_NEAR(real(logistic_fixed(q(-x, 4), 4), 0), 1 / (1 + std::exp(x)), 1e-6) << x;
    EXPECT_NEAR(real(tanh_fixed(q(-x, 4), 4), 0), std::tanh(-x), 1e-6) << x;
    EXPECT_NEAR(real(log_fixed(q(1 + 100 * x, 12), 12), 5), std::log(1 + 100 * x), 1e-5) << x;
    int over = 0;
    const double mantissa = real(reciprocal_fixed(q(x, 4), 4, over), 0);
    EXPECT_NEAR(std::ldexp(mantissa, -over), 1 / x, 1e-6 / x) << x;
  }
  for (const std::int64_t n : {2, 3, 17, 400, 65025, 123456789, 2000000000}) {
    const Multiplier m = inverse_square_root(n);
    EXPECT_NEAR(std::ldexp(static_cast<double>(m.m), m.shift - 31), 1 / std::sqrt(static_cast<double>(n)), 1e-4) << n;
  }
}

Tensor tensor(std::vector<std::int64_t> shape, float scale, std::vector<std::int64_t> q, std::int64_t zero = 0) {
  Tensor t;
  t.shape = std::move(shape), t.scale = {scale}, t.zero = {zero}, t.q = std::move(q);
  return t;
}

// acc = 13 in Q.4, output Q.2: 13/4 = 3.25; factor 3: first rounded 3 * 3 = 9, or exactly 39/4 = 9.75 -> 10.
TEST(OracleQFormat, TheOrderOfTheCorrectionMatters) {
  const Tensor x = tensor({1, 1}, 0.25f, {13}), w = tensor({1, 1}, 0.25f, {1});
  Options o;
  o.mode = Mode::qformat;
  o.correction = {3};
  std::vector<Tensor> y = {tensor({1, 1}, 0.25f, {})};
  run("FULLY_CONNECTED", o, {&x, &w}, y);
  EXPECT_EQ(y[0].q.at(0), 9);
  o.correct_then_round = true;
  run("FULLY_CONNECTED", o, {&x, &w}, y);
  EXPECT_EQ(y[0].q.at(0), 10);
}

// Mean of (1, 2, 2, 5) - 4 * 0 = 10/4 = 2.5: half to even in onnx, once; away from zero in Q formats.
TEST(OracleModes, AveragesRoundOnceInOnnx) {
  const Tensor x = tensor({1, 2, 2, 1}, 1, {1, 2, 2, 5});
  Options o;
  o.filter_h = o.filter_w = 2;
  std::vector<Tensor> y = {tensor({1, 1, 1, 1}, 1, {})};
  o.mode = Mode::onnx;
  run("AVERAGE_POOL_2D", o, {&x}, y);
  EXPECT_EQ(y[0].q.at(0), 2);
  o.mode = Mode::qformat;
  run("AVERAGE_POOL_2D", o, {&x}, y);
  EXPECT_EQ(y[0].q.at(0), 3);
}

TEST(OracleModes, RefusesWhatItDoesNotKnow) {
  const Tensor x = tensor({1}, 1, {1});
  std::vector<Tensor> y = {x};
  EXPECT_THROW(run("NO_SUCH_OPERATOR", {}, {&x}, y), std::invalid_argument);
  EXPECT_THROW(run("ADD", {}, {&x, nullptr}, y), std::invalid_argument);
}

}  // namespace
}  // namespace dse::nn::oracle::oracle_test
