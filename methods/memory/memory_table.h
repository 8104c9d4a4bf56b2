// Memory of a network's activations, method by method, with the plan behind each number.
#pragma once
#include <optional>

#include "methods/dataflow/buffers.h"
#include "methods/memory/layer_order.h"
#include "methods/memory/least.h"
#include "methods/memory/reuse.h"
#include "plan/network/layer_graph.h"
#include "plan/network/parts.h"

namespace dse::plan::phases {

struct MemoryTable {
  LayerGraph graph;
  Parts parts;
  std::int64_t layers = 0, phases = 0;
  std::int64_t naive = 0;    // bytes: a buffer per edge
  LayerPeak layer_by_layer;  // a buffer per tensor, best order
  Reuse buffer_reuse;
  Flow flow;                            // one channel per edge, sized as windows
  std::int64_t thesis_lower_bound = 0;  // bytes
  CapacityResult thesis;
  Schedule order;  // with the buffers of `thesis`
  Schedule lazy;
  shared::LeastMemory shared;  // phases that share memory over time
};

/// All columns for a graph without defect_of(). `input`: for the shared phases; all other methods have inputs there
/// from the start until they have been read.
MemoryTable memory_table(LayerGraph graph, Parts parts, std::int64_t bytes_per_element,
                         shared::Input input = shared::Input::streamed);

}  // namespace dse::plan::phases
