// The `training:` of a network file, and variants of such files.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/nn/train/options.h"
#include "models/nn/yaml/fields.h"

namespace dse::nn {

/// Reads a `training:` map; every problem goes to the report.
void read_training(const YAML::Node& node, train::Options& options, YamlReport& report);

/// What a network file says of its training, the defaults where it says nothing. Empty on error.
std::optional<train::Options> training_options(const std::string& text, const std::string& file, Diagnostics& diags);

/// A network file with other values of some fields: {"fc0.block", "32"} is field `block` of the layer called fc0, which
/// may be a name that the file leaves out ("fully_connected0"). @returns nothing, and says so, when there is no such
/// layer.
std::optional<std::string> with_fields(const std::string& text,
                                       const std::vector<std::pair<std::string, std::string>>& fields,
                                       const std::string& file, Diagnostics& diags);

/// The dense network of the same layers whose widths are scaled so that it has as many parameters as the network of
/// this file, or the next number that can be had. Empty where the file has no circulant layer or cannot be scaled.
std::optional<std::string> equal_dense(const std::string& text);
/// The same network with dense layers.
std::string dense_of(const std::string& text);

}  // namespace dse::nn
