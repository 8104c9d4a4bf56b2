#include "models/hw/ports/bank_timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace dse::hw::bank_timing_test {
namespace {

Memory banked(int banks, std::int64_t word, std::int64_t width) {
  Memory m;
  m.banks = banks, m.bank_word = word, m.width = {width, 1};
  return m;
}

TEST(Banks, WordsThatLieApartByAllBanksTakeTurns) {
  const BankTiming b(banked(16, 4, 32));
  const auto of = [&](std::int64_t run, std::int64_t step) { return b.port_bytes(64 * run, {run, 64 * step, step}); };
  EXPECT_EQ(of(4, 64), 64 * 32) << "a word per cycle of 32 bytes";
  EXPECT_EQ(of(4, 128), 64 * 32);
  EXPECT_EQ(of(4, 32), 64 * 16) << "two banks give four words each";
  EXPECT_EQ(of(4, 8), 64 * 4) << "eight banks, each a word";
  EXPECT_EQ(of(4, 68), 64 * 4);
  EXPECT_EQ(of(8, 64), 64 * 32) << "runs of two words in the same two banks";
  EXPECT_EQ(of(16, 64), 64 * 32) << "of four words";
  EXPECT_EQ(of(32, 64), 64 * 32) << "as wide as the port: nothing waits";
  EXPECT_EQ(of(33, 64), 64 * 36) << "whole words";
  EXPECT_EQ(of(1, 64), 64 * 32) << "a byte takes a word";
  EXPECT_EQ(of(1, 68), 64 * 4);
  EXPECT_EQ(of(1, 2), 64 * 2) << "every other byte: all words between are moved";
}

TEST(Banks, WithoutGapsOrWordsNothingConflicts) {
  EXPECT_EQ(BankTiming(banked(16, 4, 32)).port_bytes(1000, {}), 1000);
  EXPECT_FALSE(BankTiming(banked(16, 0, 32)).conflicts());
  EXPECT_FALSE(BankTiming(banked(1, 4, 4)).conflicts());
  EXPECT_FALSE(BankTiming(banked(16, 4, 4)).conflicts()) << "one word per cycle";
  EXPECT_EQ(BankTiming(banked(16, 4, 4)).port_bytes(64, {4, 1024, 64}), 64);
}

/// Differential: the words of each bank counted one by one.
TEST(Banks, AgreeWithCountingWordByWord) {
  std::mt19937 random(1);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (int i = 0; i < 5000; ++i) {
    const int banks = pick(2, 40), word = 1 << pick(0, 3), words = pick(2, std::min(banks, 16)), each = pick(1, 4);
    const std::int64_t run = std::int64_t{word} * each, step = run + std::int64_t{word} * pick(0, 70);
    // Few runs, or as many as bring each bank around again.
    const std::int64_t runs = i % 2 ? pick(2, 3) : std::int64_t{banks} * pick(1, 3);
    const std::int64_t around = std::int64_t{banks} * word, period = around / std::gcd(step, around);
    if (runs > period && runs % period) continue;  // what is left of a period counts by its share
    std::map<std::int64_t, std::int64_t> bank;
    std::int64_t most = 0;
    for (std::int64_t r = 0; r < runs; ++r)
      for (int k = 0; k < each; ++k) most = std::max(most, ++bank[(r * step / word + k) % banks]);
    const std::int64_t want = std::max(runs * each, most * words) * word;
    ASSERT_EQ(
        BankTiming(banked(banks, word, std::int64_t{words} * word)).port_bytes(runs * run, {run, runs * step, step}),
        want)
        << "round " << i;
  }
}

/// In cycles, whatever the stride: a wider port, or twice the banks, is never slower.
TEST(Banks, AreNeverSlowerWithMore) {
  std::mt19937 random(2);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (int i = 0; i < 5000; ++i) {
    const int word = 1 << pick(0, 3), run = pick(1, 24), runs = pick(2, 200);
    const std::int64_t step = run + pick(0, 300);
    const auto cycles = [&](int banks, int words) {
      const std::int64_t width = std::int64_t{words} * word;
      return static_cast<double>(BankTiming(banked(banks, word, width))
                                     .port_bytes(std::int64_t{runs} * run, {run, runs * step, step})) /
             static_cast<double>(width);
    };
    const int words = pick(2, 8), banks = 8 + pick(0, 40);
    const double most_of_rounding = 1.0 / (words * word);  // a byte
    EXPECT_LE(cycles(banks, words + 1), cycles(banks, words) + most_of_rounding) << "round " << i;
    EXPECT_LE(cycles(2 * banks, words), cycles(banks, words) + most_of_rounding) << "round " << i;
  }
}

}  // namespace
}  // namespace dse::hw::bank_timing_test
