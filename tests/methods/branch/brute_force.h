// All orders, all places, all ways to share scratch buffers: slow, simple, and with nothing of the planner's search.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "methods/branch/model.h"

namespace dse::plan::branch::test {

/// Orders in which every node runs after its inputs, inputs of the network first, branches whole if the rules say so.
std::vector<std::vector<int>> all_orders(const Graph& graph, const Rules& rules);

/// Least bytes of one order over all places: (what the objective counts, the scratch buffers as its second aim, else
/// 0).
std::pair<std::int64_t, std::int64_t> brute_force(const Graph& graph, const std::vector<int>& order,
                                                  const Rules& rules);
/// And over all orders.
std::pair<std::int64_t, std::int64_t> brute_force(const Graph& graph, const Rules& rules);

}  // namespace dse::plan::branch::test
