// What the nest of a layer is, and what follows from it for loads and stores.
#pragma once
#include "plan/layer/layer.h"

namespace dse::plan {

/// Of a geometry whose tiles, order and buffers are decided.
Nest nest_of(const LayerGeometry& geometry);

/// Input rows are loaded whole windows at a time; otherwise each tile brings the rows that the one before did not need.
bool loads_bands(const LayerGeometry& geometry);

/// Stores that may be under way when a tile of the output is begun: fewer than there are buffers where a set's last
/// tile lies in the buffer that the next set begins with.
int stores_under_way(const LayerGeometry& geometry);
/// The same where tiles pass through another memory, in which there is room for two.
int tiles_on_their_way_home(const LayerGeometry& geometry);

}  // namespace dse::plan
