// Candidates that are wrong through no fault of their own are left out and named; the run goes on without them.
#pragma once
#include <string>

#include "explore/engine/work.h"
#include "explore/measure/measure.h"
#include "explore/workers/pool.h"

namespace dse::explore {

/// Leaves a candidate out and says so in the notes of the case: of each kind of reason the first three by name. What
/// was left out before (the same plan or assignment, for the same reason) is not told again.
void leave_out(Work& work, LeftOut candidate);

/// What the loss of a worker makes of the candidate that it had in hand.
LeftOut left_by(const Lost& loss, const std::string& what, const std::string& assignment = {});

/// Of a plan that the checker refuses, or whose simulation came to no end. `measured.invalid` is set.
LeftOut refused(const Measured& measured, const std::string& what, const std::string& assignment);

/// Of a candidate that an earlier run lost or found to be wrong, as the study keeps it.
LeftOut remembered(const Candidate& candidate, const std::string& what);

/// Plan ids that were left out for their bytes, or because they could not be simulated in full.
bool is_left_out(const Work& work, const std::string& plan);

/// Every defect of the fronts as an error.
void report_defects(const Front& front, Diagnostics& diags);

}  // namespace dse::explore
