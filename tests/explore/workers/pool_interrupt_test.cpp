// Worker processes: what an interruption leaves.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "explore/workers/pool.h"

namespace dse::explore::pool_interrupt_test {
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

/// Abandoned half-way, an item leaves all that it has told.
TEST(PoolInterrupt, WhatAnAbandonedItemHasToldArrives) {
  std::atomic<bool> interrupted{false};
  PoolOptions options;
  options.jobs = 2, options.interrupted = &interrupted, options.when = WhenInterrupted::abandon;
  int ready[2];  // item 0 ends when item 1 has said everything
  ASSERT_EQ(::pipe(ready), 0);
  std::vector<std::string> told;
  PoolEvents events;
  events.on_message = [&](std::int64_t, const std::string& m) { told.push_back(m); };
  events.on_done = [&](std::int64_t, const std::string&) { interrupted = true; };
  const auto out = fork_map(
      2, options,
      [&](std::int64_t i, Post& post) {
        char c = 'x';
        if (i == 0) {
          while (::read(ready[0], &c, 1) != 1) {
          }
          return std::string("done");
        }
        for (int k = 0; k < 100; ++k) post.send(std::to_string(k));
        while (::write(ready[1], &c, 1) != 1) {
        }
        ::sleep(300);
        return std::string("never");
      },
      events);
  ::close(ready[0]), ::close(ready[1]);
  EXPECT_EQ(out[0], "done");
  EXPECT_FALSE(out[1]);
  ASSERT_EQ(told.size(), 100u);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(told[static_cast<std::size_t>(k)], std::to_string(k));
}

}  // namespace
}  // namespace dse::explore::pool_interrupt_test
