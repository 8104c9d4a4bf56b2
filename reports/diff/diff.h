// Compares two measured points.
#pragma once
#include "reports/diff/point_diff.h"

namespace dse::reports {

/// @throws DiffError when a side lacks a field (it was written by an older version) or does not add up.
PointDiff diff_points(const Measured& a, const Measured& b);

}  // namespace dse::reports
