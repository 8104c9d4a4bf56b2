// Assignments of optimisers that draw every choice independently of the others.
#pragma once
#include <vector>

#include "plan/choices/assignment.h"
#include "plan/choices/choice.h"

namespace dse::explore {

/// Removes from `assignment` what does not apply given the rest of it: choices of `known` (plan::list_choices of the
/// network and device) that do not exist there, and values of theirs that are not offered there. They are looked at in
/// order of the layers and, within a layer, of the registry. Names and values that exist nowhere stay, for the reader
/// to complain about.
void keep_applicable(const nn::Network& network, const hw::Device& device, const plan::ChoiceRegistry& registry,
                     const std::vector<plan::ChoiceInstance>& known, plan::Assignment& assignment);

}  // namespace dse::explore
