// A bound on a layer's schedule from its geometry alone, without making its program.
#pragma once
#include <cstdint>

#include "models/hw/cost_model.h"
#include "plan/layer/layer.h"

namespace dse::explore {

/// Ticks that no program of this geometry beats, in every memory system: what each queue's tasks take one after the
/// other, the first loads before the first call, the last call before the last store. 0 for whole layers, of which
/// there is one schedule per combination of homes. `next`: with this copy in the same section.
std::int64_t quick_bound(const plan::LayerGeometry& geometry, const hw::DeviceTiming& timing,
                         const plan::Prefetch& next = {});

}  // namespace dse::explore
