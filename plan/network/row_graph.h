// A network as plans run it, row by row: its layers, the rows of their tensors and the windows over rows with which
// they are read. What the planner of shared phases sees (plan/segment/planner) and what phased segments are made of.
#pragma once
#include <vector>

#include "models/nn/network.h"
#include "plan/network/layer_graph.h"

namespace dse::plan {

/// The operator can make any rows of its output from rows of its inputs, in calls of their own: convolutions, pools,
/// element-wise operators whose operands have the output's rows, concatenations along channels. One image at a time.
bool by_rows(const nn::Network& network, const nn::Operator& op);

/// Of an operator by_rows(): it can make any columns of them, too, and each output column reads a window of columns of
/// every input.
bool by_columns(const nn::Network& network, const nn::Operator& op);

/// Rows of a tensor: those of its image where it is one image, else those that it has for whoever reads it through
/// reshapes (a flat input), if they agree; else one row that is all of it.
std::int64_t rows_of(const nn::Network& network, int tensor);

/// A tensor that shares the bytes of `root` (an alias root) has its rows, too. Else who reads it reads them all.
bool rows_as(const nn::Network& network, int tensor, int root);

struct RowGraph {
  /// Sources, one per input of the network, come first; Edge::tensor is a tensor's alias root; rows are counted in
  /// bytes.
  phases::LayerGraph graph;
  std::vector<int> op;        // per layer of the graph: the operator; -1 = an input of the network
  std::vector<int> tensor;    // per layer of the graph: the alias root of its (first) output
  std::vector<char> by_rows;  // per layer of the graph
};

/// All layers in the network's order, reshapes that share bytes left out. What cannot run by rows reads everything at
/// once.
RowGraph row_graph(const nn::Network& network, bool alias_reshapes);

}  // namespace dse::plan
