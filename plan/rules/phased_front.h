// Plans by phases for a device: what the planner of shared phases finds, as choices of the layers.
#pragma once
#include <vector>

#include "plan/plan.h"
#include "plan/segment/planner/planner.h"

namespace dse::plan {

/// The front of peak bytes against what phases cost (plan/segment/planner/planner.h), without strips of columns and
/// with: at most `most` of its plans that have any phases, spread over it, the least peaks always among them. Layers
/// cost what the device's compute engine takes for them, without contention. Empty where the device does not compute or
/// nothing can run by phases.
std::vector<shared::Segmentation> phased_points(const nn::Network& network, const hw::Device& device,
                                                const NetworkChoice& whole, int most);

/// Such a plan as choices that differ from `base` in the layers that run by phases. Rows inside a segment lie where
/// `base` puts the tensor if the engine reaches that, else in its nearest memory. It may turn out not to fit: make_plan
/// tells.
std::vector<LayerChoice> phased_choices(const nn::Network& network, const hw::Device& device,
                                        std::vector<LayerChoice> base, bool alias_reshapes,
                                        const shared::Segmentation& point);

/// Every layer by itself, whole, with all tensors in `memory`, which the compute engine must reach or be fed from.
std::vector<LayerChoice> plain_choices(const nn::Network& network, const hw::Device& device, int memory);

}  // namespace dse::plan
