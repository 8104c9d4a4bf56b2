// Worker processes: what others do to them, what they say in between, and when the parent stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <thread>

#include "tests/explore/workers/pool_support.h"

namespace dse::explore::pool_outside_test {
namespace {

using ::testing::HasSubstr;

PoolEvents retrying(std::vector<Lost>& lost) {
  PoolEvents events;
  events.on_lost = [&](const Lost& l) {
    lost.push_back(l);
    return AfterLoss::again;
  };
  return events;
}

TEST(PoolOutside, AWorkerThatIsKilledIdleIsReplacedWithoutALoss) {
  for (const int sig : {SIGKILL, SIGTERM}) {  // the second is none of its business
    std::vector<Lost> lost;
    auto events = retrying(lost);
    std::set<std::string> pids;
    events.on_done = [&](std::int64_t, const std::string& pid) {  // between two items
      pids.insert(pid);
      ::kill(std::stoi(pid), sig);
    };
    const auto results = fork_map(
        200, with(2), [](std::int64_t, Post&) { return std::to_string(::getpid()); }, events);
    for (const auto& r : results) EXPECT_TRUE(r);
    EXPECT_TRUE(lost.empty());
    if (sig == SIGKILL)
      EXPECT_EQ(pids.size(), 200u);
    else
      EXPECT_LE(pids.size(), 2u);
    EXPECT_TRUE(no_children_left());
  }
}

TEST(PoolOutside, KilledAndStoppedAtRandomNothingIsLostAndNothingComesTwice) {
  constexpr std::int64_t items = 60, steps = 100;
  std::map<std::int64_t, std::int64_t> learnt;  // steps of each item that the parent knows
  std::vector<Lost> lost;
  auto events = retrying(lost);
  std::int64_t told = 0;
  events.on_message = [&](std::int64_t item, const std::string& m) {
    ++told;
    EXPECT_EQ(m, std::to_string(item) + ":" + std::to_string(learnt[item]++)) << "in order";
  };
  std::atomic<bool> over = false;
  std::thread murderer([&] {
    constexpr unsigned seed = 11;
    std::mt19937 random(seed);
    while (!over) {
      ::usleep(static_cast<useconds_t>(random() % 8000));
      const auto all = children();
      if (!all.empty()) ::kill(all[random() % all.size()], random() % 20 == 0 ? SIGSTOP : SIGKILL);
    }
  });
  const auto results = fork_map(
      items, with(3, 0.2),
      [&](std::int64_t item, Post& post) {
        for (auto step = learnt[item]; step < steps; ++step) {
          post.mark(step);
          ::usleep(50);
          post.send(std::to_string(item) + ":" + std::to_string(step));
        }
        return std::to_string(item);
      },
      events);
  over = true;
  murderer.join();
  for (std::int64_t i = 0; i < items; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)], std::to_string(i));
  EXPECT_EQ(told, items * steps);
  EXPECT_GT(lost.size(), 5u);
  for (const auto& l : lost) EXPECT_TRUE(l.how == "signal 9 (Killed)" || l.hung) << l.how;
  EXPECT_TRUE(no_children_left());
}

std::string pattern(std::int64_t k) { return std::string(1'000'000, static_cast<char>('a' + k % 26)); }

/// The worker goes under while it writes messages that no socket holds at once.
TEST(PoolOutside, AMessageThatIsCutOffIsDroppedAndTheWholeOnesBeforeItArrive) {
  for (const int sig : {SIGKILL, SIGSTOP})
    for (int delay = 0; delay < 20'000; delay += 4'000) {
      std::vector<Lost> lost;
      auto events = retrying(lost);
      std::int64_t told = 0;
      events.on_message = [&](std::int64_t, const std::string& m) { EXPECT_TRUE(m == pattern(told++)); };
      const auto results = fork_map(
          1, with(1, 0.3),
          [&](std::int64_t, Post& post) {
            if (!lost.empty()) return std::string("second try");
            std::thread([&] {
              ::usleep(static_cast<useconds_t>(delay));
              ::kill(::getpid(), sig);
            }).detach();
            for (std::int64_t k = 0;; ++k) post.mark(k), post.send(pattern(k));
          },
          events);
      EXPECT_EQ(results[0], "second try");
      ASSERT_EQ(lost.size(), 1u);
      EXPECT_EQ(lost[0].hung, sig == SIGSTOP);
      EXPECT_TRUE(told == lost[0].mark || told == lost[0].mark + 1)
          << told << " messages whole, lost at mark " << lost[0].mark;
      EXPECT_TRUE(no_children_left());
    }
}

TEST(PoolOutside, MessagesOfAllSizesComeInOrderBeforeTheResult) {
  std::mt19937 random(3);
  std::vector<std::string> said;
  for (int k = 0; k < 3000; ++k)
    said.push_back(std::string(random() % 100 == 0 ? random() % 300'000 : random() % 200, static_cast<char>(k)));
  for (const std::size_t edge : {65536u - 32u, 65536u - 24u, 65536u - 23u, 65536u, 0u}) said.emplace_back(edge, 'e');
  std::map<std::int64_t, std::size_t> heard;
  PoolEvents events;
  events.on_message = [&](std::int64_t i, const std::string& m) { EXPECT_TRUE(m == said[heard[i]++]) << heard[i]; };
  events.on_done = [&](std::int64_t i, const std::string&) { EXPECT_EQ(heard[i], said.size()); };
  fork_map(
      3, with(2),
      [&](std::int64_t, Post& post) {
        for (const auto& m : said) post.send(m);
        return std::string();
      },
      events);
  EXPECT_EQ(heard.size(), 3u);
}

TEST(PoolOutside, MarksAndMessagesAreSignsOfLifeAndABusyParentIsNoSilence) {
  std::vector<Lost> lost;
  auto events = retrying(lost);
  events.on_message = [](std::int64_t, const std::string& m) {
    if (m == pattern(0)) ::usleep(700'000);  // longer than its patience
  };
  const auto results = fork_map(
      3, with(3, 0.5),
      [](std::int64_t item, Post& post) {
        for (int k = 0; k < 40; ++k) {  // twice the patience
          ::usleep(25'000);
          if (item == 0) post.mark(k);
          if (item == 1) post.send("here");
          if (item == 2) post.send(k % 20 == 5 ? pattern(0) : std::string());
        }
        return std::string("alive");
      },
      events);
  for (const auto& r : results) EXPECT_EQ(r, "alive");
  EXPECT_TRUE(lost.empty());
}

TEST(PoolOutside, WhatAWorkerStartedMayOutliveItWithoutHoldingTheParentUp) {
  std::vector<Lost> lost;
  auto events = retrying(lost);
  int grandchild[2];
  ASSERT_EQ(::pipe(grandchild), 0);
  const auto results = fork_map(
      1, with(1),
      [&](std::int64_t, Post&) {
        if (!lost.empty()) return std::string("fine");
        const pid_t pid = ::fork();
        if (pid == 0) {  // keeps the worker's socket open
          ::sleep(60);
          ::_exit(0);
        }
        if (::write(grandchild[1], &pid, sizeof pid) == sizeof pid) ::_exit(4);
        return std::string("cannot tell");
      },
      events);
  EXPECT_EQ(results[0], "fine");
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].how, "exit code 4");
  pid_t pid = -1;
  ASSERT_EQ(::read(grandchild[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  ::kill(pid, SIGKILL);
  ::close(grandchild[0]), ::close(grandchild[1]);
}

TEST(PoolOutside, NoItemBeginsAfterTheDeadlineAndThoseBegunAreFinished) {
  auto options = with(2);
  options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  const auto results = fork_map(1000, options, [](std::int64_t i, Post&) {
    ::usleep(20'000);
    return std::to_string(i);
  });
  std::size_t done = 0;
  for (; done < results.size() && results[done]; ++done) EXPECT_EQ(results[done], std::to_string(done));
  EXPECT_GE(done, 2u);
  EXPECT_LT(done, 1000u);
  for (std::size_t i = done; i < results.size(); ++i) EXPECT_FALSE(results[i]) << "items begin in order";
  options.deadline = std::chrono::steady_clock::now();
  for (const auto& r : fork_map(3, options, [](std::int64_t, Post&) { return std::string(); })) EXPECT_FALSE(r);
}

TEST(PoolOutside, AnItemLostAfterAnInterruptionIsNotBegunAgain) {
  std::atomic<bool> interrupted = false;
  auto options = with(1);
  options.interrupted = &interrupted;
  int asked = 0;
  PoolEvents events;
  events.on_lost = [&](const Lost&) {
    ++asked;
    interrupted = true;
    return AfterLoss::again;
  };
  const auto results = fork_map(
      3, options,
      [](std::int64_t i, Post&) {
        if (i == 1) come_to(Grief::abort);
        return std::string("done");
      },
      events);
  EXPECT_TRUE(results[0]);
  EXPECT_FALSE(results[1]);
  EXPECT_FALSE(results[2]);
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace dse::explore::pool_outside_test
