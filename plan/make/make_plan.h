// From choices to a plan: segments, homes, buffers, offsets.
#pragma once
#include <variant>
#include <vector>

#include "plan/make/offsets.h"
#include "plan/plan.h"

namespace dse::plan {

/// Derives homes, buffers and offsets from the choices; those of aliased reshapes, which are no layers, are reset.
/// With `greedy_offsets`, tensors lie where TFLM's planner puts them; else all are placed here.
std::variant<Plan, Infeasible> make_plan(const nn::Network& network, const hw::Device& device,
                                         std::vector<LayerChoice> choices, const NetworkChoice& whole = {},
                                         Offsets offsets = Offsets::searched);

/// Sum over on-chip memories of plan.heights / plan.loads.
std::int64_t on_chip_memory(const hw::Device& device, const std::vector<std::int64_t>& per_memory);

}  // namespace dse::plan
