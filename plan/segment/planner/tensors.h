// The tensors of a layer graph: who makes each, who reads it, and which of its rows a call makes and reads.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/network/layer_graph.h"

namespace dse::plan::shared {

struct Tensor {
  int number = -1;  // as Edge::tensor; -1: made by a layer without readers
  int layer = 0;    // that makes it
  std::int64_t rows = 1, row_elements = 1;
  std::vector<int> edges;  // one per reader; what a layer reads twice may be two edges
  bool stays = false;      // an output of the network
};

struct Tensors {
  std::vector<Tensor> all;                 // by layer
  std::vector<std::vector<int>> of_layer;  // tensors that a layer makes
  std::vector<int> of_edge;
  std::vector<std::vector<int>> ins;  // edges that a layer reads, in their order
};
Tensors tensors_of(const phases::LayerGraph& g);

/// Rows of a tensor that are made once the first `made` rows of its layer (of `layer_rows`) are.
inline std::int64_t rows_made(std::int64_t tensor_rows, std::int64_t made, std::int64_t layer_rows) {
  return tensor_rows == layer_rows ? made : made * tensor_rows / layer_rows;
}
/// The fewest rows of the layer with which rows_made() reaches `wanted`.
inline std::int64_t rows_to_make(std::int64_t tensor_rows, std::int64_t wanted, std::int64_t layer_rows) {
  return tensor_rows == layer_rows ? wanted : (wanted * layer_rows + tensor_rows - 1) / tensor_rows;
}

}  // namespace dse::plan::shared
