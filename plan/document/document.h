// The plan as a document that people read and write, and in words.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "plan/plan.h"

namespace dse::plan {

/// Reads and writes the document. `read_plan` verifies hashes and names against network and device and reports every
/// problem.
std::string write_plan(const Plan& plan, const nn::Network& network, const hw::Device& device);
/// `any_name`: the network may be called otherwise, as a file of retrained weights may, if its structure is the one
/// that the document names.
std::optional<Plan> read_plan(const std::string& path, const nn::Network& network, const hw::Device& device,
                              Diagnostics& diags, bool any_name = false);
std::optional<Plan> read_plan_text(const std::string& text, const std::string& file, const nn::Network& network,
                                   const hw::Device& device, Diagnostics& diags, bool any_name = false);
/// JSON Schema of the document.
std::string plan_schema();
/// The plan in words, one line per layer.
std::vector<std::string> in_words(const Plan& plan, const nn::Network& network, const hw::Device& device);

}  // namespace dse::plan
