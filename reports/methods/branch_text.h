// Orders of branches as people and programs read them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "methods/branch/candidates.h"

namespace dse::reports {

/// Where branches part and join, the candidates with the size of each buffer, and the best order step by step. Ends
/// with a newline; steps and orders of more than 64 nodes are left to the JSON.
std::string branch_text(const plan::branch::Graph& graph, const plan::branch::Rules& rules,
                        const plan::branch::Listing& listing);

/// The same, complete. Keys in docs/memory/branches.md; sizes in bytes.
nlohmann::json branch_json(const plan::branch::Graph& graph, const plan::branch::Rules& rules,
                           const plan::branch::Listing& listing);

}  // namespace dse::reports
