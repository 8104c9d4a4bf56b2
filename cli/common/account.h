// A simulated point in words and figures, for the console.
#pragma once
#include <string>

#include "explore/measure/results.h"

namespace dse::cli {

/// Headline, plan in words, memories, and the per-layer account, whose rows and columns add up to the latency.
/// @throws InvariantError when they do not add up.
std::string account_text(const explore::Front& front, const explore::Point& point);

}  // namespace dse::cli
