// Worker processes: what an interruption leaves.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>

#include "explore/pool.h"

namespace dse::explore {
namespace {

/// Item 0 is quick and interrupts; item 1 is under way then; items from 2 on have not begun.
TEST(PoolInterrupt, InterruptedItemsAreFinishedOrAbandoned) {
  for (const auto when : {WhenInterrupted::finish, WhenInterrupted::abandon}) {
    std::atomic<bool> interrupted{false};
    const auto start = std::chrono::steady_clock::now();
    const int seconds = when == WhenInterrupted::finish ? 1 : 300;
    PoolOptions options;
    options.jobs = 2, options.interrupted = &interrupted, options.when = when;
    PoolEvents events;
    events.on_done = [&](std::int64_t, const std::string&) { interrupted = true; };
    const auto out = fork_map(
        5, options,
        [&](std::int64_t i, Post&) {
          if (i > 0) ::sleep(static_cast<unsigned>(seconds));
          return std::string("done");
        },
        events);
    EXPECT_EQ(out[0], "done");
    EXPECT_EQ(out[1].has_value(), when == WhenInterrupted::finish);
    for (std::size_t i = 2; i < 5; ++i) EXPECT_FALSE(out[i].has_value());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(150));
  }
}

}  // namespace
}  // namespace dse::explore
