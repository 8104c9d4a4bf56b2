// Where to run operators in place (plan/network/in_place.h): by rule, after the other choices.
#pragma once
#include <vector>

#include "models/hw/device.h"
#include "plan/layer/layer.h"

namespace dse::plan {

/// Sets `in_place` where it lowers, in this order, on-chip memory, all memory, or the bytes held over time; for
/// concatenations and paddings also where memory stays the same, because they save copies. Deterministic; one make_plan
/// per concatenation and padding, and few for all other layers together. Choices that make no plan at all, whatever the
/// sizes of the memories, come back as they are.
std::vector<LayerChoice> with_in_place(const nn::Network& network, const hw::Device& device,
                                       std::vector<LayerChoice> choices, bool alias_reshapes = true);

}  // namespace dse::plan
