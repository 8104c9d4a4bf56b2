// Layered drawing of a directed acyclic graph, top to bottom.
#pragma once
#include <cstddef>
#include <vector>

namespace dse::reports {

struct Point2 {
  double x = 0, y = 0;
};

struct GraphNode {
  double width = 0, height = 0;
  bool late = false;    // goes right above the first that reads it, not to the top (sources only)
  double x = 0, y = 0;  // result: the centre
  int layer = 0;        // result
};

struct GraphEdge {
  int from = 0, to = 0;
  int bundle = 0;              // edges of one bundle and source share their way through the layers
  std::vector<Point2> points;  // result: from the lower rim of `from` to the upper rim of `to`, downwards
};

struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;    // from != to, no cycles
  double width = 0, height = 0;    // result: everything lies within (0, 0) to (width, height)
  double gap_x = 26, gap_y = 62;   // between rims of neighbours, between layers
  std::size_t most_bends = 20000;  // long edges are drawn straight when more points than this would be needed
};

/// Fills the results. A node's layer is the length of the longest path to it. Layers are ordered by barycentres of
/// their neighbours in alternating sweeps, the order with the fewest crossings wins; x is then the least-squares
/// position beside neighbours that keeps order and distances. No two nodes overlap. Equal graphs give equal drawings.
/// @throws InvariantError on a cycle or an edge to a node that is not there.
void lay_out(Graph& graph);

}  // namespace dse::reports
