// The freed-memory rule: run the branch first that frees most, and what whole branches need in a given order.
#pragma once
#include <cstdint>
#include <vector>

#include "methods/branch/graph.h"

namespace dse::plan::branch {

/// An order by rule: of all chains that may begin, the one that frees most memory runs next, to its end. A chain frees
/// the sum of its edges (those into its first node included) without its last one. Ties: the first in the file. The
/// network's inputs come first.
std::vector<int> freed_memory_order(const Graph& graph);

/// Bytes that parallel branches need when they run whole, one after the other, in this order: the largest of what one
/// needs (the sum of its edges) and what its forerunners left (their last edges). `order`: each index of `branches`
/// once.
std::int64_t bytes_of(const std::vector<Branch>& branches, const std::vector<int>& order);

/// Indices by falling freed memory, ties in their own order: no order of whole branches needs less (exchanging two
/// neighbours that stand the other way round never costs more).
std::vector<int> by_freed_memory(const std::vector<Branch>& branches);

/// Branches from one point to one aggregation, with nodes or without.
struct Parallel {
  int from = -1, to = -1;
  std::vector<int> order;  // indices into Structure::branches, by_freed_memory()
  std::int64_t bytes = 0;  // that they need when they run whole in this order: bytes_of()
};

/// All pairs of points that two branches or more lead between, in the order of the structure.
std::vector<Parallel> parallel_branches(const Structure& structure);

}  // namespace dse::plan::branch
