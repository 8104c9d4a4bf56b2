#include "methods/memory/memory_table.h"

#include "methods/dataflow/csdf.h"

namespace dse::plan::phases {

MemoryTable memory_table(LayerGraph graph, Parts parts, std::int64_t bytes_per_element, shared::Input input) {
  MemoryTable t;
  t.layers = graph.layer_count(), t.phases = parts.total(graph);
  t.naive = naive_bytes(graph, bytes_per_element);
  t.layer_by_layer = least_layer_peak(graph, bytes_per_element);
  t.buffer_reuse = buffer_reuse(graph, bytes_per_element);
  t.flow = window_flow(graph, parts, bytes_per_element);
  t.thesis_lower_bound = lower_bound(t.flow).bytes(t.flow);
  t.thesis = least_capacity(t.flow);
  t.order = run_with(t.flow, t.thesis.buffers);
  t.lazy = lazy_schedule(t.flow);
  t.shared = shared::least_memory(graph, input, bytes_per_element);
  t.graph = std::move(graph), t.parts = std::move(parts);
  return t;
}

}  // namespace dse::plan::phases
