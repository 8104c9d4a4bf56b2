// The baselines beside the phases method: a buffer per edge, buffers reused between layers, and layer by layer in the
// best order.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/order/order.h"
#include "plan/phases/layer_graph.h"

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

/// Layer by layer, out of place, each tensor once however many consumers it has: the least peak of bytes that live
/// while a layer runs, over all orders. Outputs of the network stay.
struct LayerPeak {
  std::int64_t bytes = 0;
  bool optimal = false;    // else the effort did not suffice: `bytes` is the least that was found
  std::vector<int> order;  // of the layers that are no sources
};
LayerPeak least_layer_peak(const LayerGraph& g, std::int64_t bytes_per_element, const OrderEffort& effort = {});

}  // namespace dse::plan::phases
