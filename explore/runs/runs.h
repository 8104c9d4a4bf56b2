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

/// Plans of the planner that runs are taken from: enough to see its front's shape, few enough to be simulated in
/// passing.
constexpr int kMostPhases = 40;

/// What runs are made of: the segments of `points` (plan/rules/phased_front.h) of several layers or rows, each once.
/// None where plans by phases are not asked for; where inputs are streamed in, since when they come depends on what
/// runs before; and with a budget of simulations, since a run takes some hundred, which nobody has counted.
std::vector<plan::shared::RowSegment> segments_of(const Case& c, const SweepSpec& spec, const Space& space,
                                                  const std::vector<plan::shared::Segmentation>& points);

/// A segment with its tensors at all homes that go with it, the rows that nobody outside wants in each memory that can
/// have them, and the filters of each layer streamed or resident, as far as its layers keep the `choices:` of the
/// sweep. Each is simulated; all options are there.
Runs runs_of(const Case& c, const SweepSpec& spec, const Space& space, const plan::shared::RowSegment& segment);
/// Adds those of another segment.
void join(Runs& all, Runs some);

/// All of a sweep, one after the other, from as many of the planner's plans. `stop`, asked now and then, may end it
/// early.
Runs runs_of(const Case& c, const SweepSpec& spec, const Space& space, int most = kMostPhases,
             const std::function<bool()>& stop = {});

/// Without options that another is no worse than in every cost and memory: once buffers have addresses one of them may
/// still need less.
std::vector<Run> undominated(std::vector<Run> runs);

}  // namespace dse::explore
