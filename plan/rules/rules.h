// Plans that are made by rule, not searched: always simulated and marked, so that a search is never worse than them.
#pragma once
#include <variant>

#include "plan/plan.h"

namespace dse::plan {

/// The rule-based plan of the tiling source: per layer the interleaved scheme if its rows fit the nearest memory, else
/// planar, and pixel blocks for pointwise layers; with `techniques`, of those that the engine has, the one that
/// takes the least cycles and still fits; all tensors between layers in the io memory. Its own loop order has
/// filter sets outermost, one filter a set, and streams the whole input again for each; `resident_weights` (our
/// variant, named as such) keeps as many filters of the layer beside the rows as fit, so that the input is streamed
/// once where all fit.
std::variant<Plan, Infeasible> rule_based_plan(const nn::Network& network, const hw::Device& device,
                                               bool resident_weights, shared::Input input = shared::Input::released,
                                               bool techniques = true);

/// What a user of TensorFlow Lite for Microcontrollers has today: its greedy arena in the io memory, one operator after
/// another, whole, on the device's CPU; filters where the CPU can read them. Infeasible where there is no CPU or it
/// does not reach the io memory.
std::variant<Plan, Infeasible> tflm_plan(const nn::Network& network, const hw::Device& device,
                                         shared::Input input = shared::Input::released);

}  // namespace dse::plan
