// A network as a graph: operators, network inputs and outputs and variables as nodes, tensors as edges.
#pragma once
#include <string>
#include <vector>

#include "models/nn/summary/summary.h"
#include "reports/network/graph_layout.h"

namespace dse::reports {

struct NetworkNode {
  enum class Role { layer, input, output, variable };
  Role role = Role::layer;
  int index = 0;  // of the operator, or of the tensor
  std::string title, subtitle;
};

struct NetworkGraph {
  std::vector<NetworkNode> nodes;  // operators first, by index
  Graph graph;                     // laid out; an edge's bundle is its tensor's index
};

/// Constants are not drawn. Tensors leave their operator side by side, each with room for its shape as a label
/// (`label_width` wide) to the right of where it leaves.
NetworkGraph network_graph(const nn::Network& n, const nn::Summary& s);

/// Room that the shape of a tensor takes as a label, in pixels.
double label_width(const nn::Tensor& t);

}  // namespace dse::reports
