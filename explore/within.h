// The smallest plan near the best: how much memory a little time gives back.
#pragma once
#include "explore/measure/results.h"
#include "explore/question/case.h"
#include "explore/question/options.h"
#include "explore/question/sweep.h"

namespace dse::explore {

/// The share above the best that a sweep asks for, 0 = none; and of which objective.
double tolerance_of(const SweepSpec& spec);
std::string tolerance_objective(const SweepSpec& spec);

using Search = std::function<Sweep(const SweepSpec&, const std::vector<Case>&, const ExploreOptions&, Diagnostics&)>;

/// For every front that has a best point: searches the least memory within the tolerance, by `search`, and adds the
/// point that it finds to Front::marked with the mark "within", or gives that mark to the front's own point where that
/// is it. What a search of the same folder has simulated is not simulated again.
void add_smallest_within(const SweepSpec& spec, const std::vector<Case>& cases, const ExploreOptions& options,
                         const Search& search, Sweep& sweep, Diagnostics& diags);

}  // namespace dse::explore
