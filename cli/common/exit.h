// Exit codes of `dse`, in docs/commands.md.
#pragma once
#include "explore/measure/results.h"

namespace dse::cli {

enum Exit : int {
  ok = 0,
  other_failure = 1,
  usage = 2,
  bad_input = 3,
  no_feasible_plan = 4,
  mismatch = 5,
  limit_exceeded = 6,
  interrupted = 130,
};

/// True where any front has a point.
bool has_points(const explore::Sweep& sweep);
/// Of a run without: "no feasible plan", or that there was no memory or no budget to find one.
const char* why_no_points(const explore::Sweep& sweep);

/// Of a run that came to results or to none: a candidate that was wrong through a defect of the tool makes it
/// `mismatch`; without points, one that there was no memory for `other_failure`, and one that the budget ended before
/// anything was proven `limit_exceeded`.
int exit_of_run(const explore::Sweep& sweep, bool interrupted);

}  // namespace dse::cli
