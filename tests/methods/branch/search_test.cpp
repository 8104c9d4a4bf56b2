#include "methods/branch/search.h"

#include <gmock/gmock.h>

#include "methods/branch/candidates.h"
#include "methods/branch/rules.h"
#include "tests/methods/branch/brute_force.h"
#include "tests/methods/branch/graphs.h"

namespace dse::plan::branch::test::search_test {
namespace {

using testing::HasSubstr;

std::vector<std::string> names_of(const Graph& graph, const Candidate& candidate) {
  std::vector<std::string> out;
  for (const auto& step : candidate.steps) out.push_back(graph.nodes[static_cast<std::size_t>(step.node)].name);
  return out;
}

TEST(BranchSearch, AChainAlternatesAndNeedsNoScratch) {
  const auto graph = graph_of_lines({"a 10", "b 30 a", "c 20 b", "d 5* c"});
  for (const auto model : {Model::named_buffers, Model::named_buffers_free, Model::direct_to_scratch}) {
    const auto outcome = best_order(graph, {model});
    EXPECT_EQ(outcome.best.total, 50);
    EXPECT_TRUE(outcome.optimal);
  }
  const auto strict = best_order(graph, {Model::named_buffers}).best;
  EXPECT_TRUE(strict.scratch.empty());
  for (std::size_t i = 1; i < strict.steps.size(); ++i) EXPECT_NE(strict.steps[i].place, strict.steps[i - 1].place);
}

TEST(BranchSearch, IntermediateAggregationAgreesWithBruteForce) {
  const auto graph = three_branches();
  for (const auto model : {Model::named_buffers, Model::named_buffers_free, Model::liveness})
    for (const bool interrupt : {false, true}) {
      const Rules rules{model, Objective::with_scratch, interrupt, true};
      if (model != Model::liveness && interrupt) continue;  // many orders: the next test
      const auto outcome = best_order(graph, rules);
      EXPECT_EQ(outcome.best.total, brute_force(graph, rules).first) << name_of(model) << interrupt;
      EXPECT_TRUE(outcome.optimal);
    }
}

TEST(BranchSearch, EveryOrderOfThreeBranchesAgreesWithBruteForce) {
  const auto graph = three_branches();
  const Rules rules{Model::named_buffers};
  const auto orders = all_orders(graph, rules);
  ASSERT_GT(orders.size(), 500u);
  auto least = brute_force(graph, orders.front(), rules).first;
  for (std::size_t i = 0; i < orders.size(); i += 7) {
    const auto expected = brute_force(graph, orders[i], rules).first;
    EXPECT_EQ(best_places(graph, orders[i], rules)->best.total, expected);
    least = std::min(least, expected);
  }
  EXPECT_LE(best_order(graph, rules).best.total, least);
}

TEST(BranchSearch, AJoinOfBothBuffersLetsTheOlderOneGiveWay) {
  const auto graph = graph_of_lines({"a 10", "b 10 a", "sum 10* a b"});
  const auto strict = best_order(graph, {Model::named_buffers}).best;
  EXPECT_EQ(strict.total, 30);
  EXPECT_EQ(fault_of(graph, strict, {Model::named_buffers}), "");
  EXPECT_NE(strict.steps[2].place, strict.steps[1].place);
}

// Which operational buffer a node takes decides what the buffers must hold: the same order with one node moved.
TEST(BranchSearch, TheChoiceOfTheOperationalBufferCounts) {
  const auto graph = two_branches();
  const auto order = order_named(graph, {"B", "C1", "C2", "D1", "D2", "D3", "A"});
  const Rules rules{Model::named_buffers};
  const auto sizes = [&](Place d1) {  // D1 reads the copy of B, so it may take either buffer
    const auto d2 = d1 == Place::first ? Place::second : Place::first;
    return with_places(graph, order, {Place::first, Place::second, Place::first, d1, d2, d1, Place::none}, rules)
        ->operational;
  };
  EXPECT_EQ(sizes(Place::second), (std::array<std::int64_t, 2>{40, 80}));
  EXPECT_EQ(sizes(Place::first), (std::array<std::int64_t, 2>{70, 80}));
  EXPECT_EQ(best_places(graph, order, rules)->best.operational, sizes(Place::second));
}

// A branching point within a branch, skips without nodes, two aggregations, one of them within a branch.
TEST(BranchSearch, NestedBranchesAndSkipsInEveryModel) {
  const auto graph =
      graph_of_lines({"in 6", "a 9 in", "b 2 a", "c 7 a", "join 3 b c a", "side 8 in", "end 4* join side in"});
  const auto structure = structure_of(graph);
  EXPECT_EQ(std::count_if(structure.branches.begin(), structure.branches.end(),
                          [](const Branch& b) { return b.nodes.empty(); }),
            2);
  for (const auto model : models)
    for (const bool interrupt : {false, true}) {
      const Rules rules{model, Objective::with_scratch, interrupt, true};
      const auto outcome = best_order(graph, rules);
      EXPECT_EQ(outcome.best.total, brute_force(graph, rules).first) << name_of(model) << interrupt;
      EXPECT_TRUE(outcome.optimal);
      EXPECT_EQ(fault_of(graph, outcome.best, rules), "");
    }
}

// s b1 | a1 a2 a3 | b2: the small b1 waits while the other branch runs, instead of s or what either branch ends with.
TEST(BranchSearch, InterruptionCanBeBetterThanWholeBranches) {
  const auto graph = graph_of_lines({"s 10", "a1 80 s", "a2 40 a1", "a3 20 a2", "b1 10 s", "b2 20 b1", "end 0 a3 b2"});
  const Rules whole{Model::named_buffers, Objective::with_scratch, false, true};
  const auto interrupted = best_order(graph, {Model::named_buffers});
  EXPECT_TRUE(interrupted.optimal);
  EXPECT_EQ(interrupted.best.total, 130);
  EXPECT_EQ(best_order(graph, whole).best.total, 150);
  EXPECT_THAT(fault_of(graph, interrupted.best, whole), HasSubstr("interrupted"));
}

TEST(BranchSearch, WholeBranchesAreNeverInterrupted) {
  const auto graph = three_branches();
  const Rules rules{Model::named_buffers, Objective::with_scratch, false, true};
  const auto whole = best_order(graph, rules);
  EXPECT_EQ(fault_of(graph, whole.best, rules), "");
  EXPECT_GE(whole.best.total, best_order(graph, {Model::named_buffers}).best.total);
  EXPECT_FALSE(
      best_places(graph, order_named(graph, {"B", "E1", "C1", "E2", "E3", "C2", "E4", "D1", "D2", "D3", "A"}), rules));
}

TEST(BranchSearch, OperationalBuffersOnly) {
  const Rules rules{Model::named_buffers, Objective::operational};
  const auto outcome = best_order(two_branches(), rules);
  EXPECT_EQ(std::pair(outcome.best.operational_bytes(), outcome.best.scratch_bytes()),
            brute_force(two_branches(), rules));
  EXPECT_TRUE(outcome.optimal);
}

TEST(BranchSearch, ALimitEndsTheSearch) {
  const auto graph = two_branches();
  EXPECT_LE(best_order(graph, {Model::named_buffers}, {}, 225).best.total, 225);
  const auto impossible = best_order(graph, {Model::named_buffers}, {}, 189);
  EXPECT_EQ(impossible.best.total, 190);
  EXPECT_TRUE(impossible.optimal);
}

// Nothing is proven that is not so, whenever that is.
TEST(BranchSearch, StoppedAtAnyTimeHasAnOrderAndItsGap) {
  const auto graph = three_branches();
  for (const bool interrupt : {false, true}) {
    const Rules rules{Model::named_buffers, Objective::with_scratch, interrupt, true};
    const auto whole = best_order(graph, rules).best.total;
    int asked = 0;
    best_order(graph, rules, {.stop = [&] { return ++asked < 0; }});
    EXPECT_GT(asked, 10);
    for (int moment = 0; moment <= asked; ++moment) {
      int asks = 0;
      const auto outcome = best_order(graph, rules, {.stop = [&] { return ++asks > moment; }});
      EXPECT_EQ(fault_of(graph, outcome.best, rules), "") << moment;
      EXPECT_GE(outcome.best.total, whole) << moment;
      EXPECT_LE(outcome.lower_bound, whole) << moment;
    }
  }
}

TEST(BranchSearch, WithoutLabelsTheGapIsStated) {
  const auto graph = two_branches();
  const auto outcome = best_order(graph, {Model::named_buffers}, {1, 1});
  EXPECT_LE(outcome.lower_bound, 190);
  EXPECT_GE(outcome.best.total, 190);
  EXPECT_EQ(outcome.optimal, outcome.lower_bound == outcome.best.total);
  EXPECT_EQ(fault_of(graph, outcome.best, {Model::named_buffers}), "");
}

TEST(BranchSearch, LowerBoundsNeverExceedTheOptimumWhateverTheEffort) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const auto graph = random_series_parallel(random, 9);
    for (const auto model : models) {
      const auto exact = best_order(graph, {model});
      for (const std::int64_t labels : {1, 5, 20}) {
        const auto outcome = best_order(graph, {model}, {labels, 1});
        ASSERT_LE(outcome.lower_bound, exact.best.total);
        ASSERT_GE(outcome.best.total, exact.best.total);
      }
    }
  }
}

TEST(BranchSearch, FreedMemoryRuleIsBestForWholeBranches) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<Branch> branches(1 + random() % 6);
    for (auto& b : branches) b.last = random() % 50, b.edges = b.last + random() % 90;
    std::vector<int> order(branches.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    std::int64_t least = 1 << 30;
    do least = std::min(least, bytes_of(branches, order));
    while (std::next_permutation(order.begin(), order.end()));
    ASSERT_EQ(bytes_of(branches, by_freed_memory(branches)), least);
  }
}

TEST(BranchSearch, FreedMemoryRuleOnAGraph) {
  const auto graph = three_totals(45, 45);
  std::vector<std::string> names;
  for (int n : freed_memory_order(graph)) names.push_back(graph.nodes[static_cast<std::size_t>(n)].name);
  EXPECT_THAT(names, testing::ElementsAre("s", "b1", "b2", "b3", "m1", "m2", "m3", "t1", "t2", "out"));
}

TEST(BranchCandidates, AreSortedAndHoldTheRulesOrders) {
  const auto graph = two_branches();
  const auto listing = list_candidates(graph, {Model::named_buffers}, {}, {-1, 100, 2});
  EXPECT_TRUE(listing.all_orders);
  EXPECT_EQ(listing.orders, 10);
  ASSERT_EQ(listing.candidates.size(), 4u);  // two others, the best (which is the file's order), the rule's
  EXPECT_THAT(listing.candidates.front().origin, testing::ElementsAre("best", "file order"));
  bool ruled = false;
  for (std::size_t i = 0; i < listing.candidates.size(); ++i) {
    const auto& listed = listing.candidates[i];
    EXPECT_EQ(fault_of(graph, listed.candidate, {Model::named_buffers}), "");
    if (i != 0) {
      EXPECT_GE(listed.candidate.total, listing.candidates[i - 1].candidate.total);
    }
    ruled = ruled || (!listed.origin.empty() && listed.origin[0] == "freed-memory rule");
  }
  EXPECT_TRUE(ruled);
  EXPECT_EQ(names_of(graph, listing.candidates[0].candidate).back(), "A");
}

TEST(BranchReplay, FindsWhatIsWrong) {
  const auto graph = two_branches();
  const Rules rules{Model::named_buffers};
  const auto good = best_order(graph, rules).best;
  const auto broken = [&](const auto& change) {
    auto candidate = good;
    change(candidate);
    return fault_of(graph, candidate, rules);
  };
  EXPECT_EQ(broken([](Candidate&) {}), "");
  EXPECT_THAT(broken([](Candidate& c) { std::swap(c.steps[0], c.steps[1]); }), HasSubstr("before its input"));
  EXPECT_THAT(broken([](Candidate& c) { c.steps.pop_back(); }), HasSubstr("once"));
  EXPECT_THAT(broken([](Candidate& c) { c.steps[0].scratch = -1; }), HasSubstr("does not find its input"));
  EXPECT_THAT(broken([](Candidate& c) { c.steps[1].place = c.steps[0].place; }), HasSubstr("overwrites"));
  EXPECT_THAT(broken([](Candidate& c) { c.steps[1].place = Place::scratch; }), HasSubstr("directly"));
  EXPECT_THAT(broken([](Candidate& c) { c.steps[1].place = Place::none; }), HasSubstr("nowhere"));
  EXPECT_THAT(broken([](Candidate& c) { ++c.operational[0]; }), HasSubstr("other sizes"));
  EXPECT_THAT(broken([](Candidate& c) { ++c.total; }), HasSubstr("sum up"));
  EXPECT_THAT(broken([](Candidate& c) { ++c.scratch[0].bytes; }), HasSubstr("wrong size"));
  EXPECT_THAT(broken([](Candidate& c) {
                for (int v : c.scratch[1].values) c.scratch[0].values.push_back(v);
                for (auto& step : c.steps)
                  if (step.scratch == 1) step.scratch = 0;
                c.scratch.pop_back();
              }),
              HasSubstr("at once"));
}

}  // namespace
}  // namespace dse::plan::branch::test::search_test
