// Filters of layers that are too large for the memory that they pass through come set by set.
#pragma once
#include <variant>
#include <vector>

#include "plan/plan.h"

namespace dse::plan {

/// make_plan(); where a memory is short of bytes for filters that pass through it whole, theirs come set by set, the
/// largest first, as long as there are some. @returns the first plan that fits, or what is in the way of the last.
std::variant<Plan, Infeasible> make_plan_in_sets(const nn::Network& network, const hw::Device& device,
                                                 std::vector<LayerChoice> choices, const NetworkChoice& whole);

}  // namespace dse::plan
