// Candidate orders side by side, so that one sees why an order wins.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "methods/branch/search.h"

namespace dse::plan::branch {

struct Listed {
  Candidate candidate;
  bool exact = true;  // its places are proven best for its order
  std::vector<std::string>
      origin;  // "best" ("within the limit"), "freed-memory rule", "file order" ("sorted file"); empty: one of many
};

struct Listing {
  Outcome best;                    // with a limit: the first order found that keeps to it, else the best
  std::int64_t limit = -1;         // bytes; < 0: none
  std::vector<Listed> candidates;  // by cost, then by order; the best and those by rule always among them
  std::int64_t orders = 0;         // orders compared
  bool all_orders = false;         // there are no others
};

struct ListOptions {
  std::int64_t limit = -1;      // bytes; >= 0: stop at the first order that costs at most this
  std::int64_t orders = 2000;   // at most so many orders are compared one by one
  std::size_t candidates = 10;  // and so many listed, beside the best and those by rule
  std::int64_t labels = 20000;  // states for the places of one order
};

/// The best order, and others with the places that suit them best. Orders are enumerated in the order of the nodes;
/// with a limit only those by rule are compared.
Listing list_candidates(const Graph& graph, const Rules& rules, const Effort& effort = {},
                        const ListOptions& options = {});

/// Offsets of all values in one arena for an order, at the smallest height found: where liveness can be had in memory.
struct Arena {
  std::vector<std::int64_t> offsets;  // by node, -1: stores nothing
  std::int64_t height = 0;            // bytes
  bool optimal = false;               // no arena for this order is lower
};
Arena arena_of(const Graph& graph, const Candidate& candidate);

}  // namespace dse::plan::branch
