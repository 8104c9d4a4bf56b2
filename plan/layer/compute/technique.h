// Techniques of convolutions (models/nn/kernels/dse_technique.h) as a choice of a layer.
#pragma once
#include <string>
#include <vector>

#include "plan/layer/layer.h"

namespace dse::plan {

/// Those that compute the operator and that the engine has, DSE_DIRECT first.
std::vector<int> techniques_on(const nn::Network& network, int op, const hw::Engine& engine);

/// Why the layer cannot be computed by the chosen technique; empty: it can.
std::string why_no_technique(const LayerContext& context, const LayerChoice& choice);

}  // namespace dse::plan
