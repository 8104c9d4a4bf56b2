#include "tests/methods/branch/graphs.h"

#include <algorithm>
#include <sstream>

namespace dse::plan::branch::test {

int node_named(const Graph& graph, const std::string& name) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].name == name) return static_cast<int>(i);
  return -1;
}

std::vector<int> order_named(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<int> out;
  for (const auto& name : names) out.push_back(node_named(graph, name));
  return out;
}

Graph graph_of_lines(const std::vector<std::string>& lines) {
  Graph graph;
  for (const auto& line : lines) {
    std::istringstream in(line);
    Node node;
    std::string bytes;
    in >> node.name >> bytes;
    node.kept = bytes.back() == '*';
    node.bytes = std::stoll(bytes);
    for (std::string input; in >> input;) node.inputs.push_back(node_named(graph, input));
    graph.nodes.push_back(node);
  }
  return finish(graph);
}

Graph two_branches() {
  return graph_of_lines({"B 40", "C1 80 B", "C2 30 C1", "D1 70 B", "D2 35 D1", "D3 60 D2", "A 0 C2 D3"});
}

Graph three_branches() {
  return graph_of_lines({"B 40", "E1 50 B", "E2 20 E1", "E3 45 E2", "C1 80 B", "C2 30 C1", "E4 25 C2 E3", "D1 70 B",
                         "D2 35 D1", "D3 60 D2", "A 0 E4 D3"});
}

Graph three_totals(std::int64_t a, std::int64_t b) {
  return graph_of_lines({"s 20", "b1 " + std::to_string(a) + " s", "b2 " + std::to_string(b) + " b1", "b3 30 b2",
                         "m1 40 s", "m2 25 m1", "m3 60 m2", "t1 30 s", "t2 40 t1", "out 0 b3 m3 t2"});
}

namespace {

using Edges = std::vector<std::pair<int, int>>;

/// Edges of a series-parallel graph grown from one edge 0 -> 1 by series and parallel steps.
Edges grow(std::mt19937& random, int nodes) {
  Edges edges = {{0, 1}};
  int count = 2;
  for (int tries = 0; count < nodes && tries < 40; ++tries) {
    const auto at = random() % edges.size();
    const auto [from, to] = edges[at];
    if (random() % 2 == 0) {  // series: a node within the edge
      edges[at] = {from, count};
      edges.push_back({count++, to});
    } else if (random() % 3 == 0) {
      edges.push_back({from, to});  // parallel: a skip, or the start of a branch
    } else {
      edges.push_back({from, count});
      edges.push_back({count++, to});
    }
  }
  return edges;
}

}  // namespace

Graph random_series_parallel(std::mt19937& random, int nodes) {
  const auto edges = grow(random, nodes);
  int count = 0;
  for (const auto& [from, to] : edges) count = std::max({count, from + 1, to + 1});
  std::vector<int> position(static_cast<std::size_t>(count), -1);
  Graph graph;
  while (static_cast<int>(graph.nodes.size()) < count)
    for (int n = 0; n < count; ++n) {
      if (position[static_cast<std::size_t>(n)] >= 0) continue;
      Node node;
      bool ready = true;
      for (const auto& [from, to] : edges) {
        if (to != n) continue;
        const int input = position[static_cast<std::size_t>(from)];
        ready = ready && input >= 0;
        node.inputs.push_back(input);
      }
      if (!ready) continue;
      node.name = "n" + std::to_string(n);
      node.bytes = random() % 8 == 0 ? 0 : 1 + static_cast<std::int64_t>(random() % 12);
      node.given = n == 0 && random() % 3 == 0;
      node.kept = random() % 16 == 0 || (n == 1 && random() % 2 == 0);
      if (const auto made = graph.nodes.size(); made > 1 && random() % 12 == 0)
        node.after.push_back(static_cast<int>(random() % made));
      position[static_cast<std::size_t>(n)] = static_cast<int>(graph.nodes.size());
      graph.nodes.push_back(std::move(node));
    }
  return finish(graph);
}

}  // namespace dse::plan::branch::test
