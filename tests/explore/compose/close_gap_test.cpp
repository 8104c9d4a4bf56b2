// Fronts of spaces where addresses cost more than the highest sum of live bytes, against every candidate.
#include "explore/compose/close_gap.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "explore/compose/compose.h"
#include "tests/explore/front/brute_force.h"
#include "tests/explore/front/small_spaces.h"
#include "tests/support/slow.h"

namespace dse::explore::test_support::close_gap_test {
namespace {

struct Closed {
  Staircase before, after;  // of the composed plans with real addresses; with what closing the gap adds
  GapClosure gap;
  bool loose = false;  // some composed plan needs more than the composition said
  std::int64_t composed = 0, simulated = 0;
};

/// The three stages and the closing of the gap, in this process.
Closed closed(const SmallSpace& s, const GapLimits& limits = {}) {
  const auto registry = plan::ChoiceRegistry::standard();
  const Space space(*s.c.network, *s.c.device, s.spec);
  const auto goal = goal_of(s.spec, *s.c.device);
  std::vector<LayerFront> layers;
  for (const auto& task : space.tasks) layers.push_back(search_layer(task, registry, {}, goal));
  Closed out;
  std::vector<std::vector<std::int64_t>> reached;
  const auto within = [&](const Measured& m) {
    bool all = m.feasible() && m.memory <= goal.total_limit && m.costs[kTicks] <= goal.cost_limits[kTicks];
    for (std::size_t i = 0; all && i < m.heights.size(); ++i) all = m.heights[i] <= goal.limits[i];
    return all;
  };
  for (const auto& p : compose(space, layers, goal).points) {
    const auto m = evaluate(s.c, {{.order = p.order}, p.choices});
    ++out.composed;
    out.loose |= !m.feasible() || m.memory != p.memory;
    if (!within(m)) continue;
    EXPECT_EQ(m.costs[kTicks], p.costs[kTicks]);
    reached.push_back({m.memory, m.costs[kTicks]});
    enter(out.before, m.memory, m.costs[kTicks]);
  }
  out.after = out.before;
  std::vector<PackingFront> packings;
  for (std::size_t t = 0; t < layers.size(); ++t) {
    packings.push_back(pack_layer(space.tasks[t], registry, {}, goal, layers[t]));
    out.simulated += packings.back().simulated;
  }
  out.gap = close_gap(space, packings, goal, reached, limits);
  for (const auto& p : out.gap.points) {
    const auto m = evaluate(s.c, {{.order = p.order}, p.choices});
    EXPECT_TRUE(within(m)) << m.reason;
    EXPECT_EQ(m.costs[kTicks], p.costs[kTicks]);
    EXPECT_EQ(m.memory, p.memory);
    enter(out.after, m.memory, m.costs[kTicks]);
  }
  return out;
}

TEST(CloseGap, FrontsWhereAddressesCostMoreEqualEveryCandidateTried) {
  int loose = 0, lost = 0;
  for (const auto& s : test::share_of(loose_spaces())) {
    const auto brute = brute_force(s.c, s.spec);
    EXPECT_LE(brute.candidates, 10'000) << s.name;
    const auto found = closed(s);
    EXPECT_EQ(to_string(found.after), to_string(brute.front)) << s.name;
    EXPECT_TRUE(found.gap.closed) << s.name;
    loose += found.loose;
    lost += found.before != brute.front;
    fmt::print(
        "{:<50} {:>5} candidates, {:>4} loose; {:>2} composed{}, {} of {} points missed; {} more schedules, {} "
        "plans, {} layouts, {} steps\n",
        s.name, brute.candidates, brute.loose, found.composed, found.loose ? " (loose)" : "",
        std::count_if(brute.front.begin(), brute.front.end(),
                      [&](const auto& p) {
                        const auto it = found.before.find(p.first);
                        return it == found.before.end() || it->second != p.second;
                      }),
        brute.front.size(), found.simulated, found.gap.plans, found.gap.layouts, found.gap.steps);
    std::fflush(stdout);
  }
  EXPECT_GE(loose, test::of_share(12));
  EXPECT_GE(lost, test::of_share(7));
}

TEST(CloseGap, WhatALimitLeavesOpenIsBoundedFromBelow) {
  int open = 0;
  int hidden = 0;
  for (const auto& s : loose_spaces()) {
    if (s.name.find("hidden") == std::string::npos || !test::in_share(hidden++)) continue;
    const auto whole = closed(s);
    ASSERT_TRUE(whole.gap.closed) << s.name;
    for (const std::int64_t layouts : {0, 5, 20}) {
      const auto cut = closed(s, {layouts, 1000, nullptr, {}});
      EXPECT_EQ(cut.gap.closed, cut.gap.left.empty()) << s.name;
      open += !cut.gap.closed;
      for (const auto& point : whole.after) {  // every true point is in hand or behind what was left
        const std::int64_t memory = point.first, ticks = point.second;
        const auto it = cut.after.upper_bound(memory);
        const bool reached = it != cut.after.begin() && std::prev(it)->second <= ticks;
        const bool bounded = std::any_of(cut.gap.left.begin(), cut.gap.left.end(),
                                         [&](const auto& v) { return v[0] <= memory && v[1] <= ticks; });
        EXPECT_TRUE(reached || bounded) << s.name << ": " << memory << " bytes, " << ticks << " ticks";
      }
    }
  }
  EXPECT_GE(open, test::of_share(6));
}

}  // namespace
}  // namespace dse::explore::test_support::close_gap_test
