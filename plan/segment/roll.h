// Long lists of tasks that differ in their rows only, as loops: what repeats with rows that advance by a constant step
// becomes the body of a loop.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace dse::plan {

/// A task of kind `kind` (any number that tells tasks apart but for their rows) on rows [lo, hi).
struct RowTask {
  int kind = 0;
  std::int32_t lo = 0, hi = 0;
  std::int32_t step = 0;  // in a loop: rows that the next turn is further on
  bool operator==(const RowTask&) const = default;
};

/// `count` turns of `body`; straight lists of tasks have one turn.
struct RowLoop {
  std::int32_t count = 1;
  std::vector<RowTask> body;
};

/// Loops that expand to exactly these tasks in this order; loops do not nest. Greedy from the front: of all periods at
/// a place the one that leaves out most tasks.
std::vector<RowLoop> roll(std::span<const RowTask> tasks);

}  // namespace dse::plan
