// One whole plan through lowering and the platform, with everything that reports show.
#pragma once
#include "explore/measure/results.h"
#include "explore/question/case.h"
#include "plan/choices/assignment.h"
#include "plan/plan.h"

namespace dse::explore {

/// The program of a plan of this case.
program::Program lower(const Case& c, const plan::Plan& plan);

/// The complete assignment of a plan of this case: the layers' choices, those of the network, and the axes of the
/// device point as "device.memories.l1.size".
plan::Assignment assignment_of(const Case& c, const plan::Plan& plan);

/// Simulates one plan with all accounts (and real bytes with `verify`), as the exploration does.
Point simulate_point(const Case& c, const plan::Plan& plan, bool verify, bool trace);

}  // namespace dse::explore
