// Ordering problems as graphs of branches: what becomes a node, and that both rooms count the same bytes.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "methods/branch/search.h"
#include "methods/order/dag.h"
#include "tests/methods/branch/brute_force.h"
#include "tests/methods/branch/graphs.h"
#include "tests/methods/order/random_graphs.h"

namespace dse::plan::branch::test::problem_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Graph read(const std::string& text) {
  Diagnostics diagnostics;
  const auto problem = parse_dag(text, "g.dag", diagnostics);
  EXPECT_TRUE(problem) << diagnostics.text();
  return graph_of(*problem);
}

OrderProblem problem(std::vector<OrderTensor> tensors, std::vector<OrderOperator> operators) {
  return {"p", std::move(tensors), std::move(operators)};
}

OrderOperator op(const std::string& name, std::vector<int> inputs, std::vector<int> outputs,
                 std::vector<int> after = {}) {
  return {name, "", std::move(inputs), std::move(outputs), std::move(after), false};
}

TEST(BranchProblem, TheExampleIsTheGraphOfTheTests) {
  std::ifstream in(std::string(DSE_SOURCE_DIR) + "/tests/methods/branch/graphs/two_branches.dag");
  std::stringstream text;
  text << in.rdbuf();
  const auto graph = read(text.str());
  EXPECT_EQ(graph.name, "two-branches");
  EXPECT_TRUE(graph.in_file_order);
  const auto expected = two_branches();
  ASSERT_EQ(graph.nodes.size(), expected.nodes.size());
  for (const auto& node : graph.nodes) {
    const auto& other = expected.nodes[static_cast<std::size_t>(node_named(expected, node.name))];
    EXPECT_EQ(node.bytes, 1000 * other.bytes);
    EXPECT_EQ(node.inputs.size(), other.inputs.size());
    EXPECT_EQ(node.readers.size(), other.readers.size());
  }
}

TEST(BranchProblem, InputsComeFirstAndWhatIsReadTwiceIsReadOnce) {
  const auto graph = read("T y 2\nT x 4 1x4 # four\r\nT idle 9\nIN idle\nOUT y\nIN x\nOP 0 Relu y x x\n");
  ASSERT_EQ(graph.nodes.size(), 3u);
  EXPECT_TRUE(graph.nodes[0].given && graph.nodes[1].given);
  EXPECT_EQ(graph.nodes[0].bytes, 4);
  EXPECT_EQ(graph.nodes[1].bytes, 0);  // nobody reads it
  EXPECT_TRUE(graph.nodes[2].kept);
  EXPECT_THAT(graph.nodes[2].inputs, ElementsAre(0));
  EXPECT_THAT(graph.nodes[2].operators, ElementsAre(0));
}

TEST(BranchProblem, OperatorsThatCannotRunInTheFilesOrderAreSorted) {
  const auto graph = read("T a 1\nT b 2\nT c 3\nOP 0 A a b\nOP 1 A b\nOP 2 A c a\n");
  EXPECT_FALSE(graph.in_file_order);
  std::vector<std::string> names;
  for (const auto& node : graph.nodes) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("b", "a", "c"));
  EXPECT_THAT(graph.nodes[0].operators, ElementsAre(1));
}

TEST(BranchProblem, WhatOnlyRenamesBelongsToTheNodeWithTheBytes) {
  // in -> reshape -> reshape -> a -> reshape, an output
  const auto graph = graph_of(problem({{"in", 8, true, false, -1},
                                       {"r", 8, false, false, 0},
                                       {"s", 8, false, false, 1},
                                       {"a", 4},
                                       {"t", 4, false, true, 3}},
                                      {op("r", {0}, {1}), op("s", {1}, {2}), op("a", {2}, {3}), op("t", {3}, {4})}));
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_THAT(graph.nodes[0].operators, ElementsAre(0, 1));
  EXPECT_THAT(graph.nodes[1].operators, ElementsAre(2, 3));
  EXPECT_THAT(graph.nodes[1].inputs, ElementsAre(0));
  EXPECT_TRUE(graph.nodes[1].kept);
}

TEST(BranchProblem, ARenamingThatWaitsForOthersIsANodeWithoutBytes) {
  const auto graph = graph_of(problem({{"in", 8, true, false, -1}, {"shape", 2}, {"r", 8, false, false, 0}, {"y", 1}},
                                      {op("shape", {0}, {1}), op("r", {0, 1}, {2}), op("y", {2}, {3})}));
  ASSERT_EQ(graph.nodes.size(), 4u);
  EXPECT_EQ(graph.nodes[2].bytes, 0);
  EXPECT_THAT(graph.nodes[3].inputs, ElementsAre(0));
  EXPECT_THAT(graph.nodes[3].after, ElementsAre(2));
}

TEST(BranchProblem, OrderWithoutDataIsKept) {
  const auto graph =
      graph_of(problem({{"in", 1, true, false, -1}, {"a", 5}, {"b", 1}}, {op("a", {0}, {1}), op("b", {0}, {2}, {0})}));
  EXPECT_THAT(graph.nodes[2].after, ElementsAre(1));
  EXPECT_THAT(graph.nodes[1].readers, IsEmpty());
  EXPECT_FALSE(best_places(graph, {0, 2, 1}, {Model::named_buffers}));
  EXPECT_EQ(all_orders(graph, {}).size(), 1u);
  const auto back = problem_of(graph);
  ASSERT_EQ(back.operators.size(), 2u);
  EXPECT_THAT(back.operators[1].after, ElementsAre(0));
}

TEST(BranchProblem, SeveralOutputsAreOneValue) {
  const auto graph =
      graph_of(problem({{"in", 1, true, false, -1}, {"a", 5}, {"b", 2, false, true, -1}}, {op("split", {0}, {1, 2})}));
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.nodes[1].bytes, 7);
  EXPECT_TRUE(graph.nodes[1].kept);
}

// Liveness of branches and the out-of-place rule are one and the same: minimum by minimum and order by order.
TEST(BranchProblem, LivenessIsTheOutOfPlaceRule) {
  int exact = 0, renamed = 0, ordered = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const auto p = plan::test::random_problem(seed, 9);
    const auto graph = graph_of(p);
    const Rules rules{Model::liveness};
    const auto found = find_order(p, OrderRule::out_of_place);
    const auto here = brute_force(graph, rules).first;
    const auto outcome = best_order(graph, rules);
    ASSERT_EQ(outcome.best.total, here);
    ASSERT_TRUE(outcome.optimal);
    ASSERT_EQ(fault_of(graph, outcome.best, rules), "");
    ASSERT_LE(found.peak_bytes, here);
    std::vector<int> order;
    for (const auto& step : outcome.best.steps)
      for (int o : graph.nodes[static_cast<std::size_t>(step.node)].operators) order.push_back(o);
    const auto peak = peak_of(p, OrderRule::out_of_place, order);  // throws when this is no order of all operators
    if (std::any_of(p.operators.begin(), p.operators.end(), [](const auto& o) { return o.outputs.size() != 1; })) {
      ASSERT_LE(peak, here);  // several outputs are one value there
      continue;
    }
    ASSERT_EQ(found.peak_bytes, here);
    ASSERT_EQ(peak, here);
    ++exact;
    renamed += graph.nodes.size() < p.operators.size() + 1;
    ordered += !std::all_of(p.operators.begin(), p.operators.end(), [](const auto& o) { return o.after.empty(); });
  }
  EXPECT_GT(exact, 200);
  EXPECT_GT(renamed, 20);
  EXPECT_GT(ordered, 50);
}

TEST(BranchProblem, ThereAndBackAgainNeedsTheSame) {
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    const auto graph = graph_of(plan::test::random_problem(seed, 40));
    const auto again = graph_of(problem_of(graph));
    ASSERT_EQ(again.nodes.size(), graph.nodes.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      EXPECT_EQ(again.nodes[n].bytes, graph.nodes[n].bytes);
      EXPECT_EQ(again.nodes[n].inputs, graph.nodes[n].inputs);
      EXPECT_EQ(again.nodes[n].before, graph.nodes[n].before);
      EXPECT_EQ(again.nodes[n].kept, graph.nodes[n].kept);
    }
  }
}

}  // namespace
}  // namespace dse::plan::branch::test::problem_test
