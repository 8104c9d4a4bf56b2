// A way through the graph of a network's layers as a plan.
#pragma once
#include <vector>

#include "explore/compose/composition.h"
#include "explore/compose/graph/sections.h"
#include "explore/compose/labels/incumbents.h"
#include "explore/layer/layer_search.h"
#include "explore/space/space.h"

namespace dse::explore {

/// Choices, order, load and costs of the plan that picks an edge and an option per section; its values are left to the
/// caller. `layers`: per task of the space. Layers of runs that stand for what is open have no choices.
Composition assemble(const Space& space, const SectionGraph& graph, const std::vector<LayerFront>& layers,
                     const std::vector<Pick>& picks);

}  // namespace dse::explore
