// The caps that a composition may set: what sections need of a memory.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "explore/compose/graph/sections.h"

namespace dse::explore {

/// The layers that an edge runs; none where it does nothing.
std::span<const int> layers_of(const Space& space, const SectionGraph& graph, const SectionEdge& edge);

/// Per memory of the graph every value that a section's need can take, within its limit and above what no plan can do
/// without, ascending. None for a memory: nothing fits. `reason`: where it is empty, the first layer that does not fit.
std::vector<std::vector<std::int64_t>> caps_of(const Space& space, const SectionGraph& graph, const Goal& goal,
                                               std::string& reason);

}  // namespace dse::explore
