// What `dse run` says at its end about one front.
#pragma once
#include <string>
#include <vector>

#include "explore/measure/results.h"

namespace dse::reports {

/// Lines for the console, without line ends: the count and what stands behind it; the marked points with memory and
/// latency; per reference plan (rule-based, TFLM today, user) the margin that the front has over it. A front without
/// points gives its reason. Notes come last.
std::vector<std::string> console_summary(const explore::Front& front);

}  // namespace dse::reports
