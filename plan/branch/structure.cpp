#include <algorithm>

#include "plan/branch/graph.h"

namespace dse::plan::branch {
namespace {

const Node& at(const Graph& graph, int node) { return graph.nodes[static_cast<std::size_t>(node)]; }

/// Nodes that something runs beside: an edge passes them by, or a node is neither before nor after them.
std::vector<bool> passed_by(const Graph& graph) {
  const auto count = graph.nodes.size();
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count, false));
  std::vector<std::size_t> related(count, 1);
  for (std::size_t i = 0; i < count; ++i)
    for (int input : graph.nodes[i].inputs) {
      before[i][static_cast<std::size_t>(input)] = true;
      for (std::size_t k = 0; k < i; ++k)
        if (before[static_cast<std::size_t>(input)][k]) before[i][k] = true;
    }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (before[i][k]) ++related[i], ++related[k];
  std::vector<int> crossing(count + 1, 0);  // edges that are open while node i runs in the order of the nodes
  for (std::size_t i = 0; i < count; ++i)
    for (int reader : graph.nodes[i].readers)
      if (static_cast<std::size_t>(reader) > i + 1) ++crossing[i + 1], --crossing[static_cast<std::size_t>(reader)];
  std::vector<bool> out(count, false);
  int open = 0;
  for (std::size_t i = 0; i < count; ++i) {
    open += crossing[i];
    out[i] = related[i] != count || open != 0;
  }
  return out;
}

}  // namespace

std::vector<int> chain_from(const Graph& graph, int node) {
  std::vector<int> chain = {node};
  while (!at(graph, node).given && at(graph, node).readers.size() == 1) {
    const int next = at(graph, node).readers.front();
    if (at(graph, next).inputs.size() != 1) break;
    chain.push_back(node = next);
  }
  return chain;
}

Structure structure_of(const Graph& graph) {
  Structure out;
  const auto beside = passed_by(graph);
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const auto& node = at(graph, i);
    if (node.inputs.size() > 1) out.aggregation.push_back({i, beside[static_cast<std::size_t>(i)]});
    if (node.readers.size() < 2) continue;
    out.branching.push_back({i, beside[static_cast<std::size_t>(i)]});
    for (int reader : node.readers) {
      Branch branch;
      branch.from = i;
      branch.edges = branch.last = node.bytes;
      branch.to = reader;
      if (at(graph, reader).inputs.size() == 1) {
        branch.nodes = chain_from(graph, reader);
        for (int member : branch.nodes) branch.edges += at(graph, member).bytes;
        branch.last = at(graph, branch.nodes.back()).bytes;
        const auto& readers = at(graph, branch.nodes.back()).readers;
        branch.to = readers.size() == 1 ? readers.front() : -1;
      }
      out.branches.push_back(std::move(branch));
    }
  }
  return out;
}

}  // namespace dse::plan::branch
