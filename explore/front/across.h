// Which points pay: the fronts of all variants of one network on all points of one device, compared with each other.
#pragma once
#include <string>
#include <vector>

#include "explore/measure/results.h"

namespace dse::explore {

/// One for each network (NetworkFacts::base) and device (Front::base) that several of `fronts` are of. `objectives`:
/// those of the fronts, and what is the case's own (is_of_case), in the order in which they were asked for. A point
/// stays where no point of another front, shown or not, is as good in all of them; of points that are equal, that of
/// the smallest device, and else of the first.
std::vector<Across> across_of(const std::vector<Front>& fronts, const std::vector<std::string>& objectives);

}  // namespace dse::explore
