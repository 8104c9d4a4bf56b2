// A network's layers as a graph to compose plans over: where tensors alive between two layers may live, and the
// schedules that lead from one such state to the next.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "explore/layer/layer_search.h"
#include "explore/question/goal.h"

namespace dse::explore {

constexpr int kMaxCaps = 4;  // on-chip memories
/// Bytes per on-chip memory, in the order of SectionGraph::memories.
using MemoryVector = std::array<std::int64_t, kMaxCaps>;

/// One schedule on an edge.
struct SectionOption {
  int entry = 0;            // of the layer's front
  MemoryVector need{};      // bytes while the layer runs: live tensors and its own buffers
  MemoryVector resident{};  // bytes of filters that stay for the whole inference
  Costs costs{};
};

/// From a state before a section to a state after it.
struct SectionEdge {
  int from = 0, to = 0;
  int task = 0;  // index of the layer search
  std::vector<SectionOption> options;
};

struct SectionGraph {
  std::vector<int> memories;                       // on-chip memories of the device
  std::vector<std::vector<SectionEdge>> sections;  // per layer of the space, by `to`
  std::vector<int> states;                         // number of them before each section, and at the end
  std::string infeasible_reason;                   // not empty: no path leads to the end
};

/// `layers`: per task of the space. @throws InvariantError for more on-chip memories than kMaxCaps.
SectionGraph section_graph(const Space& space, const std::vector<LayerFront>& layers);

}  // namespace dse::explore
