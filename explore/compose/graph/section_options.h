// What a section graph is made of beside its states: the options of an edge, orders worth having, why there is no path.
#pragma once
#include <string>
#include <vector>

#include "explore/compose/graph/sections.h"

namespace dse::explore {

/// The schedules of a layer search: those whose filters are fetched by the layer before, or not, and that fetch others,
/// or not. `memories`: those of the graph.
std::vector<SectionOption> options_of(const LayerFront& layer, bool fetched, bool fetches,
                                      const std::vector<int>& memories, const hw::Device& device);
std::vector<SectionOption> options_of(const Run& run, const std::vector<int>& memories);

/// The file's order, and one in which the tensors need little memory beside each other.
std::vector<std::vector<int>> some_orders(const Space& space);

/// The first layer that no schedule was found for; else the one behind `reached` sections.
std::string why_no_path(const Space& space, const std::vector<LayerFront>& layers, std::size_t reached);

}  // namespace dse::explore
