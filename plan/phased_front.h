// Plans by phases for a device: what the planner of shared phases finds, as choices of the layers.
#pragma once
#include <vector>

#include "plan/plan.h"

namespace dse::plan {

/// The front of peak bytes against what phases cost (plan/shared/planner.h), each of its plans as choices that differ
/// from `base` in the layers that run by phases: at most `most` of them, spread over the front, the least peak always
/// among them. Layers cost what the device's compute engine takes for them, without contention. Rows inside a segment
/// lie where `base` puts the tensor if the engine reaches that, else in its nearest memory. A plan may turn out not to
/// fit: make_plan tells. Empty where the device does not compute or nothing can run by phases.
std::vector<std::vector<LayerChoice>> phased_choices(const nn::Network& network, const hw::Device& device,
                                                     const std::vector<LayerChoice>& base, const NetworkChoice& whole,
                                                     int most);

/// Every layer by itself, whole, with all tensors in `memory`, which the compute engine must reach or be fed from.
std::vector<LayerChoice> plain_choices(const nn::Network& network, const hw::Device& device, int memory);

}  // namespace dse::plan
