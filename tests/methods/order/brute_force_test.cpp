// Orders of small random graphs against the least peak over all of them.
#include <gtest/gtest.h>

#include "methods/order/search.h"
#include "tests/methods/order/random_graphs.h"

namespace dse::plan::test::order_brute_force_test {
namespace {

void expect_optimal(std::uint64_t seed, int most, OrderRule rule, const OrderEffort& effort) {
  const auto p = random_problem(seed, most);
  const auto least = brute_force(p, rule);
  const auto found = find_order(p, rule, effort);
  EXPECT_EQ(found.peak_bytes, least) << "seed " << seed << ", " << name_of(rule);
  EXPECT_EQ(found.lower_bound_bytes, least) << "seed " << seed << ", " << name_of(rule);
  EXPECT_TRUE(found.optimal) << "seed " << seed;
  EXPECT_EQ(peak_of(p, rule, found.order), found.peak_bytes) << "seed " << seed;
}

TEST(OrderBruteForce, SmallGraphsAreOrderedAsWellAsPossible) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed)
    for (const auto rule : {OrderRule::out_of_place, OrderRule::inplace_ew}) expect_optimal(seed, 9, rule, {});
}

TEST(OrderBruteForce, GraphsOfUpToTwelveOperatorsAreOrderedAsWellAsPossible) {
  for (std::uint64_t seed = 10'000; seed < 10'400; ++seed)
    for (const auto rule : {OrderRule::out_of_place, OrderRule::inplace_ew}) expect_optimal(seed, 12, rule, {});
}

// With a beam of one the exact search has to find the orders itself.
TEST(OrderBruteForce, TheExactSearchNeedsNoGoodStart) {
  OrderEffort effort;
  effort.beam = 1;
  for (std::uint64_t seed = 20'000; seed < 20'400; ++seed)
    for (const auto rule : {OrderRule::out_of_place, OrderRule::inplace_ew}) expect_optimal(seed, 11, rule, effort);
}

// Every cap has the right answer, with an order or with the next peak that is possible at all.
TEST(OrderBruteForce, EveryCapIsDecidedRightly) {
  int found = 0, impossible = 0;
  for (std::uint64_t seed = 30'000; seed < 30'300; ++seed)
    for (const auto rule : {OrderRule::out_of_place, OrderRule::inplace_ew}) {
      const auto p = random_problem(seed, 10);
      const auto graph = order::compile(p, rule);
      const auto least = brute_force(p, rule);
      for (std::int64_t cap = 0; cap <= least + 24; cap += 8) {
        std::int64_t steps = 1'000'000;
        const auto d = order::decide(graph, cap, 1 << 20, steps);
        if (cap >= least) {
          ASSERT_EQ(d.answer, order::Decision::Answer::found) << "seed " << seed << " cap " << cap;
          EXPECT_LE(order::peak_of(graph, d.order), cap) << "seed " << seed;
          ++found;
        } else {
          ASSERT_EQ(d.answer, order::Decision::Answer::impossible) << "seed " << seed << " cap " << cap;
          EXPECT_GT(d.next_possible, cap);
          EXPECT_LE(d.next_possible, least) << "seed " << seed << " cap " << cap;
          ++impossible;
        }
      }
    }
  EXPECT_GT(found, 1000);
  EXPECT_GT(impossible, 1000);
}

// Bounds are never above the optimum, and what little effort proves is true.
TEST(OrderBruteForce, BoundsAreNeverTooHighWhateverTheEffort) {
  int open = 0;
  for (std::uint64_t seed = 40'000; seed < 40'300; ++seed)
    for (const auto rule : {OrderRule::out_of_place, OrderRule::inplace_ew}) {
      const auto p = random_problem(seed, 11);
      const auto least = brute_force(p, rule);
      EXPECT_LE(order::static_bound(order::compile(p, rule)), least) << "seed " << seed;
      for (const std::int64_t steps : {0, 1, 20, 100}) {
        OrderEffort effort;
        effort.steps = steps, effort.beam = 1;
        const auto r = find_order(p, rule, effort);
        EXPECT_LE(r.lower_bound_bytes, least) << "seed " << seed;
        EXPECT_GE(r.peak_bytes, least) << "seed " << seed;
        EXPECT_EQ(peak_of(p, rule, r.order), r.peak_bytes) << "seed " << seed;
        EXPECT_EQ(r.optimal, r.peak_bytes == r.lower_bound_bytes) << "seed " << seed;
        open += !r.optimal;
      }
    }
  EXPECT_GT(open, 0) << "no effort was too little: the test says nothing";
}

}  // namespace
}  // namespace dse::plan::test::order_brute_force_test
