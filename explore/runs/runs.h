// Runs of layers by phases as they stand in a composition: one edge over several layers, from quiescence to quiescence.
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "explore/layer/layer_search.h"
#include "explore/question/case.h"
#include "explore/space/space.h"
#include "plan/segment/planner/planner.h"

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
  std::vector<RunOption> options;  // none that another is no worse than in every cost and memory
};

struct Runs {
  std::vector<Run> list;
  bool all = true;  // false: it was stopped, or there were too many homes to try
};

/// Every run that one of `points` has (plan/rules/phased_front.h), with its tensors at all homes that go with it and
/// its filters streamed, or resident where `layers` (the finished searches, per task of the space) have some so. Each
/// is simulated. None where inputs are streamed in: when they come depends on what runs before. `stop`, asked now and
/// then, may end it early.
Runs runs_of(const Case& c, const Space& space, const std::vector<LayerFront>& layers,
             const std::vector<plan::shared::Segmentation>& points, const std::function<bool()>& stop = {});

/// Plans of the planner that runs are taken from: enough to see its front's shape, few enough to be simulated in
/// passing.
constexpr int kMostPhases = 40;

/// The runs that a sweep composes plans of: those of the planner's plans. None where plans by phases are not asked for,
/// and with a budget of simulations: a run takes some hundred, which nobody has counted.
Runs runs_of(const Case& c, const SweepSpec& spec, const Space& space, const std::vector<LayerFront>& layers,
             const std::function<bool()>& stop = {});

}  // namespace dse::explore
