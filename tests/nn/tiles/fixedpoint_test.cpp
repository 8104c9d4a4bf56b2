// The primitives, and the multipliers that are derived for them, at their corners.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

#include "models/nn/kernels/dse_finish.h"
#include "models/nn/kernels/dse_fixedpoint.h"
#include "models/nn/quantize.h"

namespace dse::nn::test::fixedpoint_test {
namespace {

TEST(FixedPoint, HighMultiplyRoundsTiesUp) {
  EXPECT_EQ(dse_srdhm(DSE_INT32_MIN, DSE_INT32_MIN), DSE_INT32_MAX);
  EXPECT_EQ(dse_srdhm(1 << 30, 1), 1);      // 0.5
  EXPECT_EQ(dse_srdhm(-(1 << 30), 1), 0);   // -0.5
  EXPECT_EQ(dse_srdhm(-(1 << 30), 3), -1);  // -1.5
}

TEST(FixedPoint, DivisionRoundsTiesAwayFromZero) {
  EXPECT_EQ(dse_rounding_divide_by_pot(5, 1), 3);
  EXPECT_EQ(dse_rounding_divide_by_pot(-5, 1), -3);
  EXPECT_EQ(dse_rounding_divide_by_pot(DSE_INT32_MIN, 31), -1);
  EXPECT_EQ(dse_rounding_divide_by_pot(DSE_INT32_MAX, 31), 1);
  EXPECT_EQ(dse_rounding_divide_by_pot(7, 0), 7);
}

TEST(FixedPoint, RoundingModesDifferAtDoubleTies) {
  // 3 * (1/2 + 2^-32...) / 2: rounded twice it goes up twice, rounded once it does not.
  int differences = 0;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto x = static_cast<std::int32_t>(random() % 2000) - 1000;
    const auto m = static_cast<std::int32_t>(1 << 30) + static_cast<std::int32_t>(random() % (1 << 29));
    const int twice = dse_requantize(x, m, -5, DSE_ROUND_TFLITE), once = dse_requantize(x, m, -5, DSE_ROUND_SINGLE);
    EXPECT_LE(std::abs(twice - once), 1);
    differences += twice != once;
    const double exact = x * (m / 2147483648.0) / 32;
    EXPECT_EQ(once, static_cast<int>(std::floor(exact + 0.5)));
  }
  EXPECT_GT(differences, 0);
}

TEST(FixedPoint, HalvesGoToTheEvenInteger) {
  EXPECT_EQ(dse_half_even(5, 1), 2);
  EXPECT_EQ(dse_half_even(7, 1), 4);
  EXPECT_EQ(dse_half_even(-5, 1), -2);
  EXPECT_EQ(dse_half_even(-7, 1), -4);
  EXPECT_EQ(dse_half_even(-3, 62), 0);
  EXPECT_EQ(dse_requantize(1 << 30, 1 << 30, 30, DSE_ROUND_ONNX), DSE_INT32_MAX);
  for (std::int64_t n = 1; n <= 9; ++n)
    for (int r = 1; r <= 3; ++r)
      for (std::int64_t p = -400; p <= 400; ++p) {
        const std::int64_t q = n << r;
        std::int64_t floor = p / q - (p % q < 0 ? 1 : 0);
        const std::int64_t twice = 2 * (p - floor * q);
        if (twice > q || (twice == q && floor % 2 != 0)) ++floor;
        ASSERT_EQ(dse_half_even_quotient(p, n, r), floor) << p << " / " << q;
      }
}

TEST(FixedPoint, WideRequantisationCutsTheMultiplierTo16Bits) {
  EXPECT_EQ(dse_requantize_wide(std::int64_t{1} << 40, 1 << 30, -30), 512);
  EXPECT_EQ(dse_requantize_wide(3, 1 << 30, 0), 2);                        // 1.5
  EXPECT_EQ(dse_requantize_wide(-3, 1 << 30, 0), -1);                      // -1.5
  EXPECT_EQ(dse_requantize_wide(1 << 20, 0x7fffffff, 0), (1 << 20) - 32);  // 0x7fff / 2^15
}

TEST(FixedPoint, StoreOfAQFormat) {
  const auto store = [](std::int64_t acc, int factor, int t, int correction) {
    return dse_store_qformat(acc, factor, t, correction, -128, 127);
  };
  EXPECT_EQ(store(300, 3, 2, DSE_ROUND_THEN_CORRECT), 225);
  EXPECT_EQ(store(303, 3, 2, DSE_ROUND_THEN_CORRECT), 228);
  EXPECT_EQ(store(303, 3, 2, DSE_CORRECT_THEN_ROUND), 227);
  EXPECT_EQ(store(100000, 2, 2, DSE_ROUND_THEN_CORRECT), 254);  // saturated before the factor
  EXPECT_EQ(store(-5, 1, 1, DSE_CORRECT_THEN_ROUND), -2);       // -2.5
  EXPECT_EQ(store(-5, 7, -2, DSE_CORRECT_THEN_ROUND), -140);
  const std::int64_t most = std::int64_t{1} << 62;
  EXPECT_GT(store(most, 1 << 20, 46, DSE_CORRECT_THEN_ROUND), 32767);
  EXPECT_LT(store(-most, 1 << 20, -31, DSE_CORRECT_THEN_ROUND), -32768);
}

TEST(FixedPoint, ManySumsAreFinishedAsOne) {
  std::mt19937 random(2);
  const auto word = [&] { return static_cast<std::int32_t>(random()); };
  dse_op op{};
  for (int i = 0; i < 20000; ++i) {
    op.rounding = i % 8 == 0 ? DSE_ROUND_ONNX : DSE_ROUND_TFLITE;
    op.out_zero = static_cast<int>(random() % 256) - 128;
    op.act_min = -128 + static_cast<int>(random() % 64), op.act_max = 127 - static_cast<int>(random() % 64);
    const std::int32_t bias = random() % 2 ? word() >> random() % 32 : 0;
    const dse_record q{bias, (1 << 30) + (word() & ((1 << 30) - 1)), 3 - static_cast<int>(random() % 35)};
    std::int32_t sums[8];
    for (auto& v : sums) v = random() % 8 ? word() >> random() % 32 : DSE_INT32_MIN;
    std::int32_t many[8];
    std::copy(std::begin(sums), std::end(sums), many);
    dse_finish_many(&op, &q, many, 8);
    for (int k = 0; k < 8; ++k)
      ASSERT_EQ(many[k], dse_finish(&op, &q, sums[k]))
          << sums[k] << " " << q.bias << " " << q.multiplier << " " << q.shift;
  }
}

TEST(FixedPoint, ExponentialAndReciprocalAreCloseToTheReals) {
  for (int a = 0; a > -(31 << 26); a -= 1234567) {
    const double real = std::exp(a / std::ldexp(1.0, 26)) * 2147483648.0;
    EXPECT_NEAR(dse_exp_neg_q5(a), real, 2e-7 * 2147483648.0) << a;
  }
  for (std::int64_t a = 0; a <= DSE_INT32_MAX; a += 12345678) {
    const double x = static_cast<double>(a) / 2147483648.0;
    EXPECT_NEAR(dse_one_over_one_plus(static_cast<std::int32_t>(a)), 2147483648.0 / (1 + x), 20.0) << a;
  }
}

TEST(Quantize, MultipliersAreNormalised) {
  EXPECT_EQ(quantize_multiplier(0.0).multiplier, 0);
  EXPECT_EQ(quantize_multiplier(1.0).multiplier, 1 << 30);
  EXPECT_EQ(quantize_multiplier(1.0).shift, 1);
  const Multiplier carry = quantize_multiplier(std::nextafter(1.0, 0.0));  // rounds up to 1
  EXPECT_EQ(carry.multiplier, 1 << 30);
  EXPECT_EQ(carry.shift, 1);
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, -40)).multiplier, 0);
  const Multiplier m = quantize_multiplier(0.3);
  EXPECT_NEAR(m.multiplier * std::ldexp(1.0, m.shift - 31), 0.3, 1e-9);
}

TEST(Quantize, ActivationRangesAreThoseOfTheOutput) {
  const auto r6 = activation_range(Activation::relu6, 0.05f, -128);
  EXPECT_EQ(r6.min, -128);
  EXPECT_EQ(r6.max, -8);
  const auto n1 = activation_range(Activation::relu_n1_to_1, 0.01f, 3);
  EXPECT_EQ(n1.min, -97);
  EXPECT_EQ(n1.max, 103);
  EXPECT_EQ(activation_range(Activation::relu, 0.1f, 20).min, 20);
  EXPECT_EQ(activation_range(Activation::relu6, 1e-30f, 0).max, 127);
}

TEST(Quantize, WindowsFollowTheReferencesPadding) {
  EXPECT_EQ(window(32, 3, 2, 1, true).out, 16);
  EXPECT_EQ(window(32, 3, 2, 1, true).pad_before, 0);  // the odd pixel goes after
  EXPECT_EQ(window(49, 10, 2, 1, true).pad_before, 4);
  EXPECT_EQ(window(5, 3, 1, 2, false).out, 1);
  EXPECT_LT(window(4, 3, 1, 2, false).out, 1);
}

}  // namespace
}  // namespace dse::nn::test::fixedpoint_test
