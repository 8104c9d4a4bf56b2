// Compositions of made-up schedules on two on-chip memories against every combination: all objectives, limits, bounds.
#include <gtest/gtest.h>

#include <algorithm>

#include "explore/front/gap.h"
#include "tests/explore/compose/synthetic_chain.h"
#include "tests/support/slow.h"

namespace dse::explore::compose_chain_test {
namespace {

const int kChains = dse::test::of_share(240);

Values values_of(const CompositionFront& front) {
  Values out;
  for (const auto& p : front.points) out.push_back(p.values);
  return out;
}

bool some_at_most(const Values& list, const std::vector<std::int64_t>& v) {
  return std::any_of(list.begin(), list.end(), [&](const auto& b) {
    for (std::size_t j = 0; j < v.size(); ++j)
      if (b[j] > v[j]) return false;
    return true;
  });
}

/// `use` with the first kChains draws that are small enough.
template <class Use>
void each_chain(int entries, std::size_t most, const Use& use, int chains = kChains) {
  int found = 0;
  for (std::uint64_t seed = 0; found < chains && seed < 20'000; ++seed)
    if (const auto chain = test::synthetic_chain(seed, entries, most)) {
      ++found;
      test::Random random(seed + 77);
      use(seed, *chain, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  EXPECT_EQ(found, chains);
}

void expect_real(const CompositionFront& front, const test::SyntheticChain& chain, const Goal& goal) {
  for (const auto& p : front.points) {
    const auto c = test::combination_of(chain, p.choices, p.order);
    ASSERT_EQ(test::values_of(c, goal), p.values);
    ASSERT_EQ(c.memory, p.memory);
    ASSERT_EQ(c.costs, p.costs);
    ASSERT_TRUE(test::keeps_limits(c, goal));
  }
}

TEST(ComposeChains, MemoryAndLatencyEqualEveryCombination) {
  std::int64_t combinations = 0, points = 0;
  int joins = 0, orders = 0, reordered = 0;
  each_chain(3, 4000, [&](std::uint64_t seed, const test::SyntheticChain& chain, test::Random&) {
    const auto goal = default_goal(*chain.device);
    const auto found = compose(*chain.space, chain.layers, goal);
    ASSERT_TRUE(found.exact);
    ASSERT_EQ(values_of(found), test::brute_front(chain, goal)) << "seed " << seed;
    ASSERT_EQ(found.bound, values_of(found));
    expect_real(found, chain, goal);
    combinations += static_cast<std::int64_t>(chain.all.size()),
        points += static_cast<std::int64_t>(found.points.size());
    joins += chain.joins, orders += chain.orders;
    reordered += std::any_of(found.points.begin(), found.points.end(), [](const auto& p) { return !p.order.empty(); });
  });
  EXPECT_GT(points, 3 * kChains) << combinations << " combinations";
  EXPECT_GT(joins, kChains / 10);
  EXPECT_GT(orders, kChains / 20);
  EXPECT_GT(reordered, 0);
}

/// With a memory that is a byte too small, or all: one is named, and the least that any combination needs of it.
TEST(ComposeChains, WhereNothingFitsTheReasonHasTheBytesThatWould) {
  int together = 0, several = 0;
  const auto ask = [&](std::uint64_t seed, const test::SyntheticChain& chain, test::Random&) {
    const auto& memories = chain.device->memories;
    const auto least = [&](std::size_t m, const Goal& goal) {  // within the other limits
      std::int64_t out = kUnlimited;
      for (const auto& c : chain.all) {
        auto within = goal;
        within.limits[m] = kUnlimited;
        if (test::keeps_limits(c, within)) out = std::min(out, c.peaks[m]);
      }
      return out;
    };
    const auto free = default_goal(*chain.device);
    for (std::size_t tight = 0; tight <= memories.size(); ++tight) {
      auto goal = free;
      for (std::size_t m = 0; m < memories.size(); ++m)
        if (memories[m].on_chip && (m == tight || tight == memories.size())) goal.limits[m] = least(m, free) - 1;
      if (goal.limits == free.limits || !test::brute_front(chain, goal).empty()) continue;
      const auto reason = compose(*chain.space, chain.layers, goal).infeasible_reason;
      ASSERT_NE(reason.find(" bytes of "), std::string::npos) << "seed " << seed << ": " << reason;
      const auto at = reason.find(": the layers together need ");
      if (at == std::string::npos) continue;
      const auto m = static_cast<std::size_t>(chain.device->memory(reason.substr(0, at)));
      ++together;
      const bool others = reason.find("other memories") == std::string::npos;
      several += !others;
      const auto said = std::stoll(reason.substr(at + std::string(": the layers together need ").size()));
      ASSERT_EQ(said, least(m, others ? goal : free)) << "seed " << seed << ": " << reason;
      if (!others) continue;
      goal.limits[m] = said;
      ASSERT_FALSE(compose(*chain.space, chain.layers, goal).points.empty()) << "seed " << seed << ": " << reason;
    }
  };
  each_chain(3, 1000, ask, 40);
  EXPECT_GT(together, 10);
  EXPECT_GT(several, 0);
}

TEST(ComposeChains, AnyObjectivesAndLimitsEqualEveryCombination) {
  int infeasible = 0, bound = 0, three = 0;
  each_chain(3, 3000, [&](std::uint64_t seed, const test::SyntheticChain& chain, test::Random& random) {
    const auto goal = test::random_goal(random, chain, 2 + static_cast<int>(seed % 3));
    const auto brute = test::brute_front(chain, goal);
    const auto found = compose(*chain.space, chain.layers, goal);
    ASSERT_TRUE(found.exact);
    ASSERT_EQ(values_of(found), brute) << "seed " << seed;
    ASSERT_EQ(found.infeasible_reason.empty(), !found.points.empty());
    expect_real(found, chain, goal);
    infeasible += brute.empty();
    three += goal.objectives.size() >= 3;
    auto free = default_goal(*chain.device);
    free.objectives = goal.objectives;
    bound += brute != test::brute_front(chain, free);
  });
  EXPECT_GE(three, test::of_share(100));
  EXPECT_GE(bound, test::of_share(60)) << "limits that change the front";
  EXPECT_GE(infeasible, test::of_share(3));
}

TEST(ComposeChains, ATolerantSearchIsWithinItsToleranceAndItsBoundHolds) {
  std::size_t fewer = 0;
  each_chain(3, 3000, [&](std::uint64_t seed, const test::SyntheticChain& chain, test::Random& random) {
    const auto goal = test::random_goal(random, chain, 2 + static_cast<int>(seed % 2));
    const auto brute = test::brute_front(chain, goal);
    CompositionOptions options;
    options.exact_steps = static_cast<std::int64_t>(seed % 3) * 400, options.tolerance = 8;
    const auto found = compose(*chain.space, chain.layers, goal, options);
    expect_real(found, chain, goal);
    const auto values = values_of(found);
    auto judges = values;  // what is not looked for may be as close to a plan that another one stands for
    for (auto& v : judges)
      for (auto& x : v)
        for (int twice = 0; twice < 2; ++twice) x -= (x + 7) / 8;
    for (const auto& b : brute) {
      ASSERT_TRUE(some_at_most(judges, b)) << "seed " << seed;
      ASSERT_TRUE(some_at_most(found.bound, b)) << "seed " << seed;
    }
    if (found.exact) ASSERT_EQ(values, brute) << "seed " << seed;
    fewer += brute.size() - values.size();
  });
  EXPECT_GT(fewer, kChains / 2);
}

TEST(ComposeChains, OneObjectiveGivesThePointOfLeastMemoryThenLatency) {
  each_chain(3, 3000, [&](std::uint64_t seed, const test::SyntheticChain& chain, test::Random& random) {
    const auto goal = test::random_goal(random, chain, 1);
    const auto found = compose(*chain.space, chain.layers, goal);
    std::vector<std::int64_t> best;
    for (const auto& c : chain.all) {
      if (!test::keeps_limits(c, goal)) continue;
      const std::vector<std::int64_t> key = {test::values_of(c, goal)[0], c.memory, c.costs[kTicks]};
      if (best.empty() || key < best) best = key;
    }
    ASSERT_TRUE(found.exact);
    ASSERT_EQ(found.points.size(), best.empty() ? 0u : 1u) << "seed " << seed;
    if (best.empty()) return;
    expect_real(found, chain, goal);
    const auto& p = found.points[0];
    ASSERT_EQ((std::vector<std::int64_t>{p.values[0], p.memory, p.costs[kTicks]}), best) << "seed " << seed;
  });
}

TEST(ComposeChains, RelaxedIsNowhereAboveTheExactFront) {
  int loose = 0;
  each_chain(3, 3000, [&](std::uint64_t seed, const test::SyntheticChain& chain, test::Random& random) {
    const auto goal = test::random_goal(random, chain, 1 + static_cast<int>(seed % 4));
    const auto brute = test::brute_front(chain, goal);
    CompositionOptions options;
    options.relaxed = true;
    options.max_labels = 1 + seed % 3;  // so that labels are merged
    const auto relaxed = compose(*chain.space, chain.layers, goal, options);
    ASSERT_FALSE(relaxed.exact);
    for (const auto& v : brute) ASSERT_TRUE(some_at_most(relaxed.bound, v)) << "seed " << seed;
    for (const auto& p : relaxed.points) ASSERT_TRUE(p.choices.empty());
    options.deadline = std::chrono::steady_clock::now();  // even so there is a bound
    const auto hurried = compose(*chain.space, chain.layers, goal, options);
    for (const auto& v : brute) ASSERT_TRUE(some_at_most(hurried.bound, v)) << "seed " << seed;
    const double gap = proven_gap(brute, relaxed.bound);
    ASSERT_GE(gap, 0);
    ASSERT_LE(gap, 1);
    loose += !brute.empty() && gap > 0;
  });
  EXPECT_GE(loose, test::of_share(20)) << "no label was ever merged";
}

TEST(ComposeChains, WhatIsCutKeepsItsPromises) {
  int cut = 0;
  each_chain(3, 3000, [&](std::uint64_t seed, const test::SyntheticChain& chain, test::Random& random) {
    const auto goal = test::random_goal(random, chain, 2 + static_cast<int>(seed % 3));
    const auto brute = test::brute_front(chain, goal);
    CompositionOptions few;
    few.max_labels = 1 + seed % 2;
    CompositionOptions hurried;
    hurried.deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(seed % 300);
    for (const auto* options : {&few, &hurried}) {
      const auto found = compose(*chain.space, chain.layers, goal, *options);
      expect_real(found, chain, goal);
      for (const auto& p : found.points) ASSERT_TRUE(some_at_most(brute, p.values));
      if (found.exact) {
        ASSERT_EQ(values_of(found), brute) << "seed " << seed;
      }
      for (const auto& v : brute) ASSERT_TRUE(found.bound.empty() || some_at_most(found.bound, v)) << "seed " << seed;
      cut += options == &few && !found.exact;
    }
  });
  EXPECT_GE(cut, test::of_share(20));
}

}  // namespace
}  // namespace dse::explore::compose_chain_test
