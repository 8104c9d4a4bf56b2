#include "plan/place/contexts.h"

#include <algorithm>

#include "plan/network/layers.h"
#include "plan/place/aliases.h"

namespace dse::plan {
namespace {

/// `root` and `places` are those of all tensors.
LayerContext context_with(const nn::Network& network, const hw::Device& device, const std::vector<LayerChoice>& choices,
                          int op, const std::vector<int>& root, const TensorPlaces& places) {
  LayerContext c;
  c.network = &network;
  c.device = &device;
  c.op = op;
  const auto inputs = activations(network, network.operators[op]);
  c.input_count = static_cast<int>(inputs.size());
  c.inputs.resize(std::max<std::size_t>(2, inputs.size()));
  for (int i = 0; i < c.input_count; ++i) {
    const int producer = network.producer(root[inputs[i]]);
    c.inputs[i] = producer < 0 ? Placement{device.io, TensorLayout::hwc}
                               : Placement{choices[producer].output_memory, choices[producer].output_layout};
    c.inputs[i].inside = places.of[inputs[i]].inside;
  }
  c.output_inside = places.of[network.operators[op].outputs[0]].inside;
  return c;
}

}  // namespace

LayerContext context_of(const nn::Network& network, const hw::Device& device, const std::vector<LayerChoice>& choices,
                        int op, bool alias_reshapes) {
  return context_with(network, device, choices, op, alias_roots(network, alias_reshapes),
                      place_tensors(network, choices, alias_reshapes));
}

std::vector<LayerContext> contexts_of(const nn::Network& network, const hw::Device& device,
                                      const std::vector<LayerChoice>& choices, bool alias_reshapes) {
  const auto root = alias_roots(network, alias_reshapes);
  const auto places = place_tensors(network, choices, alias_reshapes);
  std::vector<LayerContext> out(network.operators.size());
  for (int op : layers_of(network, alias_reshapes)) out[op] = context_with(network, device, choices, op, root, places);
  return out;
}

std::vector<LayerGeometry> geometries(const nn::Network& network, const hw::Device& device,
                                      const std::vector<LayerChoice>& choices, bool alias_reshapes) {
  std::vector<LayerGeometry> out(network.operators.size());
  const auto contexts = contexts_of(network, device, choices, alias_reshapes);
  for (int op : layers_of(network, alias_reshapes)) out[op] = layer_geometry(contexts[op], choices[op]);
  return out;
}

}  // namespace dse::plan
