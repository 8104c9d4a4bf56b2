// The baselines beside the phases method: a buffer per edge, and buffers reused between layers. (Layer by layer in the
// best order: layer_order.h.)
#pragma once
#include <cstdint>
#include <vector>

#include "plan/network/layer_graph.h"

namespace dse::plan::phases {

/// Every edge in a buffer of its own.
std::int64_t naive_bytes(const LayerGraph& g, std::int64_t bytes_per_element);

/// Reuse: layers run breadth first, each output edge takes the first buffer that is free (it grows to the largest edge
/// that it ever holds), and an edge's buffer is free once its consumer has run.
struct Reuse {
  std::vector<std::int64_t> buffers;  // bytes of each
  std::vector<int> of_edge;           // buffer of each edge
  std::vector<int> order;             // of the layers
  std::int64_t bytes() const;
};
Reuse buffer_reuse(const LayerGraph& g, std::int64_t bytes_per_element);

}  // namespace dse::plan::phases
