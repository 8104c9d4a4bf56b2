// What a composition adds up and judges plans by: a goal as sums over layers and peaks of memories.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "explore/compose/graph/sections.h"
#include "explore/question/goal.h"

namespace dse::explore {

/// What a label adds up: a cost, or the bytes that stay resident in one memory.
struct LabelSum {
  int cost = -1;    // a Cost, or -1
  int memory = -1;  // index into SectionGraph::memories, or -1
};

/// Sum of some memories' peaks and of some label sums: an objective or the left side of a limit.
struct LinearForm {
  std::vector<int> peaks;  // indices into SectionGraph::memories
  std::vector<int> sums;   // indices into Problem::sums
  std::int64_t limit = kUnlimited;
};

struct Problem {
  const SectionGraph* graph = nullptr;
  std::vector<LabelSum> sums;  // at least one
  std::vector<LinearForm> objectives, limits;
  std::size_t max_labels = 20000;      // per state
  std::size_t all_labels = 2'000'000;  // of all states together, about
  bool merge = false;                  // beyond max_labels, labels become their least values instead of being dropped
  std::size_t tails = 1;               // per state: groups of ways to the end that a label is judged by
  std::function<bool()> stop;          // asked now and then
};

/// Labels per state of a beam: quick, whatever the network.
constexpr std::size_t kFewLabels = 48;
/// Steps of the label solver with three sums and more, some seconds; with fewer sums it goes on to the end.
constexpr std::int64_t kMostSteps = 20'000'000;
/// Labels per state that leave enough steps for a hundred boxes and more, but no fewer than `least`.
std::size_t affordable_labels(const SectionGraph& graph, std::size_t least);

/// The value of a form for peaks and label sums.
std::int64_t value_of(const LinearForm& form, const MemoryVector& peaks, const std::vector<std::int64_t>& sums);

/// The sums, objectives and limits of a goal. `caps`: per memory of the graph, every value in ascending order that a
/// section's need of it can take. Bytes that stay resident are added up only where they count.
Problem problem_of(const Goal& goal, const SectionGraph& graph, const std::vector<std::vector<std::int64_t>>& caps);

}  // namespace dse::explore
