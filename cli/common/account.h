// A simulated point in words and figures, for the console.
#pragma once
#include <string>

#include "explore/measure/results.h"
#include "reports/words/roofline.h"

namespace dse::cli {

/// Headline, plan in words, memories, the per-layer account, whose rows and columns add up to the latency, and the
/// roofline, whose rows do. Sorted by cycles, layers that run by phases stay under their segment.
/// @throws InvariantError when they do not add up.
std::string account_text(const explore::Front& front, const explore::Point& point,
                         reports::RowOrder order = reports::RowOrder::plan);

}  // namespace dse::cli
