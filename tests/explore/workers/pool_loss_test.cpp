// Worker processes that die or hang: they cost the candidate in hand and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/log.h"
#include "tests/explore/workers/pool_support.h"

namespace dse::explore::pool_loss_test {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t candidates = 20;  // of each item

std::string measurement(std::int64_t item, std::int64_t candidate) {
  return std::to_string(item) + "." + std::to_string(candidate) + "=" + std::to_string(item * 31 + candidate * 7);
}

/// What a search does with the pool: candidates are measured one by one and told to the parent, which remembers them;
/// a worker that begins again knows them. The result is made of all measurements.
struct Search {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> known;  // (item, candidate)
  std::map<std::int64_t, int> losses;                                  // per item
  std::vector<Lost> lost;
  std::multiset<std::string> told;
  int give_up_after = 1000;
  std::function<void(std::int64_t item, std::int64_t candidate, int losses)> trouble;

  std::vector<std::optional<std::string>> run(std::int64_t items, const PoolOptions& options) {
    PoolEvents events;
    events.on_message = [&](std::int64_t item, const std::string& m) {
      told.insert(m);
      const auto dot = m.find('.'), equals = m.find('=');
      EXPECT_EQ(std::stoll(m.substr(0, dot)), item);
      known[{item, std::stoll(m.substr(dot + 1, equals))}] = m;
    };
    events.on_lost = [&](const Lost& l) {
      lost.push_back(l);
      return ++losses[l.item] < give_up_after ? AfterLoss::again : AfterLoss::give_up;
    };
    return fork_map(
        items, options, [&](std::int64_t item, Post& post) { return search(item, post); }, events);
  }
  std::string search(std::int64_t item, Post& post) {
    std::string all;
    for (std::int64_t c = 0; c < candidates; ++c) {
      if (const auto k = known.find({item, c}); k != known.end()) {
        all += k->second;
        continue;
      }
      post.mark(c);
      if (trouble) trouble(item, c, losses[item]);
      all += measurement(item, c);
      post.send(measurement(item, c));
    }
    return all;
  }
};

std::vector<std::optional<std::string>> undisturbed(std::int64_t items) { return Search().run(items, with(1)); }

TEST(PoolLoss, EveryKindCostsOneCandidateAndTheResultsAreTheUndisturbedOnes) {
  constexpr std::int64_t items = 6;
  const auto expected = undisturbed(items);
  unsigned seed = 1;
  for (const auto grief : all_griefs)
    for (const int jobs : {1, 3}) {
      SCOPED_TRACE(std::string(name_of(grief)) + ", jobs " + std::to_string(jobs) + ", seed " + std::to_string(seed));
      std::mt19937 random(seed++);
      std::map<std::int64_t, std::int64_t> at;  // item -> the candidate that brings its first worker down
      for (std::int64_t i = 1; i < items; i += 2) at[i] = static_cast<std::int64_t>(random() % candidates);
      Search search;
      search.trouble = [&](std::int64_t item, std::int64_t c, int losses) {
        if (losses == 0 && at.contains(item) && at[item] == c) come_to(grief);
      };
      EXPECT_EQ(search.run(items, with(jobs, 0.3)), expected);
      ASSERT_EQ(search.lost.size(), at.size());
      for (const auto& l : search.lost) {
        EXPECT_EQ(l.mark, at[l.item]);
        EXPECT_EQ(l.how, name_of(grief));
        EXPECT_EQ(l.hung, grief == Grief::endless || grief == Grief::stopped);
        EXPECT_EQ(l.times, 1);
      }
      // Nothing told was lost, and nothing had to be measured twice.
      EXPECT_EQ(search.told.size(), static_cast<std::size_t>(items * candidates));
      EXPECT_EQ(std::set<std::string>(search.told.begin(), search.told.end()).size(), search.told.size());
      EXPECT_TRUE(no_children_left());
    }
}

TEST(PoolLoss, WhatIsGivenUpStaysEmptyAndTheRestIsThere) {
  const auto expected = undisturbed(5);
  for (const int jobs : {1, 2}) {
    Search search;
    search.give_up_after = 3;
    search.trouble = [](std::int64_t item, std::int64_t c, int) {
      if (item == 2 && c == 11) come_to(Grief::abort);
    };
    const auto results = search.run(5, with(jobs));
    for (std::size_t i = 0; i < 5; ++i)
      if (i != 2) {
        EXPECT_EQ(results[i], expected[i]);
      }
    EXPECT_FALSE(results[2]);
    ASSERT_EQ(search.lost.size(), 3u);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(search.lost[k].times, k + 1) << "losses at the same mark are counted";
    EXPECT_EQ(search.known.size(), 4u * candidates + 11u) << "the messages before the loss arrive";
  }
}

TEST(PoolLoss, LossesAreCountedPerItemAndMark) {
  Search search;
  search.trouble = [](std::int64_t item, std::int64_t c, int losses) {  // 0.4, 0.4, 0.9; 1.4
    if (item == 0 && c == 4 && losses < 2) come_to(Grief::exit);
    if (item == 0 && c == 9 && losses < 3) come_to(Grief::segv);
    if (item == 1 && c == 4 && losses < 1) come_to(Grief::exit);
  };
  EXPECT_EQ(search.run(2, with(1)), undisturbed(2));
  ASSERT_EQ(search.lost.size(), 4u);
  const int times[] = {1, 2, 1, 1};
  for (int k = 0; k < 4; ++k) EXPECT_EQ(search.lost[k].times, times[k]) << k;
}

TEST(PoolLoss, BeforeTheFirstMarkAndAfterAnotherItemTheMarkIsMinusOne) {
  std::vector<Lost> lost;
  PoolEvents events;
  events.on_lost = [&](const Lost& l) {
    lost.push_back(l);
    return AfterLoss::give_up;
  };
  const auto results = fork_map(
      3, with(1),
      [](std::int64_t i, Post& post) {
        if (i > 0) come_to(i == 1 ? Grief::exit : Grief::exception);
        post.mark(77);
        return std::string("fine");
      },
      events);
  EXPECT_EQ(results[0], "fine");
  ASSERT_EQ(lost.size(), 2u);
  for (const auto& l : lost) EXPECT_EQ(l.mark, -1);
}

TEST(PoolLoss, HundredsOfLossesLeaveNothingBehind) {
  const auto descriptors = open_descriptors();
  constexpr int jobs = 3;
  std::mt19937 random(7);
  std::vector<Grief> grief(310);
  for (auto& g : grief) g = all_griefs[random() % 5];  // those that do not take their time
  int lost = 0, given_up = 0;
  PoolEvents events;
  std::map<std::int64_t, int> tries;
  events.on_lost = [&](const Lost& l) {
    ++lost;
    EXPECT_EQ(l.how, name_of(grief[static_cast<std::size_t>(l.item)]));
    EXPECT_LE(children().size(), static_cast<std::size_t>(jobs));
    EXPECT_LE(open_descriptors(), descriptors + jobs);
    given_up += l.item % 3 == 0;
    ++tries[l.item];
    return l.item % 3 == 0 ? AfterLoss::give_up : AfterLoss::again;
  };
  const auto results = fork_map(
      static_cast<std::int64_t>(grief.size()), with(jobs),
      [&](std::int64_t i, Post& post) {
        post.mark(i);
        if (!tries.contains(i)) come_to(grief[static_cast<std::size_t>(i)]);
        return std::to_string(i);
      },
      events);
  EXPECT_EQ(lost, 310);
  EXPECT_EQ(given_up, 104);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (i % 3 == 0)
      EXPECT_FALSE(results[i]);
    else
      EXPECT_EQ(results[i], std::to_string(i));
  }
  EXPECT_TRUE(no_children_left());
  EXPECT_EQ(open_descriptors(), descriptors);
}

TEST(PoolLoss, WithoutAnybodyToAskItIsAnErrorThatSaysHow) {
  for (const auto grief : {Grief::segv, Grief::exit, Grief::stopped}) {
    try {
      fork_map(4, with(2, 0.3), [&](std::int64_t i, Post&) -> std::string {
        if (i == 2) come_to(grief);
        return "";
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(name_of(grief)));
    }
    EXPECT_TRUE(no_children_left());
  }
}

TEST(PoolLoss, WhatAHandlerThrowsReachesTheCaller) {
  const auto descriptors = open_descriptors();
  for (const int which : {0, 1, 2}) {
    PoolEvents events;
    const auto fail = [&](int k) {
      if (k == which) throw std::logic_error("handler " + std::to_string(k));
    };
    events.on_message = [&](std::int64_t, const std::string&) { fail(0); };
    events.on_done = [&](std::int64_t, const std::string&) { fail(1); };
    events.on_lost = [&](const Lost&) { return fail(2), AfterLoss::give_up; };
    EXPECT_THROW(fork_map(
                     6, with(3),
                     [](std::int64_t i, Post& post) {
                       if (i == 3) come_to(Grief::segv);
                       if (i < 3) post.send("a word");
                       return std::string();
                     },
                     events),
                 std::logic_error);
    EXPECT_TRUE(no_children_left());
    EXPECT_EQ(open_descriptors(), descriptors);
  }
}

TEST(PoolLoss, TheLogTellsOfWorkersLostAndAnew) {
  Diagnostics d;
  testing::internal::CaptureStderr();
  ASSERT_TRUE(set_up_log("debug", "", d));
  Search s;
  s.trouble = [](std::int64_t item, std::int64_t candidate, int losses) {
    if (item == 1 && candidate == 3 && losses == 0) come_to(Grief::killed);
  };
  s.run(2, with(1));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(HasSubstr("info: a worker was lost (signal 9 (Killed)), time 1 for item 1\n"),
                             HasSubstr("debug: item 1 goes to a new worker\n")));
}

}  // namespace
}  // namespace dse::explore::pool_loss_test
