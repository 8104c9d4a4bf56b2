// A simulated point in words and figures, for the console.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace dse::cli {

/// Headline, plan in words, memories, and the per-layer account, whose rows and columns add up to the latency.
/// `front`, `point`: as in results.json. @throws InvariantError when they do not add up.
std::string account_text(const nlohmann::json& front, const nlohmann::json& point);

}  // namespace dse::cli
