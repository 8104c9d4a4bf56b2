// Which layers run together by phases: the front of peak bytes against what phases cost.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/segment/planner/schedule.h"

namespace dse::plan::shared {

/// What calls take, in any unit; by layer of the graph. Empty = 0 for every layer.
struct CostModel {
  std::vector<std::int64_t> row;   // per computed row
  std::vector<std::int64_t> call;  // per call
};

/// What a segment of several layers, or a layer by itself, may do.
struct PlannerOptions {
  Input input = Input::streamed;
  std::int64_t bytes_per_element = 1;
  std::vector<char> phaseable;  // by layer of the graph: others only run whole and by themselves; empty = all can
  int max_layers = 0;           // of a segment; 0 = any number
  std::int64_t max_rows = 0;    // of the driver per phase, tried in powers of two, and all; 0 = any number
  bool recompute = true;        // Halo::recomputed beside Halo::cached
  bool lone_rows = true;        // a layer by itself may run by rows, so that its inputs are given up early
  std::int64_t max_strips = 1;  // of a segment of several layers, tried one by one
  bool rings = false;           // peaks count a ring whole while it holds anything, as arenas do
  /// Among plans of equal peak the one in which every segment needs little, not the cheapest: the front of peak against
  /// the sum of all layers' segments' peaks. What crosses segments finds room more easily then.
  bool tight = false;
  bool least_only = false;               // only the least peak, and the least cost with it
  int slack_percent = 0;                 // with least_only: also peaks up to this much above the least
  std::int64_t max_steps = 400'000'000;  // calls tried in all
};

/// One plan: what it holds at most, ideally packed, and what it costs beyond layer by layer: the recomputed rows, and
/// the calls beyond one per layer. (Rows that nobody reads, and recomputation leaves out, count as computed.)
struct Segmentation {
  std::int64_t peak = 0;  // bytes
  std::int64_t cost = 0;
  std::vector<RowSegment> segments;
};

struct SegmentationFront {
  std::vector<Segmentation> points;  // peaks ascending, costs descending
  /// All segmentations of the layers in their given order were covered with: rows of 1, 2, 4, ... and all per phase;
  /// grains all 1 or all 0; halos as the options say; in several strips always a row at a time. Else max_steps ended
  /// it: the points are plans, but there may be better ones.
  bool exact = false;
  std::int64_t steps = 0;  // calls tried
};

/// The front of a graph without phases::defect_of().
/// @throws InvariantError for vectors of the wrong length or negative costs.
SegmentationFront plan_front(const phases::LayerGraph& graph, const CostModel& cost, const PlannerOptions& options);

}  // namespace dse::plan::shared
