// The layers of a network in the project's own format.
#pragma once
#include <vector>

#include "models/nn/made/network_spec.h"
#include "models/nn/yaml/fields.h"

namespace dse::nn {

/// Adds the layers of a list to a description that has its input. @returns the place of each.
std::vector<YAML::Mark> read_layers(const YAML::Node& list, NetworkSpec& spec, YamlReport& report);

}  // namespace dse::nn
