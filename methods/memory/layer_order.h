// The order of whole layers: as a problem for the order planner, its answer, and a graph in another order.
#pragma once
#include <span>

#include "methods/order/order.h"
#include "plan/network/layer_graph.h"

namespace dse::plan::phases {

/// Operators are the layers that are no sources, in their order; sources give their tensors. Layers that nobody reads
/// make a tensor all the same.
OrderProblem order_problem(const LayerGraph& g, std::int64_t bytes_per_element);

/// Layer by layer, out of place, each tensor once however many consumers it has: the least peak of bytes that live
/// while a layer runs, over all orders. Outputs of the network stay.
struct LayerPeak {
  std::int64_t bytes = 0;
  std::int64_t lower_bound_bytes = 0;  // proven; equals `bytes` when optimal
  bool optimal = false;
  std::vector<int> order;  // of the layers that are no sources
};
LayerPeak least_layer_peak(const LayerGraph& g, std::int64_t bytes_per_element, const OrderEffort& effort = {});

/// The graph with the layers that are no sources in this order, after the sources. @throws InvariantError when an edge
/// would not point forward or a layer is missing.
LayerGraph in_order(const LayerGraph& g, std::span<const int> order);

}  // namespace dse::plan::phases
