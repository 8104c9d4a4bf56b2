#include "cli/methods/layer_input.h"

#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "methods/dataflow/from_network.h"
#include "methods/dataflow/layer_file.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"

namespace dse::cli {

using namespace plan::phases;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void add_layer_options(CLI::App& command, LayerOptions& o) {
  o.load.allow_float = true;
  o.load.keep_unsupported = true;
  command.add_option("--phases", o.phases,
                     "file whose `phases:` says how many phases each input and layer has (default: all max)");
  command.add_option("--fuse", o.fuse, "none, or elementwise: merge element-wise layers into those before them")
      ->check(CLI::IsMember({"none", "elementwise"}))
      ->capture_default_str();
  command.add_option("--bytes-per-element", o.bytes_per_element, "1 or 4")
      ->check(CLI::IsMember({1, 4}))
      ->capture_default_str();
  add_network_options(command, o.load);
}

std::optional<LayerInput> read_layers(const LayerOptions& o, Diagnostics& d) {
  LayerInput in;
  std::optional<std::vector<PhaseCount>> counts;
  Location where{o.network, 0, 0};
  if (ends_with(o.network, ".layers.yaml")) {
    const auto text = read_file(o.network, d);
    auto file = text ? read_layer_file(*text, o.network, true, d) : std::nullopt;
    if (!file) return std::nullopt;
    in.graph = std::move(*file->graph), counts = std::move(file->phases), where = file->phases_at;
  } else {
    const auto network = cli::load_network(o.network, d, o.load);
    if (!network) return std::nullopt;
    in.graph = layers_of(*network), in.parameters = network->parameters(), in.network = network;
    if (const auto defect = defect_of(in.graph); !defect.empty()) {
      d.error({o.network, 0, 0}, defect);
      return std::nullopt;
    }
  }
  if (o.fuse == "elementwise") in.graph = fuse_elementwise(in.graph);
  if (!o.phases.empty()) {
    const auto text = read_file(o.phases, d);
    auto file = text ? read_layer_file(*text, o.phases, false, d) : std::nullopt;
    if (!file) return std::nullopt;
    counts = std::move(file->phases), where = file->phases_at;
    if (!counts) {
      d.error({o.phases, 1, 1}, "phases: is missing");
      return std::nullopt;
    }
  }
  if (!counts) {
    in.parts = minimum_parts(in.graph);
    return in;
  }
  std::string why;
  auto parts = parts_of(in.graph, *counts, why);
  if (!parts) {
    d.error(where, why);
    return std::nullopt;
  }
  in.parts = std::move(*parts);
  return in;
}

}  // namespace dse::cli
