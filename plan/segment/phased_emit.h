// The tasks of a segment that runs by phases.
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "plan/segment/phased.h"

namespace dse::plan {

/// First and end number of the tasks that carry out each step of a segment, by step, counted from the segment's first.
using StepTasks = std::vector<std::pair<int, int>>;

/// Appends a section with the tasks of segment `segment` and the Wait that ends it: filters that do not lie in the
/// engine's reach come near first; then step by step rows from elsewhere, the calls, rows that go elsewhere.
/// `buffer`: finds a buffer of the plan by name. `geometry`: by operator.
StepTasks emit_phased(program::Program& program, const nn::Network& network, const hw::Device& device, const Plan& plan,
                      const PhasedPlan& phased, int segment, const std::vector<LayerGeometry>& geometry,
                      const std::function<const PlacedBuffer&(const std::string&)>& buffer);

}  // namespace dse::plan
