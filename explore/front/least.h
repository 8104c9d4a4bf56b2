// What is said where no plan keeps the limits: by how much each is missed, alone and beside the others.
#pragma once
#include <string>
#include <vector>

#include "explore/measure/results.h"
#include "explore/question/case.h"

namespace dse::explore {

/// In words. `layerwise`: why no plan that is decided layer by layer keeps them; named where it names a layer.
std::string why_infeasible(const std::vector<Least>& least, const std::string& layerwise);

/// The answers for a list of plans that is all there is, whoever made them.
std::vector<Least> least_among(const std::vector<Point>& points, const std::vector<Constraint>& limits, bool complete);

/// Why no plan at all fits, whatever is searched: the constants are larger than the memory that holds them. Empty: they
/// fit.
std::string lacks_constants(const Case& c);

}  // namespace dse::explore
