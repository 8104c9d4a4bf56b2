// What of each operand a nest holds in the nearest memory: rings in the dimension that it is tiled in.
#pragma once
#include <optional>

#include "plan/layer/layer.h"

namespace dse::plan {

/// The order that a layer with these tiles, sets and steps runs in: orders that coincide are filters-outer.
Order order_in(const LayerGeometry& geometry, Order chosen);

/// How copies get from one memory to another: directly, else through the first on-chip memory that leads there. Without
/// its rings. nullopt: not at all.
std::optional<Way> way_of(const hw::Device& device, int from, int to);

// Each appends to `buffers`, of a geometry with its nest; operands that are used where they lie have none.
void hold_inputs(LayerGeometry& geometry);
void hold_output(LayerGeometry& geometry);
void hold_filters(LayerGeometry& geometry);
void hold_sums(LayerGeometry& geometry);

/// Planes of filters: of so many output channels for so many input channels.
struct HeldPlanes {
  int filters, channels;
};
HeldPlanes held_planes(const LayerGeometry& geometry);

/// Partial sums: of so many rows and output channels.
struct HeldSums {
  int rows, filters;
};
HeldSums held_sums(const LayerGeometry& geometry);

}  // namespace dse::plan
