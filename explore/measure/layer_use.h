// Where a plan's bytes, multiply-accumulates and energy go, layer by layer: what the platform counts for a whole run,
// told apart by section and, in a section that runs by phases, by layer.
#pragma once
#include <vector>

#include "explore/measure/results.h"
#include "models/hw/cost_model.h"
#include "plan/plan.h"

namespace dse::explore {

/// Per row of the account (program/section_layers.h). What tasks cost does not depend on time; leakage does, and is
/// that of the rows' ticks.
std::vector<LayerUse> layer_uses(const program::Program& program, const std::vector<program::ArenaBinding>& binding,
                                 const hw::DeviceTiming& timing, const std::vector<sim::LayerAccount>& accounts);

/// Fills the parts of `point` that tell where its bytes and its energy go: uses, rooflines, loads, energies_fj, images
/// and the buffers' counted bytes and tensors. `point.buffers` are those of the program, in order (or none).
/// @throws InvariantError when the layers do not add up to what the platform counted.
void add_details(const nn::Network& network, const plan::Plan& plan, const program::Program& program,
                 const std::vector<program::ArenaBinding>& binding, const hw::DeviceTiming& timing, Point& point);

}  // namespace dse::explore
