// The best order of branches under a memory model, with a certificate.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "methods/branch/outcome.h"

namespace dse::plan::branch {

/// Cheapest order and places. Starts with the file's order, the freed-memory rule and a beam search, each with their
/// places chosen, then searches exactly, best first over (executed set, what lies where), dropping what another state
/// dominates or what cannot become cheaper. Liveness with interruption is the out-of-place rule of find_order(), which
/// knows more about it; `effort` does not count there. With `limit` (bytes) it stops at the first candidate that costs
/// at most that; optimal then says whether it happens to be proven best.
Outcome best_order(const Graph& graph, const Rules& rules, const Effort& effort = {},
                   std::optional<std::int64_t> limit = std::nullopt);

/// Cheapest places for one order, and its certificate. @returns nothing when the rules forbid the order (branches
/// interrupted, inputs out of their order, a node before its inputs).
std::optional<Outcome> best_places(const Graph& graph, const std::vector<int>& order, const Rules& rules,
                                   const Effort& effort = {});

/// The sizes that an order with given places needs (`none` = free to choose), with the best use of scratch buffers.
/// @returns nothing when the rules forbid it.
std::optional<Candidate> with_places(const Graph& graph, const std::vector<int>& order,
                                     const std::vector<Place>& places, const Rules& rules);

/// A lower bound of the cost under any model: what is alive must be stored. Exact minimum of the peak of live bytes, or
/// what `effort` proves of it; for the objective `operational` the largest value that must pass through a buffer.
std::int64_t floor_of(const Graph& graph, const Rules& rules, const Effort& effort = {});

}  // namespace dse::plan::branch
