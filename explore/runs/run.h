// Runs of layers by phases as they stand in a composition: one edge over several layers, from quiescence to quiescence.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "explore/question/costs.h"
#include "plan/layer/layer.h"

namespace dse::explore {

struct RunOption {
  std::vector<plan::LayerChoice> choices;  // per layer of the run
  Costs costs{};                           // simulated, from quiescence to quiescence
  /// Per memory of the device: the highest sum of what lives there in one step, rows of the tensors that the run reads
  /// and makes among it; tensors beside it and resident filters are not.
  std::vector<std::int64_t> local;
  std::vector<std::int64_t> resident;  // per memory: bytes of filters that stay
};

/// Some layers one after the other in the file's order, with their tensors at certain homes.
struct Run {
  int first = 0, last = 0;  // positions in Space::layers
  /// Root tensors that come from before, and those that somebody behind wants: with indices into Space::homes.
  std::vector<std::pair<int, int>> from, to;
  std::vector<RunOption> options;
};

struct Runs {
  std::vector<Run> list;
  /// What stands for the ways to put filters and rows that were too many to try: one option each, no plan, that none of
  /// them is below in any cost and memory.
  std::vector<Run> open;
  bool all = true;  // false: it was stopped, or there were too many homes to try
};

}  // namespace dse::explore
