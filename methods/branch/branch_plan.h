// The best branch order, with its two operational buffers and its scratch buffers, as a plan that a device can run.
#pragma once
#include <functional>
#include <variant>
#include <vector>

#include "plan/plan.h"

namespace dse::plan::branch {

/// The name that such a plan goes by, as its origin.
inline constexpr const char* kBranchOrder = "rule-based (branch order)";

/// Some value has several readers, or some operator reads several values: there are branches to put in order.
bool has_branches(const nn::Network& network);

/// The plan by rule of the branch-order source: of all orders, with branches interrupted where that helps, the one
/// whose two operational buffers and scratch buffers need the fewest bytes (Model::named_buffers, all buffers counted);
/// of a network without branches the file's. The buffers lie one after the other from the beginning of the io memory,
/// and every tensor at the beginning of one. A value that must wait lies in its scratch buffer from the start: plans
/// have one place per tensor and no copies, so that the rule is shown with the memory that it needs, but without the
/// time that its copies take. The rule says nothing of how a layer runs: as a whole, where the compute engine reaches
/// the io memory, else in the tiles of the tiling source's rule (plan/rules/rules.h).
/// `orders`, of all layers each: only these are compared; empty: all. `stop`, asked now and then: true = the best that
/// was found so far.
std::variant<Plan, Infeasible> branch_order_plan(const nn::Network& network, const hw::Device& device,
                                                 shared::Input input = shared::Input::released,
                                                 const std::vector<std::vector<int>>& orders = {},
                                                 const std::function<bool()>& stop = {});

}  // namespace dse::plan::branch
