#include "methods/branch/graph.h"

#include <algorithm>
#include <utility>

namespace dse::plan::branch {
namespace {

void add_once(std::vector<int>& list, int node) {
  if (std::find(list.begin(), list.end(), node) == list.end()) list.push_back(node);
}

}  // namespace

Graph finish(Graph graph) {
  auto& nodes = graph.nodes;
  for (auto& node : nodes) node.readers.clear(), node.before.clear(), node.next.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto& node = nodes[i];
    ensure(node.bytes >= 0, "a value of less than no bytes: " + node.name);
    const auto earlier = [&](int k) { return k >= 0 && k < static_cast<int>(i); };
    for (int input : std::exchange(node.inputs, {})) {
      ensure(earlier(input), "a node reads what is made later: " + node.name);
      add_once(node.inputs, input);
    }
    node.before = node.inputs;
    for (int input : node.inputs) nodes[static_cast<std::size_t>(input)].readers.push_back(static_cast<int>(i));
    for (int other : node.after) {
      ensure(earlier(other), "a node follows a later one: " + node.name);
      add_once(node.before, other);
    }
    for (int other : node.before) nodes[static_cast<std::size_t>(other)].next.push_back(static_cast<int>(i));
  }
  for (auto& node : nodes)
    if (node.given && node.readers.empty() && !node.kept) node.bytes = 0;
  return graph;
}

bool continues(const Graph& graph, int first, int second) {
  const auto& node = graph.nodes[static_cast<std::size_t>(first)];
  return !node.given && node.readers.size() == 1 && node.readers.front() == second &&
         graph.nodes[static_cast<std::size_t>(second)].before.size() == 1;
}

std::vector<int> chain_from(const Graph& graph, int node) {
  std::vector<int> chain = {node};
  while (true) {
    const auto& readers = graph.nodes[static_cast<std::size_t>(chain.back())].readers;
    if (readers.empty() || !continues(graph, chain.back(), readers.front())) return chain;
    chain.push_back(readers.front());
  }
}

}  // namespace dse::plan::branch
