// Layered drawings: layers by longest paths, nothing on top of anything else, equal graphs drawn equally.
#include "reports/network/graph_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/diagnostics.h"

namespace dse::reports::graph_layout_test {
namespace {

Graph graph(int nodes, const std::vector<std::pair<int, int>>& edges) {
  Graph g;
  for (int i = 0; i < nodes; ++i) {
    GraphNode n;
    n.width = 100, n.height = 40;
    g.nodes.push_back(n);
  }
  for (const auto& [from, to] : edges) g.edges.push_back({from, to, from, {}});
  return g;
}

void expect_apart(const Graph& g) {
  for (std::size_t a = 0; a < g.nodes.size(); ++a) {
    const auto& n = g.nodes[a];
    EXPECT_GE(n.x - n.width / 2, -1e-6);
    EXPECT_LE(n.x + n.width / 2, g.width + 1e-6);
    EXPECT_GE(n.y - n.height / 2, -1e-6);
    EXPECT_LE(n.y + n.height / 2, g.height + 1e-6);
    for (std::size_t b = a + 1; b < g.nodes.size(); ++b) {
      const auto& m = g.nodes[b];
      EXPECT_TRUE(std::abs(n.x - m.x) >= (n.width + m.width) / 2 + g.gap_x - 1e-6 ||
                  std::abs(n.y - m.y) >= (n.height + m.height) / 2 + g.gap_y - 1e-6)
          << a << " and " << b;
    }
  }
}

/// Where an edge passes a layer it runs straight down, beside all nodes.
void expect_edges_pass_beside(const Graph& g) {
  for (const auto& e : g.edges) {
    ASSERT_EQ(e.points.size(), 2 * static_cast<std::size_t>(g.nodes[static_cast<std::size_t>(e.to)].layer -
                                                            g.nodes[static_cast<std::size_t>(e.from)].layer));
    for (std::size_t p = 1; p + 1 < e.points.size(); p += 2) {
      EXPECT_EQ(e.points[p].x, e.points[p + 1].x);
      for (const auto& n : g.nodes) {
        if (n.y + n.height / 2 <= e.points[p].y || n.y - n.height / 2 >= e.points[p + 1].y) continue;
        EXPECT_GT(std::abs(n.x - e.points[p].x), n.width / 2);
      }
    }
    for (std::size_t p = 1; p < e.points.size(); ++p) EXPECT_GE(e.points[p].y, e.points[p - 1].y);
  }
}

TEST(GraphLayout, AChainIsAStraightLine) {
  auto g = graph(4, {{0, 1}, {1, 2}, {2, 3}});
  lay_out(g);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(g.nodes[i].layer, static_cast<int>(i));
    EXPECT_DOUBLE_EQ(g.nodes[i].x, 50);
  }
  EXPECT_DOUBLE_EQ(g.height, 4 * 40 + 3 * g.gap_y);
  EXPECT_DOUBLE_EQ(g.width, 100);
}

TEST(GraphLayout, AShortcutBendsAroundTheNodesThatItSkips) {
  auto g = graph(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  lay_out(g);
  EXPECT_EQ(g.nodes[3].layer, 3);
  expect_apart(g);
  expect_edges_pass_beside(g);
}

TEST(GraphLayout, CrossingsAreUndone) {
  auto g = graph(6, {{0, 5}, {1, 4}, {2, 3}});
  lay_out(g);
  std::vector<std::pair<double, double>> ends;
  for (const auto& e : g.edges) ends.emplace_back(e.points.front().x, e.points.back().x);
  std::sort(ends.begin(), ends.end());
  EXPECT_LT(ends[0].second, ends[1].second);
  EXPECT_LT(ends[1].second, ends[2].second);
}

TEST(GraphLayout, LateSourcesStandAboveTheirReader) {
  auto g = graph(5, {{0, 1}, {1, 2}, {2, 3}, {4, 3}});
  g.nodes[4].late = true;
  lay_out(g);
  EXPECT_EQ(g.nodes[4].layer, 2);
}

TEST(GraphLayout, RandomGraphsHaveNothingOnTopOfAnythingElse) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const int nodes = 2 + static_cast<int>(random() % 40);
    auto g = graph(nodes, {});
    for (auto& n : g.nodes) n.width = 20 + static_cast<double>(random() % 200), n.late = random() % 2 == 0;
    const auto edges = random() % static_cast<unsigned>(3 * nodes);
    for (unsigned e = 0; e < edges; ++e) {
      const int to = 1 + static_cast<int>(random() % static_cast<unsigned>(nodes - 1));
      const int from = static_cast<int>(random() % static_cast<unsigned>(to));
      g.edges.push_back({from, to, static_cast<int>(random() % 2), {}});
    }
    auto again = g;
    lay_out(g);
    expect_apart(g);
    expect_edges_pass_beside(g);
    for (const auto& e : g.edges)
      EXPECT_LT(g.nodes[static_cast<std::size_t>(e.from)].layer, g.nodes[static_cast<std::size_t>(e.to)].layer);
    lay_out(again);
    for (std::size_t n = 0; n < g.nodes.size(); ++n) EXPECT_EQ(g.nodes[n].x, again.nodes[n].x);
  }
}

TEST(GraphLayout, TooLongEdgesAreDrawnStraight) {
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i + 1 < 400; ++i) edges.emplace_back(i, i + 1);
  for (int i = 0; i < 200; ++i) edges.emplace_back(i, 399);
  auto g = graph(400, edges);
  g.most_bends = 100;
  lay_out(g);
  expect_apart(g);
  for (const auto& e : g.edges) EXPECT_EQ(e.points.size(), 2u);
}

TEST(GraphLayout, CyclesAndEdgesToNowhereAreRefused) {
  auto cycle = graph(3, {{0, 1}, {1, 2}, {2, 1}});
  EXPECT_THROW(lay_out(cycle), InvariantError);
  auto nowhere = graph(1, {{0, 1}});
  EXPECT_THROW(lay_out(nowhere), InvariantError);
  Graph empty;
  lay_out(empty);
  EXPECT_EQ(empty.height, 0);
}

}  // namespace
}  // namespace dse::reports::graph_layout_test
