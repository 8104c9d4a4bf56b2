// How far apart buffers lie that share a section.
#pragma once
#include <vector>

#include "plan/alloc/model.h"
#include "plan/alloc/sections.h"

namespace dse::plan::alloc {

/// Fills `neighbours`, `point` and `complete` from the runs of the model and its sections, in units.
void find_neighbours(Model& m, const std::vector<Section>& sections);

}  // namespace dse::plan::alloc
