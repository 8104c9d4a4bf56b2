// A network's layers as a graph to compose plans over: which of them have run and where the tensors alive then live,
// and the schedules of the next layer that lead from one such state to another.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "explore/layer/layer_search.h"
#include "explore/question/goal.h"
#include "explore/runs/run.h"

namespace dse::explore {

constexpr int kMaxCaps = 4;  // on-chip memories
/// Bytes per on-chip memory, in the order of SectionGraph::memories.
using MemoryVector = std::array<std::int64_t, kMaxCaps>;

/// One schedule of a layer search, or of a run of layers.
struct SectionOption {
  int entry = 0;            // of the layer's front, or of the run's options
  MemoryVector local{};     // bytes of the layer's own buffers while it runs
  MemoryVector resident{};  // bytes of filters that stay for the whole inference
  Costs costs{};
};

/// One layer, from a state before it to a state after it. Or a run of several: its edge stands where its first layer
/// would, and leads to a state that only waits for the others; so many edges follow that do nothing.
struct SectionEdge {
  int from = 0, to = 0;
  int op = 0;            // the layer; -1: of a run, or nothing
  int task = -1;         // index of the layer search; -1: of a run, or nothing
  int options = 0;       // index into SectionGraph::options
  bool fetched = false;  // the layer before has fetched its filters
  bool fetches = false;  // it fetches those of the layer behind
  int run = -1;          // index into SectionGraph::runs
  int over = -1;         // the root tensor whose bytes the output takes over: the layer is in place
  MemoryVector live{};   // bytes of tensors alive while it runs
  /// Bytes in use while the layer runs so.
  MemoryVector need(const SectionOption& option) const {
    auto out = live;
    for (std::size_t m = 0; m < out.size(); ++m) out[m] += option.local[m];
    return out;
  }
};

struct SectionGraph {
  std::vector<int> memories;  // on-chip memories of the device
  /// Per task of the space those with filters of its own, and with fetched ones, each without and with the fetching of
  /// others; then per run, then of nothing.
  std::vector<std::vector<SectionOption>> options;
  const std::vector<Run>* runs = nullptr;  // may be null
  /// The edges by how many layers have run before them, each list by `to`.
  std::vector<std::vector<SectionEdge>> sections;
  std::vector<int> states;        // number of them before each section, and at the end
  bool all_orders = true;         // false: of the orders, or homes, that there may be, only some are in it
  std::string infeasible_reason;  // not empty: no path leads to the end

  const std::vector<SectionOption>& of(const SectionEdge& edge) const {
    return options[static_cast<std::size_t>(edge.options)];
  }
};

}  // namespace dse::explore
