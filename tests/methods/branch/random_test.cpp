// Thousands of small series-parallel graphs in every model against all orders and all places.
#include <gmock/gmock.h>

#include "methods/branch/search.h"
#include "tests/methods/branch/brute_force.h"
#include "tests/methods/branch/graphs.h"
#include "tests/support/slow.h"

namespace dse::plan::branch::test::random_test {
namespace {

void expect_best(const Graph& graph, const Rules& rules) {
  const auto expected = brute_force(graph, rules);
  const auto outcome = best_order(graph, rules);
  ASSERT_TRUE(outcome.optimal);
  ASSERT_EQ(outcome.best.cost(rules), expected.first);
  ASSERT_EQ(outcome.lower_bound, expected.first);
  ASSERT_EQ(fault_of(graph, outcome.best, rules), "");
  if (rules.objective == Objective::operational) {
    ASSERT_EQ(outcome.best.scratch_bytes(), expected.second);
  }
  ASSERT_LE(floor_of(graph, rules), expected.first);
}

std::string describe(const Graph& graph) {
  std::string out;
  for (const auto& n : graph.nodes) {
    out += n.name + " " + std::to_string(n.bytes) + (n.kept ? "*" : "") + (n.given ? "!" : "");
    for (int i : n.inputs) out += " " + graph.nodes[static_cast<std::size_t>(i)].name;
    for (int i : n.after) out += " >" + graph.nodes[static_cast<std::size_t>(i)].name;
    out += "\n";
  }
  return out;
}

/// Every model with the rules that `variant` picks; all variants come in turn.
void all_models(int graphs, int nodes, unsigned seed) {
  std::mt19937 random(seed);
  int interrupted = 0, skips = 0, intermediate = 0, joins = 0;
  for (int i = 0; i < graphs; ++i) {
    const auto graph =
        random_series_parallel(random, 3 + static_cast<int>(random() % static_cast<unsigned>(nodes - 2)));
    SCOPED_TRACE(describe(graph));
    const bool interrupt = i % 4 != 3, share = i % 2 == 0;
    const auto objective = i % 5 == 4 ? Objective::operational : Objective::with_scratch;
    for (const auto model : models) {
      SCOPED_TRACE(name_of(model));
      expect_best(graph, {model, objective, interrupt, share});
      if (testing::Test::HasFatalFailure()) return;
    }
    interrupted += interrupt ? 1 : 0;
    const auto structure = structure_of(graph);
    for (const auto& branch : structure.branches) skips += branch.nodes.empty() ? 1 : 0;
    for (const auto& point : structure.branching) intermediate += point.intermediate ? 1 : 0;
    joins += structure.aggregation.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(interrupted, graphs / 2);
  EXPECT_GT(skips, graphs / 4);         // branches without nodes
  EXPECT_GT(intermediate, graphs / 8);  // branching points beside other branches
  EXPECT_GT(joins, graphs / 8);         // graphs with several aggregations
}

TEST(BranchRandom, AgreesWithBruteForce) { all_models(dse::test::of_share(2000), 7, 1); }
TEST(BranchRandom, LargerGraphsAgreeWithBruteForce) { all_models(dse::test::of_share(200), 9, 2); }
TEST(BranchRandomSlow, ManyAgreeWithBruteForce) { all_models(dse::test::of_slow(2000), 9, 3); }

}  // namespace
}  // namespace dse::plan::branch::test::random_test
