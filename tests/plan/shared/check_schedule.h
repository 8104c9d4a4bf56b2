// An independent reading of a schedule: every row that a call reads must have been made, and held ever since.
#pragma once
#include <string>

#include "plan/phases/layer_graph.h"
#include "plan/shared/schedule.h"

namespace dse::plan::shared::test {

/// What is wrong, empty when nothing is.
std::string defect_of(const phases::LayerGraph& g, const Schedule& s, Input input);

}  // namespace dse::plan::shared::test
