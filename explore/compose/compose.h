// Exact composition over the network: since each layer ends in quiescence, ticks, energy and traffic add up, and a
// plan's memory is, per on-chip memory, the highest sum of live tensors and the layer's own buffers, plus what stays
// resident.
#pragma once
#include <atomic>
#include <vector>

#include "explore/compose/composition.h"
#include "explore/layer/layer_search.h"
#include "explore/question/goal.h"

namespace dse::explore {

/// The Pareto front of the goal over these schedules, one `LayerFront` per task of the space. Caps per on-chip memory
/// are searched by boxes: a box of cap vectors is solved at its upper corner, which is optimistic for all of it, and
/// dropped when everything so found, at the memory of its lower corner, is beaten by a plan in hand; else it is cut.
/// With one objective, ties are broken by memory, then latency.
CompositionFront compose(const Space& space, const std::vector<LayerFront>& layers, const Goal& goal,
                         const CompositionOptions& options = {});

/// The same for the objectives and constraints of a sweep. When no plan keeps a limit by itself, the reason names it
/// and the least that a plan reaches.
CompositionFront compose(const Space& space, const std::vector<LayerFront>& layers, const SweepSpec& spec,
                         const CompositionOptions& options = {});

/// Memory and latency. `limits`: bytes a plan may use, per memory of the device.
CompositionFront compose(const Space& space, const std::vector<LayerFront>& layers,
                         const std::vector<std::int64_t>& limits, const std::atomic<bool>* interrupted = nullptr);

}  // namespace dse::explore
