#include "plan/make/buffers.h"

#include <algorithm>

#include "base/units.h"
#include "plan/layer/prefetch.h"
#include "plan/network/layers.h"
#include "plan/place/input_rows.h"

namespace dse::plan {

std::vector<PlacedBuffer> buffers_of(const nn::Network& network, const hw::Device& device, const Plan& plan,
                                     const std::vector<LayerGeometry>& geometry, const TensorPlaces& places,
                                     std::int64_t& constants_size) {
  std::vector<PlacedBuffer> out;
  constants_size = 0;
  const auto& choices = plan.choices;
  const int last = static_cast<int>(plan.segments.size()) - 1;
  std::vector<int> layers, section(network.operators.size(), -1);
  for (std::size_t s = 0; s < plan.segments.size(); ++s)
    for (const int op : plan.segments[s].operators) layers.push_back(op), section[op] = static_cast<int>(s);

  for (std::size_t t = 0; t < network.tensors.size(); ++t) {
    if (places.of[t].root != static_cast<int>(t)) continue;
    if (network.tensors[t].kind == nn::TensorKind::variable) {  // kept from run to run
      const auto name = "t" + std::to_string(t);
      const std::int64_t size = network.tensors[t].bytes();
      out.push_back({name, program::BufferRole::state, device.io, 0, size, 0, last, static_cast<int>(t)});
      out.push_back(
          {name + ".initial", program::BufferRole::constants, device.constants, constants_size, size, 0, last, -1});
      constants_size += round_up(size, 16);
      continue;
    }
    const int producer = network.producer(static_cast<int>(t));
    const bool input = std::count(network.inputs.begin(), network.inputs.end(), static_cast<int>(t)) > 0;
    if (producer < 0 && !input) continue;  // constants, optional operands
    PlacedBuffer b;
    b.name = "t" + std::to_string(t);
    b.tensor = static_cast<int>(t);
    const Placement home = producer < 0 ? Placement{device.io}
                                        : Placement{choices[producer].output_memory, choices[producer].output_layout};
    b.size = bytes_of(network.tensors[t], home.layout);
    b.memory = home.memory;
    b.first = producer < 0 ? 0 : section[producer];
    b.last = b.first;
    for (std::size_t a = 0; a < network.tensors.size(); ++a) {
      if (places.of[a].root != static_cast<int>(t)) continue;
      if (const int maker = network.producer(static_cast<int>(a)); maker >= 0 && section[maker] >= 0)
        b.first = std::min(b.first, section[maker]);  // of its parts
      for (int consumer : network.consumers(static_cast<int>(a))) b.last = std::max(b.last, section[consumer]);
      if (std::count(network.outputs.begin(), network.outputs.end(), static_cast<int>(a))) b.last = last;
    }
    if (input && producer < 0 && !place_input(network, device, plan, layers, section, b, out)) continue;
    b.over = places.over[t];
    out.push_back(b);
  }
  for (int op : layers_of(network, plan.alias_reshapes)) {  // the image is that of the file's order
    const auto& g = geometry[op];
    const auto& name = network.operators[op].name;
    for (const auto& l : g.buffers) {
      const bool ahead = g.prefetched && l.name == prefetch_buffer(g);
      out.push_back({name + "." + l.name, l.role, l.memory, 0, l.size, section[op] - ahead, section[op], -1});
    }
    if (g.form == WeightForm::none) continue;
    if (g.form == WeightForm::blob) constants_size = round_up(constants_size, 16);
    out.push_back({name + ".constants", program::BufferRole::constants, device.constants, constants_size,
                   g.weight_bytes, 0, last, -1});
    constants_size += round_up(g.weight_bytes, 4);
    if (choices[op].weights_memory != kStreamed)
      out.push_back({name + ".resident", program::BufferRole::weights, choices[op].weights_memory, 0, g.weight_bytes, 0,
                     last, -1});
  }
  return out;
}

}  // namespace dse::plan
