// What `dse memory` and `dse csdf` are given: a network or a file of layers, merged or not, and phases per layer.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "models/nn/network.h"
#include "plan/network/layer_graph.h"
#include "plan/network/parts.h"

namespace dse::cli {

struct LayerOptions {
  std::string network, phases;
  std::string fuse = "none";
  std::int64_t bytes_per_element = 1;
  nn::LoadOptions load;
};
void add_layer_options(CLI::App& command, LayerOptions& options);

struct LayerInput {
  plan::phases::LayerGraph graph;
  plan::phases::Parts parts;
  std::optional<std::int64_t> parameters;  // elements of all constants; nothing where layers are all that is known
  nn::NetworkPtr network;                  // nullptr there
};
/// Nothing after diagnostics.
std::optional<LayerInput> read_layers(const LayerOptions& options, Diagnostics& diagnostics);

bool ends_with(const std::string& text, const std::string& end);

}  // namespace dse::cli
