// Files of limits: what a plan is held against, in the words of a sweep's `constraints`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "explore/question/sweep.h"

namespace dse::explore {

/// `format: 1`, `constraints: {latency: "<= 20 ms", memories.l2.peak: "<= 256 KiB"}`. Nothing after an error.
std::optional<std::vector<Constraint>> read_limits(const std::string& path, Diagnostics& diags);
/// JSON Schema of the file.
std::string limits_schema();

}  // namespace dse::explore
