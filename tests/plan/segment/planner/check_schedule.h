// An independent reading of a schedule: every row that a call reads must have been made, and held ever since.
#pragma once
#include <span>
#include <string>

#include "plan/network/layer_graph.h"
#include "plan/segment/planner/schedule.h"

namespace dse::plan::shared::test {

/// What is wrong, empty when nothing is. `segments`: those of the schedule, needed where some run in strips of columns.
std::string defect_of(const phases::LayerGraph& g, const Schedule& s, Input input,
                      std::span<const RowSegment> segments = {});

}  // namespace dse::plan::shared::test
