#include "plan/branch/graph.h"

#include <algorithm>
#include <map>

namespace dse::plan::branch {

Graph finish(Graph graph) {
  auto& nodes = graph.nodes;
  for (auto& node : nodes) node.readers.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ensure(nodes[i].bytes >= 0, "a value of less than no bytes: " + nodes[i].name);
    auto inputs = std::move(nodes[i].inputs);
    nodes[i].inputs.clear();
    for (int input : inputs) {
      ensure(input >= 0 && input < static_cast<int>(i), "a node reads what is made later: " + nodes[i].name);
      auto& seen = nodes[i].inputs;
      if (std::find(seen.begin(), seen.end(), input) != seen.end()) continue;
      seen.push_back(input);
      nodes[static_cast<std::size_t>(input)].readers.push_back(static_cast<int>(i));
    }
  }
  return graph;
}

Graph graph_of(const nn::Network& network) {
  Graph graph;
  graph.name = network.name;
  std::map<int, int> made_by;  // tensor -> node
  const auto is_output = [&](int tensor) {
    return std::find(network.outputs.begin(), network.outputs.end(), tensor) != network.outputs.end();
  };
  const auto counts = [&](int tensor) {
    if (tensor < 0) return false;
    const auto kind = network.tensors[static_cast<std::size_t>(tensor)].kind;
    return kind == nn::TensorKind::input || kind == nn::TensorKind::activation;
  };
  for (int tensor : network.inputs) {
    if (!counts(tensor) || made_by.count(tensor) != 0) continue;
    const auto& t = network.tensors[static_cast<std::size_t>(tensor)];
    made_by[tensor] = static_cast<int>(graph.nodes.size());
    graph.nodes.push_back({t.name, t.bytes(), {}, true, is_output(tensor)});
  }
  for (const auto& op : network.operators) {
    Node node;
    node.name = op.name;
    for (int tensor : op.inputs)
      if (const auto it = made_by.find(tensor); counts(tensor) && it != made_by.end())
        node.inputs.push_back(it->second);
    for (int tensor : op.outputs) {
      if (!counts(tensor)) continue;
      node.bytes += network.tensors[static_cast<std::size_t>(tensor)].bytes();
      node.kept = node.kept || is_output(tensor);
      made_by[tensor] = static_cast<int>(graph.nodes.size());
    }
    graph.nodes.push_back(std::move(node));
  }
  return finish(std::move(graph));
}

}  // namespace dse::plan::branch
