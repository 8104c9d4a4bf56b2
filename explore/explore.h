// Runs a sweep: enumerates each layer's schedules, composes them exactly, simulates whole plans, returns the fronts.
#pragma once
#include <vector>

#include "explore/measure/results.h"
#include "explore/question/case.h"
#include "explore/question/options.h"
#include "explore/question/resolve.h"
#include "explore/question/sweep.h"

namespace dse::explore {

/// Explores everything. Deterministic for given inputs and budget, whatever `jobs`. Writes plans to
/// out/plans/<id>.yaml. An interrupted run returns what it has (Front::complete = false).
Sweep explore(const SweepSpec& spec, const std::vector<Case>& cases, const ExploreOptions& options, Diagnostics& diags);

}  // namespace dse::explore
