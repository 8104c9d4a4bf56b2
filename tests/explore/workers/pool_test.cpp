#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <stdexcept>

#include "tests/explore/workers/pool_support.h"

namespace dse::explore::pool_test {
namespace {

using ::testing::HasSubstr;

std::string square(std::int64_t i) { return std::to_string(i * i); }

TEST(Pool, ResultsComeByItemWhateverTheNumberOfWorkers) {
  for (const int jobs : {1, 2, 5, 100}) {
    std::multiset<std::int64_t> told;
    PoolEvents events;
    events.forget = jobs == 1;
    events.on_done = [&](std::int64_t i, const std::string& bytes) {
      told.insert(i);
      EXPECT_EQ(bytes, square(i));
    };
    const auto results = fork_map(
        40, with(jobs),
        [](std::int64_t i, Post&) {
          ::usleep(static_cast<useconds_t>((40 - i) % 7 * 300));  // so that they end out of order
          return square(i);
        },
        events);
    ASSERT_EQ(results.size(), 40u);
    for (std::int64_t i = 0; i < 40; ++i) {
      ASSERT_TRUE(results[i]);
      EXPECT_EQ(*results[i], events.forget ? "" : square(i));
      EXPECT_EQ(told.count(i), 1u);
    }
    EXPECT_TRUE(no_children_left());
  }
}

TEST(Pool, NothingToDo) {
  EXPECT_TRUE(fork_map(0, with(4), [](std::int64_t, Post&) { return std::string(); }).empty());
}

TEST(Pool, WorkersAreProcessesOfTheirOwnThatSeeTheParentsMemory) {
  int seen = 41;
  const auto results = fork_map(
      3, with(1), [&](std::int64_t, Post&) { return std::to_string(::getpid()) + ":" + std::to_string(++seen); });
  EXPECT_EQ(seen, 41);
  EXPECT_THAT(*results[0], HasSubstr(":42"));
  EXPECT_THAT(*results[2], HasSubstr(":44")) << "one worker did all three";
  EXPECT_NE(results[0]->substr(0, results[0]->find(':')), std::to_string(::getpid()));
}

TEST(Pool, LargeResultsAndEmptyOnes) {
  const auto results = fork_map(
      4, with(2), [](std::int64_t i, Post&) { return std::string(i % 2 ? 0 : 5'000'000, static_cast<char>('a' + i)); });
  EXPECT_EQ(*results[0], std::string(5'000'000, 'a'));
  EXPECT_EQ(*results[1], "");
  EXPECT_EQ(results[2]->size(), 5'000'000u);
}

TEST(Pool, AnExceptionInAWorkerIsTheCallersException) {
  for (const int jobs : {1, 3}) {
    try {
      fork_map(10, with(jobs), [](std::int64_t i, Post&) -> std::string {
        if (i == 4) throw std::runtime_error("item four is bad");
        return "";
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "item four is bad");
    }
    EXPECT_TRUE(no_children_left());
  }
}

TEST(Pool, ADeadWorkerIsAnErrorAndLeavesNoProcessBehind) {
  for (const int jobs : {1, 3}) {
    EXPECT_THROW(fork_map(10, with(jobs),
                          [](std::int64_t i, Post&) -> std::string {
                            if (i == 4) ::_exit(3);
                            return "";
                          }),
                 std::runtime_error);
    EXPECT_TRUE(no_children_left());
  }
}

TEST(Pool, AnInterruptionStartsNothingNewAndKeepsWhatIsDone) {
  std::atomic<bool> interrupted = false;
  int done = 0;
  PoolOptions options = with(2);
  options.interrupted = &interrupted;
  PoolEvents events;
  events.on_done = [&](std::int64_t, const std::string&) {
    if (++done >= 5) interrupted = true;
  };
  const auto kept = fork_map(
      100, options, [](std::int64_t i, Post&) { return square(i); }, events);
  int results_kept = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    results_kept += kept[i].has_value();
    EXPECT_EQ(kept[i].value_or(square(static_cast<std::int64_t>(i))), square(static_cast<std::int64_t>(i)));
  }
  EXPECT_GE(results_kept, 5);
  EXPECT_LE(results_kept, 6) << "one more may have been under way";
  EXPECT_EQ(results_kept, done);
  EXPECT_TRUE(no_children_left());
}

TEST(Pool, InterruptedBeforeItBeginsItDoesNothing) {
  const std::atomic<bool> interrupted = true;
  PoolOptions options = with(2);
  options.interrupted = &interrupted;
  for (const auto& r : fork_map(5, options, [](std::int64_t i, Post&) { return square(i); })) EXPECT_FALSE(r);
}

}  // namespace
}  // namespace dse::explore::pool_test
