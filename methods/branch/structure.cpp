#include "methods/branch/graph.h"
#include "methods/order/relation.h"

namespace dse::plan::branch {
namespace {

const Node& at(const Graph& graph, int node) { return graph.nodes[static_cast<std::size_t>(node)]; }

/// Nodes that something runs beside: an edge passes them by, or a node is neither before nor after them.
std::vector<bool> passed_by(const Graph& graph) {
  const auto count = graph.nodes.size();
  order::Relation before(count);
  std::vector<std::size_t> related(count, 1);
  for (int i = 0; i < static_cast<int>(count); ++i) {
    for (int other : at(graph, i).before) before.add(i, other), before.add_all(i, other);
    for (int k = 0; k < i; ++k)
      if (before.has(i, k)) ++related[static_cast<std::size_t>(i)], ++related[static_cast<std::size_t>(k)];
  }
  std::vector<int> crossing(count + 1, 0);  // edges that begin, less those that end, to be open while node i runs
  for (std::size_t i = 0; i < count; ++i)
    for (int reader : graph.nodes[i].readers) ++crossing[i + 1], --crossing[static_cast<std::size_t>(reader)];
  std::vector<bool> out(count, false);
  int open = 0;
  for (std::size_t i = 0; i < count; ++i) {
    open += crossing[i];
    out[i] = related[i] != count || open != 0;
  }
  return out;
}

}  // namespace

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
      if (at(graph, reader).before.size() == 1) {
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
