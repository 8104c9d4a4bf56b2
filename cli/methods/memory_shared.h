// Plans of shared phases in words and as JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "methods/memory/least.h"

namespace dse::cli {

/// Where its rows lie, and how good that is.
std::string placement_note(const plan::shared::SharedPlan& p);

/// A line per segment that is more than a whole layer, and one for all others.
std::vector<std::string> plan_in_words(const plan::shared::SharedPlan& p);

/// Segments, tensors and the offsets of everything.
nlohmann::ordered_json plan_as_json(const plan::shared::SharedPlan& p);

}  // namespace dse::cli
