// What the nest of a layer is, and what follows from it for loads and stores.
#pragma once
#include "plan/layer/layer.h"

namespace dse::plan {

/// Of a geometry whose tiles, order and buffers are decided.
Nest nest_of(const LayerGeometry& geometry);

/// Input rows are loaded whole windows at a time; otherwise each tile brings the rows that the one before did not need.
bool loads_bands(const LayerGeometry& geometry);

/// Input rows that a tile reads, and those of them that the tile before did not.
int window_rows(const LayerGeometry& geometry);
int fresh_rows(const LayerGeometry& geometry);
/// Input channels of a tile.
int tile_channels(const LayerGeometry& geometry);

/// Tiles of the output that may be under way when one is begun, of so many that have room: fewer where a set's last one
/// lies where the next set begins.
int stores_under_way(const LayerGeometry& geometry, int room);

}  // namespace dse::plan
