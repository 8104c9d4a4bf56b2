#include "models/hw/ports/bank_timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
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
  EXPECT_EQ(of(8, 64), 64 * 32) << "four runs of two words in the same two banks";
  EXPECT_EQ(of(16, 64), 64 * 32) << "two runs of four words";
  EXPECT_EQ(of(32, 64), 64 * 32) << "as wide as the port: nothing waits";
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

/// Differential: cycles counted word by word, bank by bank.
TEST(Banks, AgreeWithCountingWordByWord) {
  std::mt19937 random(1);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (int i = 0; i < 5000; ++i) {
    const int banks = pick(2, 40), word = 1 << pick(0, 3), words = pick(2, std::min(banks, 16));
    const std::int64_t run = std::int64_t{word} * pick(1, 4), step = run + std::int64_t{word} * pick(0, 70);
    const std::int64_t each = run / word, together = words / each;
    if (together < 2) continue;
    const std::int64_t groups = pick(1, 6), bytes = run * together * groups;
    std::int64_t cycles = 0;
    for (std::int64_t g = 0; g < groups; ++g) {
      std::map<std::int64_t, std::int64_t> bank;  // of a group, as if it began in bank 0
      std::int64_t most = 0;
      for (std::int64_t r = 0; r < together; ++r)
        for (std::int64_t k = 0; k < each; ++k) most = std::max(most, ++bank[(r * step / word + k) % banks]);
      cycles += most;
    }
    const std::int64_t width = std::int64_t{words} * word;
    const auto got = BankTiming(banked(banks, word, width)).port_bytes(bytes, {run, bytes / run * step, step});
    ASSERT_EQ(got, cycles == groups ? bytes : cycles * width) << "round " << i;
  }
}

}  // namespace
}  // namespace dse::hw::bank_timing_test
