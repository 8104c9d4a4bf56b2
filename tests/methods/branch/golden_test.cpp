// The two worked examples, recomputed: every order and every model.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "methods/branch/candidates.h"
#include "methods/branch/rules.h"
#include "methods/branch/search.h"
#include "methods/order/dag.h"
#include "tests/methods/branch/graphs.h"

namespace dse::plan::branch::test::branch_golden_test {
namespace {

using nlohmann::json;

std::filesystem::path shared() {
  const char* folder = std::getenv("DSE_SHARED");
  return folder != nullptr ? std::filesystem::path(folder) : std::filesystem::path(DSE_SOURCE_DIR) / "../shared";
}

class BranchGolden : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream in(shared() / "golden/branch/branch_golden.json");
    if (!in) GTEST_SKIP() << "no golden values";
    golden = json::parse(in);
  }

  /// "C1-C2-D1-D2-D3" between B and A.
  std::vector<int> order_of(std::string text) const {
    std::vector<std::string> names = {"B"};
    for (std::size_t at = 0; (at = text.find('-')) != std::string::npos; text = text.substr(at + 1))
      names.push_back(text.substr(0, at));
    names.push_back(text), names.push_back("A");
    return order_named(graph, names);
  }

  /// Every order of the table, no other ones, and the optimum.
  void expect_table(const std::string& name, const json& table, Rules rules) const {
    SCOPED_TRACE(name);
    rules.interrupt = name.rfind("with_interruption", 0) == 0;
    rules.share_scratch = name.find("scratch_reuse=True") != std::string::npos;
    const auto listing = list_candidates(graph, rules, {}, {-1, 1000, 1000});
    EXPECT_TRUE(listing.all_orders);
    EXPECT_EQ(listing.candidates.size(), table["per_order"].size());
    for (const auto& [order, bytes] : table["per_order"].items()) {
      const auto outcome = best_places(graph, order_of(order), rules);
      ASSERT_TRUE(outcome) << order;
      EXPECT_EQ(outcome->best.total, bytes.get<std::int64_t>()) << order;
      EXPECT_TRUE(outcome->optimal) << order;
      EXPECT_EQ(fault_of(graph, outcome->best, rules), "") << order;
    }
    EXPECT_EQ(listing.best.best.total, table["optimum"].get<std::int64_t>());
    EXPECT_TRUE(listing.best.optimal);
    std::vector<int> best;
    for (const auto& step : listing.best.best.steps) best.push_back(step.node);
    EXPECT_EQ(best, order_of(table["best_order"].get<std::string>()));
    expect_detail(table.contains("detail") ? table["detail"] : table, order_of(table["best_order"].get<std::string>()),
                  rules);
  }

  /// Given places lead to the given sizes.
  void expect_detail(const json& detail, const std::vector<int>& order, const Rules& rules) const {
    std::vector<Place> places(graph.nodes.size(), Place::none);
    for (const auto& [node, where] : detail["loc"].items()) {
      const auto text = where.is_string() ? where.get<std::string>() : std::to_string(where.get<int>());
      places[static_cast<std::size_t>(node_named(graph, node))] = text == "S"                    ? Place::scratch
                                                                  : text == "0" || text == "304" ? Place::first
                                                                                                 : Place::second;
    }
    const auto candidate = with_places(graph, order, places, rules);
    ASSERT_TRUE(candidate);
    EXPECT_EQ(fault_of(graph, *candidate, rules), "");
    if (detail.contains("total")) {
      EXPECT_EQ(candidate->total, detail["total"].get<std::int64_t>());
    }
    const auto operational = detail.contains("op") ? detail["op"] : json::array({detail["op304"], detail["op306"]});
    EXPECT_EQ(candidate->operational[0], operational[0].get<std::int64_t>());
    EXPECT_EQ(candidate->operational[1], operational[1].get<std::int64_t>());
    std::vector<std::vector<std::string>> held,
        expected = detail["scratch"].get<std::vector<std::vector<std::string>>>();
    for (const auto& buffer : candidate->scratch) {
      held.emplace_back();
      for (int value : buffer.values) held.back().push_back(graph.nodes[static_cast<std::size_t>(value)].name);
    }
    EXPECT_THAT(held, testing::UnorderedElementsAreArray(expected));
  }

  json golden;
  Graph graph = two_branches();
};

TEST_F(BranchGolden, WorkedOrdersNeedTheirBuffers) {
  const auto& fig = golden["fig3"];
  for (const auto& [name, bytes] : fig["sizes"].items())
    EXPECT_EQ(graph.nodes[static_cast<std::size_t>(node_named(graph, name))].bytes, bytes.get<std::int64_t>());
  EXPECT_EQ(fig["worked"].size(), 4u);
  for (const auto& [name, worked] : fig["worked"].items()) {
    SCOPED_TRACE(name);
    expect_detail(worked, order_named(graph, worked["order"].get<std::vector<std::string>>()),
                  {Model::named_buffers, Objective::with_scratch, true, false});
  }
}

TEST_F(BranchGolden, NamedBuffersStrict) {
  const auto& tables = golden["fig3"]["named_buffer_strict"];
  EXPECT_EQ(tables.size(), 4u);
  for (const auto& [name, table] : tables.items()) expect_table(name, table, {Model::named_buffers});
}

TEST_F(BranchGolden, NamedBuffersFreeAndDirectToScratch) {
  const auto& tables = golden["fig3"]["named_buffer_bruteforce"];
  EXPECT_EQ(tables.size(), 8u);
  for (const auto& [name, table] : tables.items())
    expect_table(name, table,
                 {name.find("direct_to_scratch=True") != std::string::npos ? Model::direct_to_scratch
                                                                           : Model::named_buffers_free});
}

TEST_F(BranchGolden, InterruptedOrder) {
  const auto& fig = golden["fig3D_order"].is_null() ? golden["fig3"]["fig3D_order"] : golden["fig3D_order"];
  const auto order = order_named(graph, fig["order"].get<std::vector<std::string>>());
  EXPECT_EQ(best_places(graph, order, {Model::named_buffers, Objective::with_scratch, true, false})->best.total,
            fig["best_no_reuse"].get<std::int64_t>());
  EXPECT_EQ(best_places(graph, order, {Model::named_buffers})->best.total,
            fig["best_scratch_reuse"].get<std::int64_t>());
}

TEST_F(BranchGolden, LivenessOfEveryOrder) {
  const Rules rules{Model::liveness};
  const auto& orders = golden["fig3"]["ideal_liveness"];
  EXPECT_EQ(orders.size(), 10u);
  std::int64_t least = 1 << 30;
  for (const auto& [text, expected] : orders.items()) {
    SCOPED_TRACE(text);
    const auto order = order_of(text);
    const auto outcome = best_places(graph, order, rules);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->best.total, expected["peak"].get<std::int64_t>());
    EXPECT_EQ(outcome->best.live, expected["profile"].get<std::vector<std::int64_t>>());
    EXPECT_EQ(peak_of_edge_copies(graph, order), expected["peak_edge_copies"].get<std::int64_t>());
    EXPECT_EQ(fault_of(graph, outcome->best, rules), "");
    const auto arena = arena_of(graph, outcome->best);
    EXPECT_EQ(arena.height, expected["arena"].get<std::int64_t>());
    EXPECT_TRUE(arena.optimal);
    least = std::min(least, outcome->best.total);
  }
  const auto best = best_order(graph, rules);
  EXPECT_EQ(best.best.total, least);
  EXPECT_TRUE(best.optimal);
}

TEST_F(BranchGolden, WholeBranchesByTotals) {
  const auto& fig = golden["fig2c"];
  const std::vector<std::string> names = {"top", "mid", "bot"};
  std::vector<Branch> branches;
  for (const auto& name : names) {
    Branch branch;
    branch.edges = fig["branch_total"][name].get<std::int64_t>(),
    branch.last = fig["last_edge"][name].get<std::int64_t>();
    branches.push_back(branch);
    EXPECT_EQ(branches.back().freed(), fig["freed"][name].get<std::int64_t>());
  }
  std::vector<int> order = {0, 1, 2};
  std::size_t seen = 0;
  do {
    const auto text = names[static_cast<std::size_t>(order[0])] + ">" + names[static_cast<std::size_t>(order[1])] +
                      ">" + names[static_cast<std::size_t>(order[2])];
    EXPECT_EQ(bytes_of(branches, order), fig["orders"].at(text).get<std::int64_t>()) << text;
    ++seen;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(seen, fig["orders"].size());
  EXPECT_EQ(by_freed_memory(branches), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(bytes_of(branches, by_freed_memory(branches)), fig["optimum"].get<std::int64_t>());
}

TEST_F(BranchGolden, LivenessOfThreeBranches) {
  const auto& cases = golden["fig2c"]["ideal_liveness_shared_20Kb_branching_tensor"];
  EXPECT_EQ(cases.size(), 9u);
  for (const auto& [text, expected] : cases.items()) {
    SCOPED_TRACE(text);
    const auto a = std::stoll(text.substr(2)), b = std::stoll(text.substr(text.find("b=") + 2));
    const auto three = three_totals(a, b);
    const auto outcome = best_order(three, {Model::liveness});
    EXPECT_EQ(outcome.best.total, expected[0].get<std::int64_t>());
    EXPECT_TRUE(outcome.optimal);
    std::vector<std::string> names = {"s"};
    for (const auto& name : expected[1]) names.push_back(name.get<std::string>());
    names.push_back("out");
    EXPECT_EQ(best_places(three, order_named(three, names), {Model::liveness})->best.total,
              expected[0].get<std::int64_t>());
    const auto structure = structure_of(three);
    ASSERT_EQ(structure.branches.size(), 3u);
    EXPECT_EQ(structure.branches[0].edges, golden["fig2c"]["branch_total"]["bot"].get<std::int64_t>());
    EXPECT_EQ(structure.branches[1].edges, golden["fig2c"]["branch_total"]["mid"].get<std::int64_t>());
    EXPECT_EQ(structure.branches[2].edges, golden["fig2c"]["branch_total"]["top"].get<std::int64_t>());
    const auto parallel = parallel_branches(structure);
    ASSERT_EQ(parallel.size(), 1u);
    EXPECT_EQ(parallel[0].bytes, golden["fig2c"]["optimum"].get<std::int64_t>());
    EXPECT_EQ(parallel[0].order, (std::vector<int>{0, 1, 2}));  // bottom, middle, top
  }
}

// Liveness over all orders is the out-of-place minimum that exact search over operators knows.
TEST(BranchOrdering, LivenessHoldsForLargeGraphs) {
  std::ifstream table(shared() / "golden/ordering/optimum.csv");
  if (!table) GTEST_SKIP() << "no golden values";
  int rows = 0;
  std::string line;
  for (std::getline(table, line); std::getline(table, line);) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 5u);
    if (cells[2] != "out-of-place") continue;
    SCOPED_TRACE(cells[0]);
    std::ifstream file(shared() / "data/ordering" / (cells[0] + ".dag"));
    if (!file) continue;
    std::stringstream text;
    text << file.rdbuf();
    Diagnostics diagnostics;
    const auto problem = parse_dag(text.str(), cells[0], diagnostics);
    ASSERT_TRUE(problem) << diagnostics.text();
    const auto large = std::make_optional(graph_of(*problem));
    std::vector<int> order(large->nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const auto live = live_bytes(*large, order);
    EXPECT_EQ(*std::max_element(live.begin(), live.end()), std::stoll(cells[3]));
    const auto outcome = best_order(*large, {Model::liveness});
    EXPECT_EQ(outcome.best.total, std::stoll(cells[4]));
    EXPECT_TRUE(outcome.optimal);
    EXPECT_EQ(fault_of(*large, outcome.best, {Model::liveness}), "");
    ++rows;
  }
  EXPECT_GE(rows, 1);
}

}  // namespace
}  // namespace dse::plan::branch::test::branch_golden_test
