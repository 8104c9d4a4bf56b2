// What the layers of a plan know of each other: where their inputs come from and what else shares their bytes.
#pragma once
#include <vector>

#include "plan/layer/layer.h"

namespace dse::plan {

/// Geometry of every layer of the plan, by operator (default-constructed for aliased reshapes).
std::vector<LayerGeometry> geometries(const nn::Network& network, const hw::Device& device,
                                      const std::vector<LayerChoice>& choices, bool alias_reshapes);
/// What a layer knows of its surroundings, by operator; of one operator: choices after it need not be made yet.
std::vector<LayerContext> contexts_of(const nn::Network& network, const hw::Device& device,
                                      const std::vector<LayerChoice>& choices, bool alias_reshapes);
LayerContext context_of(const nn::Network& network, const hw::Device& device, const std::vector<LayerChoice>& choices,
                        int op, bool alias_reshapes);

}  // namespace dse::plan
