// Compares two measured points.
#pragma once
#include "reports/diff/point_diff.h"
#include "reports/run/recorded.h"

namespace dse::reports {

/// @throws RecordError when a side lacks a field (it was written by an older version) or does not add up.
PointDiff diff_points(const RecordedPoint& a, const RecordedPoint& b);

}  // namespace dse::reports
