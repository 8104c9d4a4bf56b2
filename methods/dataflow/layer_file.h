// Layers and phases written down by hand: `name.layers.yaml` files, and `phases:` for networks that are files already.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "plan/network/layer_graph.h"
#include "plan/network/parts.h"

namespace dse::plan::phases {

/// What such a file says. Fields: docs/memory/phases.md.
struct LayerFile {
  std::optional<LayerGraph> graph;                // `layers:`, where it is given
  std::optional<std::vector<PhaseCount>> phases;  // `phases:`, one per input and layer in order: a number or `max`
  Location phases_at;
};

/// Reads the text of such a file; `layers_wanted`: it must have `layers:`, else it must not. @returns nothing after
/// diagnostics, each with line and column.
std::optional<LayerFile> read_layer_file(std::string_view text, const std::string& file, bool layers_wanted,
                                         Diagnostics& diags);

}  // namespace dse::plan::phases
