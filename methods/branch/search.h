// The best order of branches under a memory model, with a certificate.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "methods/branch/model.h"

namespace dse::plan::branch {

/// How hard the search tries, all counted: the result never depends on the speed of the machine.
struct Effort {
  std::int64_t labels = 200000;  // states that the exact search may keep
  int beam = 0;  // states per step of the beam search that starts it; 0: 16 to 256, more for small graphs
};

/// A candidate and what is proven about it.
struct Outcome {
  Candidate best;
  std::int64_t lower_bound = 0;  // bytes: no order costs less, under the rules
  bool optimal = false;          // best costs the lower bound
  std::string origin;            // what found it: "search", "beam search", "freed-memory rule", "file order" or
                                 // "sorted file" (its operators could not run in its order)
};

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
