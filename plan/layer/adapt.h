// What choices do that are declared beside the standard ones.
#pragma once
#include <functional>
#include <string>

#include "plan/layer/layer.h"

namespace dse::plan {

/// Called with a choice's value before the geometry of a layer is made: changes the choices that it is made from.
using Adapt = std::function<void(const LayerContext&, int value, LayerChoice&)>;

void add_adaptation(const std::string& choice, Adapt adapt);
/// The choices that the layer's geometry is made from: as given, then adapted by those of `further`, by name.
LayerChoice adapted(const LayerContext& context, LayerChoice choice);

}  // namespace dse::plan
