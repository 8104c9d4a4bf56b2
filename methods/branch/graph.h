// What branch orders are chosen for: nodes with one value each, parallel branches, and where they part and join.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "methods/order/order.h"

namespace dse::plan::branch {

/// One operator (or one input of the network) and the value it makes.
struct Node {
  std::string name;
  std::int64_t bytes = 0;        // of its value; 0: it stores nothing
  std::vector<int> inputs;       // nodes whose values it reads
  bool given = false;            // an input of the network: there before any operator runs, in the order of the nodes
  bool kept = false;             // an output of the network: its value stays to the end
  std::vector<int> after{};      // nodes that must have run before it, though it does not read them
  std::vector<int> operators{};  // of the network or file: its own, then those that only rename its value; in order
  std::vector<int> readers{};    // filled by finish()
  std::vector<int> before{};     // filled by finish(): all that must have run before it, inputs and `after`
  std::vector<int> next{};       // filled by finish(): all that must run after it
};

/// Nodes in an order in which they can run.
struct Graph {
  std::string name;
  std::vector<Node> nodes;
  bool in_file_order = true;  // false: the operators of the file could not run in its order, and were sorted
};

/// Fills `readers`, `before` and `next`, drops repeated inputs; a given value that nobody reads or keeps stores
/// nothing.
/// @throws InvariantError when a node reads or follows a later one or has bytes < 0.
Graph finish(Graph graph);

/// The operators of a problem and its given tensors, these first. An operator whose output is only a name for its one
/// input belongs to the node that makes the bytes; one with several outputs has one value as large as all of them.
/// @throws InvariantError when the problem is no DAG.
Graph graph_of(const OrderProblem& problem);

/// The way back: one operator per node that is not given, in the order of the nodes, and one tensor per node.
OrderProblem problem_of(const Graph& graph);

/// A chain of nodes that nothing else enters or leaves, between the node it starts from and the one that reads its end.
struct Branch {
  int from = -1;           // the branching point, or -1: the branch starts by itself
  std::vector<int> nodes;  // empty: a direct skip branch, an edge from `from` to `to`
  int to = -1;             // the aggregation (or the next branching chain), or -1: nothing reads the end
  std::int64_t edges = 0;  // bytes: the sum of all its edges, the one from `from` included
  std::int64_t last = 0;   // bytes of its last edge
  std::int64_t freed() const { return edges - last; }
};

/// Where branches part and join. A point is intermediate when something runs beside it: a branch of an outer pair of
/// points passes it by.
struct Structure {
  struct Point {
    int node = -1;
    bool intermediate = false;
  };
  std::vector<Point> branching, aggregation;
  std::vector<Branch> branches;  // of all branching points, in the order of the nodes
};
Structure structure_of(const Graph& graph);

/// `second` runs right after `first` in every order of whole branches: it follows nothing else, and nothing else reads
/// `first`, which is not given.
bool continues(const Graph& graph, int first, int second);

/// The longest chain from `node` on, each of which continues() the one before.
std::vector<int> chain_from(const Graph& graph, int node);

}  // namespace dse::plan::branch
