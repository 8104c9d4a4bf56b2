// What dse run --dry-run prints.
#pragma once
#include <vector>

#include "explore/explore.h"

namespace dse::cli {

/// Per case: sizes, a table of its layers, an estimate of the time with `jobs` workers; as one JSON document if `json`.
/// @returns the exit code: bad input when a case cannot be searched as the sweep asks, no feasible plan when there is
/// none in any case, interrupted.
int dry_run(const explore::SweepSpec& spec, const std::vector<explore::Case>& cases, int jobs, bool json);

}  // namespace dse::cli
