// The plan of shared phases that needs the least memory, with its offsets.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "methods/memory/place.h"
#include "plan/network/layer_graph.h"
#include "plan/segment/planner/planner.h"

namespace dse::plan::shared {

/// A plan, and where its tensors lie.
struct SharedPlan {
  phases::LayerGraph graph;  // in the order in which the segments cover it
  std::vector<RowSegment> segments;
  Schedule schedule;
  std::int64_t load = 0;      // bytes: the most that is held in a step, ideally packed
  std::int64_t cost = 0;      // elements computed anew, and calls beyond one per layer
  bool proven_least = false;  // no plan of PlannerOptions has a lower load, for the layers in this order
  Placed placed;              // placed.layout.height: the arena
  std::int64_t arena() const { return placed.layout.height; }
};

struct LeastMemory {
  SharedPlan best;   // rows may lie anywhere
  SharedPlan rings;  // rows of a tensor lie in a ring: what calls on rows take as it is
};

/// Of the graph's own order of layers and of the one that is best for whole layers, with the least load and with the
/// least that rings take, the plan with the lowest arena. Graphs of more than 200 layers get segments of up to 100
/// layers without recomputation, and no plan is proven least. For graphs without phases::defect_of().
LeastMemory least_memory(const phases::LayerGraph& graph, Input input, std::int64_t bytes_per_element);

/// What a segment does, in words: "conv1 to pool2 by phases of 2 rows of pool2, others row by row".
std::string describe(const phases::LayerGraph& graph, const RowSegment& segment);

}  // namespace dse::plan::shared
