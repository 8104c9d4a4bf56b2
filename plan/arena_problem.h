// What the allocators of plan/arena.cpp share: blocks in units of the alignment and who overlaps whom in time.
#pragma once
#include <cstdint>
#include <vector>

namespace dse::plan::arena {

struct Item {
  std::int64_t size = 0;
  int first = 0, last = 0;
  std::int64_t fixed = -1;
};

/// One group of blocks connected by common steps. Sizes and offsets count alignment units.
struct Problem {
  std::vector<Item> items;                // fixed ones included
  std::vector<std::vector<int>> overlap;  // indices of items with a common step, ascending
  std::int64_t floor = 0;                 // no layout of this group is lower
  std::int64_t goal = 0;                  // no need to be lower than this (the lower bound of all groups together)
};

struct Solution {
  std::vector<std::int64_t> offsets;
  std::int64_t height = 0;
};

/// Places the items in many orders, then improves the best order by exchanges. Stops at `problem.goal`.
Solution place_in_orders(const Problem& problem, std::int64_t moves);

/// Searches for layouts lower than `best`, replacing it with each one found. Uses up to `nodes` nodes and counts them
/// down.
/// @returns true when best is proven optimal or at the goal.
bool search_exactly(const Problem& problem, Solution& best, std::int64_t& nodes);

}  // namespace dse::plan::arena
