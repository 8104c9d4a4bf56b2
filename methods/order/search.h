// The parts of find_order(): a bound that needs no search, the beam, valleys, and the exact decision for one cap.
#pragma once
#include <cstdint>
#include <vector>

#include "methods/order/graph.h"

namespace dse::plan::order {

/// No order needs less: while an operator runs, everything is alive that must have been made before and must be read at
/// or after it, and its own inputs and outputs.
std::int64_t static_bound(const Graph& graph);

/// The peak of an order. @throws InvariantError when it is no topological order of all operators.
std::int64_t peak_of(const Graph& graph, const std::vector<int>& order);

/// Carries `width` sets of executed operators along, all of equal count: those of lowest peak, then of fewest live
/// bytes. Operators that cost nothing are run at once. @returns a topological order.
std::vector<int> beam_search(const Graph& graph, int width);

enum class Part { largest, smallest };

/// Of `run`, operators in a valid order: the part closed under what must run before after which, beside everything else
/// that has run, the fewest bytes are alive; of several such parts the largest or the smallest, which are unique. Empty
/// or all of `run` are possible answers. `executed`: after `run` (the last operators of it), or before (the next ones).
/// @returns one flag per entry of `run`.
std::vector<char> lowest_part(const Graph& graph, const Executed& executed, const std::vector<int>& run, Part which);

/// What deciding one cap came to.
struct Decision {
  enum class Answer { found, impossible, gave_up } answer = Answer::gave_up;
  std::vector<int> order;          // found: an order whose peak is at most the cap
  std::int64_t next_possible = 0;  // impossible: every order has at least this peak
};

/// Is there an order whose peak is at most `cap`? `steps` is counted down; `bytes` bounds the memory of the states.
Decision decide(const Graph& graph, std::int64_t cap, std::int64_t bytes, std::int64_t& steps);

}  // namespace dse::plan::order
