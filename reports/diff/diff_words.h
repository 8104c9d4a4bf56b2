// Comparisons as documents for people and as JSON for programs.
#pragma once
#include <nlohmann/json.hpp>

#include "reports/diff/diff_front.h"
#include "reports/diff/point_diff.h"
#include "reports/words/document.h"

namespace dse::reports {

/// Largest differences first, rows without any left out, totals last.
void describe(const PointDiff& diff, Document& out);
void describe(const FrontDiff& diff, Document& out);

/// Complete: rows without a difference too. Fields are described in docs/run/diff.md.
nlohmann::json to_json(const PointDiff& diff);
nlohmann::json to_json(const FrontDiff& diff);

}  // namespace dse::reports
