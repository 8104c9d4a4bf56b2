// Plans whose layers run by phases: the segments that the layers' choices form, the steps in which they run, and the
// rows that lie in memory meanwhile. Between the choices and the buffers; plan/segment/phased_emit.h makes tasks of it.
#pragma once
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "plan/network/row_graph.h"
#include "plan/plan.h"
#include "plan/segment/planner/schedule.h"
#include "plan/segment/planner/strips.h"

namespace dse::plan {

/// The segments that the choices form, layerwise ones too, in the order of `layers`. What cannot be is said.
std::variant<std::vector<Segment>, Infeasible> segments_of(const nn::Network& network,
                                                           const std::vector<LayerChoice>& choices,
                                                           const std::vector<int>& layers);

/// Rows of a tensor from elsewhere in the engine's nearest memory: where the engine does not reach the tensor's home.
struct NearRows {
  int tensor = 0;   // alias root
  int segment = 0;  // of the plan
  int memory = 0;
  std::int64_t ring = 1, rows = 1, row_bytes = 0;
  int first_step = 0, end_step = 0;
  bool read = false, written = false;  // comes from home; goes home
  std::vector<std::int64_t> lowest;    // from first_step on: the lowest row that this step or a later one touches
};

/// What a step reads and makes of one tensor; rows are half open.
struct RowAccess {
  int tensor = 0;  // alias root
  std::int64_t lo = 0, hi = 0;
};

struct PhasedPlan {
  RowGraph rows;
  shared::Schedule schedule;               // of all layers
  std::vector<std::pair<int, int>> steps;  // per segment of the plan: [first, end)
  std::vector<NearRows> near;
  std::vector<std::optional<shared::Strips>> strips;  // per segment of the plan, where it runs in several

  /// What becomes of a tensor (an alias root); nullptr: the schedule does not know it.
  const shared::TensorUse* use_of(int tensor) const;
  /// Rows that a step reads, per tensor.
  std::vector<RowAccess> reads(const shared::Step& step) const;
};

inline bool is_phased(const Plan& plan) {
  for (const auto& s : plan.segments)
    if (s.kind == SegmentKind::phased) return true;
  return false;
}

/// The plan's segments as the planner of shared phases has them: positions count the plan's layers.
std::vector<shared::RowSegment> shared_segments(const Plan& plan);

/// Steps and rows of a plan that has phased segments; needs the plan's segments and choices, not its buffers.
std::variant<PhasedPlan, Infeasible> phased_plan(const nn::Network& network, const hw::Device& device,
                                                 const Plan& plan);

/// Fills inputs, output and buffers of a layer that runs by phases, but for rows from elsewhere. @returns what is
/// missing, empty when nothing is.
std::string phased_geometry(LayerGeometry& g, const LayerContext& context, const LayerChoice& choice);

/// Name of the buffer of near rows in the plan.
std::string near_rows_name(const nn::Network& network, const Plan& plan, const NearRows& near);

}  // namespace dse::plan
