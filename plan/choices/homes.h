// Where tensors may live between layers, and which layers may be in place there.
#pragma once
#include <vector>

#include "plan/layer/layer.h"

namespace dse::plan {

/// Memories that a tensor may live in between layers: on-chip ones and the io memory, where the compute engine or a
/// copy engine gets at it.
std::vector<int> home_memories(const hw::Device& device);

/// Memories off the chip that may keep tensors (Memory::tensors), where copies get, perhaps through another memory.
std::vector<int> memories_outside(const hw::Device& device);

/// Where the output of operator `op` may live. Only the io memory, channels last, when it leaves the network, is one of
/// several outputs or goes to an operator that joins more than two (their combinations would multiply the searches, and
/// they only move bytes). Planes only between operators that can use them, where a copy engine has to fetch them: to
/// an engine that reads them in place they are no use. Off the chip only where an operator that makes or reads it has
/// more tensors beside each other than there is room for on the chip. Channels last first, memories in the device's
/// order.
std::vector<Placement> output_homes(const nn::Network& network, const hw::Device& device, int op);

/// The domain of the choice `in_place`: inputs and output can have the same home, given output and layout.
bool can_be_in_place(const LayerContext& context, const LayerChoice& choice);

}  // namespace dse::plan
