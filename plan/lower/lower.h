// From a plan to the program that is simulated, executed and shipped.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace dse::plan {

/// Lowers a plan to the program that is timed, executed and shipped.
/// @throws InvariantError when the plan does not belong to (network, device) or lacks a buffer; read_plan reports that
/// as diagnostics.
program::Program lower(const nn::Network& network, const hw::Device& device, const Plan& plan);

/// The constants image of a plan: every layer's filters in the form its scheme wants.
std::vector<std::uint8_t> constants_image(const nn::Network& network, const hw::Device& device, const Plan& plan);

}  // namespace dse::plan
