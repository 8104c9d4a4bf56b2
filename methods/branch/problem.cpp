// Ordering problems as graphs of branches, and back.
#include <algorithm>
#include <functional>
#include <queue>

#include "base/index.h"
#include "methods/branch/graph.h"
#include "methods/order/graph.h"

namespace dse::plan::branch {
namespace {

/// Operators in an order in which they can run: the file's, as far as it is one.
std::vector<int> sorted(const order::Graph& g) {
  std::vector<std::size_t> missing(g.ops.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int o = 0; o < g.size(); ++o)
    if ((missing[index(o)] = g.ops[index(o)].before.size()) == 0) ready.push(o);
  std::vector<int> out;
  while (!ready.empty()) {
    out.push_back(ready.top());
    ready.pop();
    for (const int n : g.ops[index(out.back())].next)
      if (--missing[index(n)] == 0) ready.push(n);
  }
  return out;
}

class Converter {
 public:
  explicit Converter(const OrderProblem& problem)
      : p_(problem),
        g_(order::compile(problem, OrderRule::out_of_place)),
        node_of_(problem.operators.size(), -1),
        storage_(problem.tensors.size(), -1),
        maker_(problem.tensors.size(), -1),
        wanted_(problem.tensors.size(), false) {
    for (std::size_t t = 0; t < wanted_.size(); ++t) wanted_[t] = problem.tensors[t].kept;
    for (const auto& op : problem.operators)
      for (const int t : op.inputs) wanted_[index(t)] = true;
  }

  Graph graph() {
    Graph out;
    out.name = p_.name;
    for (std::size_t t = 0; t < p_.tensors.size(); ++t)
      if (p_.tensors[t].given) {
        storage_[t] = maker_[t] = static_cast<int>(out.nodes.size());
        out.nodes.push_back({p_.tensors[t].name, p_.tensors[t].bytes, {}, true, g_.buffers[t].kept});
      }
    const auto order = sorted(g_);
    out.in_file_order = std::is_sorted(order.begin(), order.end());
    for (const int o : order) add(o, out);
    return finish(std::move(out));
  }

 private:
  /// One input, one output that somebody wants, the same bytes.
  bool only_renames(int o) const {
    const auto& op = p_.operators[index(o)];
    if (op.outputs.size() != 1 || !op.after.empty()) return false;
    const int read = p_.tensors[index(op.outputs[0])].alias;
    return read >= 0 && wanted_[index(op.outputs[0])] &&
           std::all_of(op.inputs.begin(), op.inputs.end(), [&](int t) { return t == read; });
  }

  void add(int o, Graph& out) {
    const auto& op = p_.operators[index(o)];
    if (only_renames(o)) {
      const int read = p_.tensors[index(op.outputs[0])].alias;
      node_of_[index(o)] = maker_[index(op.outputs[0])] = maker_[index(read)];
      storage_[index(op.outputs[0])] = storage_[index(read)];
      out.nodes[index(node_of_[index(o)])].operators.push_back(o);
      return;
    }
    Node node;
    node.name = op.name;
    node.bytes = g_.ops[index(o)].made_bytes;
    node.operators = {o};
    for (const int t : op.inputs) {
      node.inputs.push_back(storage_[index(t)]);
      if (maker_[index(t)] != storage_[index(t)]) node.after.push_back(maker_[index(t)]);
    }
    for (const int other : op.after)
      if (const int n = node_of_[index(other)]; !out.nodes[index(n)].given) node.after.push_back(n);
    const int here = static_cast<int>(out.nodes.size());
    node_of_[index(o)] = here;
    for (const int t : op.outputs) {
      const int alias = p_.tensors[index(t)].alias;
      maker_[index(t)] = here;
      storage_[index(t)] = alias < 0 ? here : storage_[index(alias)];
      if (alias < 0) node.kept = node.kept || g_.buffers[index(t)].kept;
    }
    out.nodes.push_back(std::move(node));
  }

  const OrderProblem& p_;
  order::Graph g_;
  std::vector<int> node_of_;          // per operator
  std::vector<int> storage_, maker_;  // per tensor: the nodes that make its bytes and its name
  std::vector<bool> wanted_;          // per tensor: read or kept
};

}  // namespace

Graph graph_of(const OrderProblem& problem) { return Converter(problem).graph(); }

OrderProblem problem_of(const Graph& graph) {
  OrderProblem out;
  out.name = graph.name;
  std::vector<int> operator_of(graph.nodes.size(), -1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto& node = graph.nodes[i];
    out.tensors.push_back({node.name, node.bytes, node.given, node.kept, -1});
    if (node.given) continue;
    operator_of[i] = static_cast<int>(out.operators.size());
    OrderOperator op;
    op.name = node.name;
    op.inputs = node.inputs;
    op.outputs = {static_cast<int>(i)};
    for (const int other : node.after)
      if (const int before = operator_of[index(other)]; before >= 0) op.after.push_back(before);
    out.operators.push_back(std::move(op));
  }
  return out;
}

}  // namespace dse::plan::branch
