// Which runs of layers by phases there are.
#pragma once
#include <functional>
#include <vector>

#include "explore/question/case.h"
#include "explore/question/sweep.h"
#include "explore/runs/run.h"
#include "explore/space/space.h"
#include "plan/segment/planner/planner.h"

namespace dse::explore {

/// Every run that one of `points` has (plan/rules/phased_front.h), with its tensors at all homes that go with it, the
/// rows that nobody outside wants in each memory that can have them, and the filters of each layer streamed, or
/// resident where `layers` (the finished searches, per task of the space) have some so; as far as its layers keep the
/// `choices:` of the sweep. Each is simulated. None where inputs are streamed in: when they come depends on what runs
/// before. `stop`, asked now and then, may end it early.
Runs runs_of(const Case& c, const SweepSpec& spec, const Space& space,
             const std::vector<plan::shared::Segmentation>& points, const std::function<bool()>& stop = {});

/// Plans of the planner that runs are taken from: enough to see its front's shape, few enough to be simulated in
/// passing.
constexpr int kMostPhases = 40;

/// Without options that another is no worse than in every cost and memory: once buffers have addresses one of them may
/// still need less.
std::vector<Run> undominated(std::vector<Run> runs);

/// The runs that a sweep composes plans of, with all options: those of the planner's plans. None where plans by phases
/// are not asked for, and with a budget of simulations: a run takes some hundred, which nobody has counted.
Runs runs_of(const Case& c, const SweepSpec& spec, const Space& space, const std::function<bool()>& stop = {});

}  // namespace dse::explore
