// What branch orders are chosen for: nodes with one value each, parallel branches, and where they part and join.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "models/nn/network.h"

namespace dse::plan::branch {

/// One operator (or one input of the network) and the value it makes.
struct Node {
  std::string name;
  std::int64_t bytes = 0;         // of its value; 0: it stores nothing (a node whose size nobody gave)
  std::vector<int> inputs;        // nodes whose values it reads, each once
  bool given = false;             // an input of the network: there before any operator runs, in the order of the nodes
  bool kept = false;              // an output of the network: its value stays to the end
  std::vector<int> readers = {};  // filled by finish()
};

/// Nodes in an order in which they can run.
struct Graph {
  std::string name;
  std::vector<Node> nodes;
};

/// The largest number of bytes of one value that readers accept: sums over any graph stay far from overflow.
constexpr std::int64_t largest_value = std::int64_t{1} << 40;

/// Fills `readers` and drops repeated inputs. @throws InvariantError when a node reads a later one or has bytes < 0.
Graph finish(Graph graph);

/// Reads the text of a `.dag` file: lines `T <tensor> <bytes> [shape]`, `IN <tensor>`, `OUT <tensor>`,
/// `OP <index> <type> <out> <in>...` in program order, `#` comments. Every problem goes to `diagnostics`.
std::optional<Graph> read_dag(const std::string& text, const std::string& file, Diagnostics& diagnostics);

/// Operators of a network with the bytes of their outputs; constants and variables do not count, an operator with
/// several outputs has one value as large as all of them.
Graph graph_of(const nn::Network& network);

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

/// The longest chain from `node` on: every node but the first has one input, every node but the last one reader.
std::vector<int> chain_from(const Graph& graph, int node);

}  // namespace dse::plan::branch
