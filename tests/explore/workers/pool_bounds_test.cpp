// Worker processes: an end for what does not heed one, and a bound on what each may allocate.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "explore/workers/pool.h"
#include "tests/support/slow.h"

namespace dse::explore::pool_bounds_test {
namespace {

TEST(PoolBounds, WhatDoesNotEndIsGivenUpAtTheEnd) {
  PoolOptions options;
  options.jobs = 2;
  options.end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  const auto out = fork_map(4, options, [](std::int64_t i, Post&) {
    if (i > 0) ::sleep(300);
    return std::string("done");
  });
  EXPECT_EQ(out[0], "done");
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(out[i].has_value());
}

TEST(PoolBounds, AWorkerThatWantsMoreMemoryThanItMayHaveLosesItsItem) {
  if (test::kSanitized)
    GTEST_SKIP() << "its allocator ends the program where there is no memory, and its shadow counts";
  PoolOptions options;
  options.memory = std::int64_t{64} << 20;
  std::vector<std::string> how;
  PoolEvents events;
  events.on_lost = [&](const Lost& loss) {
    EXPECT_TRUE(loss.exhausted);
    how.push_back(loss.how);
    return AfterLoss::give_up;
  };
  const auto out = fork_map(
      2, options,
      [](std::int64_t i, Post&) {
        const std::vector<char> much(std::size_t{i == 0 ? 512u : 16u} << 20, 'x');
        return std::string(1, much[static_cast<std::size_t>(i) * 1000]);
      },
      events);
  EXPECT_FALSE(out[0].has_value());
  EXPECT_EQ(out[1], "x");
  EXPECT_THAT(how, ::testing::ElementsAre("out of memory"));
}

}  // namespace
}  // namespace dse::explore::pool_bounds_test
