// Accumulators that are narrower than sums of products may be.
#pragma once
#include <string>

#include "plan/layer/layer.h"

namespace dse::plan {

/// Why the engine's accumulators (hw::Engine::accumulator_bits) may not hold the layer's sums, in words; empty: they
/// hold them, whatever the input is. Nothing saturates: a layer whose sums are not proven to hold is not given to the
/// engine.
std::string why_no_accumulators(const LayerContext& context, const LayerChoice& choice);

}  // namespace dse::plan
