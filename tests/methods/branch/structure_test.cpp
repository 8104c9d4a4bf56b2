#include <gmock/gmock.h>

#include "methods/branch/rules.h"
#include "models/nn/network.h"
#include "tests/methods/branch/graphs.h"

namespace dse::plan::branch::test::structure_test {
namespace {

std::vector<std::string> points(const Graph& graph, const std::vector<Structure::Point>& list) {
  std::vector<std::string> out;
  for (const auto& p : list)
    out.push_back(graph.nodes[static_cast<std::size_t>(p.node)].name + (p.intermediate ? " intermediate" : ""));
  return out;
}

TEST(BranchStructure, IntermediateAggregation) {
  const auto graph = three_branches();
  const auto s = structure_of(graph);
  EXPECT_THAT(points(graph, s.branching), testing::ElementsAre("B"));
  EXPECT_THAT(points(graph, s.aggregation), testing::ElementsAre("E4 intermediate", "A"));
  ASSERT_EQ(s.branches.size(), 3u);
  EXPECT_EQ(s.branches[0].nodes.size(), 3u);
  EXPECT_EQ(s.branches[0].to, node_named(graph, "E4"));
  EXPECT_EQ(s.branches[0].edges, 40 + 50 + 20 + 45);
  EXPECT_EQ(s.branches[0].freed(), 40 + 50 + 20);
}

TEST(BranchStructure, IntermediateBranchingPointAndDirectSkip) {
  const auto graph =
      graph_of_lines({"in 8", "a 4 in", "b 2 a", "c 3 a", "join 5 b c", "end 6* join in", "after 1* end"});
  const auto s = structure_of(graph);
  EXPECT_THAT(points(graph, s.branching), testing::ElementsAre("in", "a intermediate"));
  EXPECT_THAT(points(graph, s.aggregation), testing::ElementsAre("join intermediate", "end"));
  ASSERT_EQ(s.branches.size(), 4u);
  EXPECT_THAT(s.branches[0].nodes, testing::ElementsAre(node_named(graph, "a")));
  EXPECT_EQ(s.branches[0].to, -1);  // it parts again
  EXPECT_TRUE(s.branches[1].nodes.empty());
  EXPECT_EQ(s.branches[1].to, node_named(graph, "end"));
  EXPECT_EQ(s.branches[1].edges, 8);
  EXPECT_EQ(s.branches[1].freed(), 0);
}

TEST(BranchStructure, BranchesBetweenTheSamePointsRunByWhatTheyFree) {
  const auto graph =
      graph_of_lines({"in 8", "a 4 in", "b 2 a", "c 30 in", "d 9 c", "join 5 b d in", "e 1 in", "end 6* join e"});
  const auto s = structure_of(graph);
  const auto parallel = parallel_branches(s);
  ASSERT_EQ(parallel.size(), 1u);  // e leads to another aggregation
  EXPECT_EQ(parallel[0].from, node_named(graph, "in"));
  EXPECT_EQ(parallel[0].to, node_named(graph, "join"));
  ASSERT_EQ(parallel[0].order.size(), 3u);
  EXPECT_THAT(s.branches[static_cast<std::size_t>(parallel[0].order[0])].nodes,
              testing::ElementsAre(node_named(graph, "c"), node_named(graph, "d")));
  EXPECT_TRUE(s.branches[static_cast<std::size_t>(parallel[0].order[2])].nodes.empty());
  EXPECT_EQ(parallel[0].bytes, 8 + 30 + 9);
}

TEST(BranchStructure, AChainHasNoBranches) {
  const auto s = structure_of(graph_of_lines({"a 1", "b 1 a", "c 1* b"}));
  EXPECT_TRUE(s.branching.empty());
  EXPECT_TRUE(s.aggregation.empty());
  EXPECT_TRUE(s.branches.empty());
}

TEST(BranchGraph, OfANetworkCountsActivationsOnly) {
  Diagnostics diagnostics;
  const auto network = nn::load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/resnet8.yaml", diagnostics);
  ASSERT_TRUE(network) << diagnostics.text();
  const auto graph = graph_of(order_problem(*network));
  EXPECT_TRUE(graph.nodes[0].given);
  EXPECT_TRUE(graph.nodes.back().kept);
  std::vector<int> operators;
  for (const auto& node : graph.nodes) {
    operators.insert(operators.end(), node.operators.begin(), node.operators.end());
    if (node.given) continue;
    const auto& op = network->operators[static_cast<std::size_t>(node.operators[0])];
    EXPECT_EQ(node.name, op.name);
    EXPECT_EQ(node.bytes, network->tensors[static_cast<std::size_t>(op.outputs[0])].bytes());
    EXPECT_LE(node.inputs.size(), 2u);
  }
  ASSERT_EQ(operators.size(), network->operators.size());
  for (std::size_t i = 0; i < operators.size(); ++i) EXPECT_EQ(operators[i], static_cast<int>(i));
  EXPECT_EQ(structure_of(graph).aggregation.size(), 3u);
}

TEST(BranchGraph, DropsRepeatedInputsAndRefusesLaterOnes) {
  Graph graph;
  graph.nodes = {{"a", 1, {}}, {"b", 1, {0, 0}}};
  EXPECT_EQ(finish(graph).nodes[1].inputs.size(), 1u);
  EXPECT_EQ(finish(graph).nodes[0].readers.size(), 1u);
  graph.nodes[0].inputs = {1};
  EXPECT_THROW(finish(graph), InvariantError);
  graph.nodes[0].inputs = {}, graph.nodes[0].after = {0};
  EXPECT_THROW(finish(graph), InvariantError);
}

}  // namespace
}  // namespace dse::plan::branch::test::structure_test
