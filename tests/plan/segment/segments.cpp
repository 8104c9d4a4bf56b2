#include "tests/plan/segment/segments.h"

#include <algorithm>
#include <array>

#include "plan/network/layers.h"
#include "plan/network/row_graph.h"
#include "tests/plan/reference_executor.h"

namespace dse::test {

using plan::LayerChoice;
using plan::Phases;

int draw_segments(Random& random, const nn::Network& n, const hw::Device& d, std::vector<LayerChoice>& choices) {
  const auto layers = plan::layers_of(n, true);
  int several = 0;
  for (auto& c : choices) c.output_layout = plan::TensorLayout::hwc;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i;
    while (end < layers.size() && plan::by_rows(n, n.operators[layers[end]])) ++end;
    if (end == i || pick(random, 0, 4) == 0) {
      ++i;
      continue;
    }
    const std::size_t length = 1 + static_cast<std::size_t>(pick(random, 0, static_cast<int>(end - i) - 1));
    several += length > 1;
    const auto halo = pick(random, 0, 2) ? plan::shared::Halo::cached : plan::shared::Halo::recomputed;
    // Strips, mostly where they may be: everything in reach, two columns at least in the end.
    const auto& last_op = n.operators[layers[i + length - 1]];
    const bool wide = n.tensors[last_op.outputs[0]].image().w > 1;
    const bool near = std::all_of(
        layers.begin() + static_cast<std::ptrdiff_t>(i), layers.begin() + static_cast<std::ptrdiff_t>(i + length),
        [&](int op) { return d.engines[d.compute_engine()].reaches(choices[op].output_memory); });
    const bool may = (wide && near) || pick(random, 0, 9) == 0;
    const int strips = may && length > 1 && halo == plan::shared::Halo::cached ? pick(random, 1, 3) : 1;
    for (std::size_t k = i; k < i + length; ++k) {
      auto& c = choices[layers[k]];
      const int weights = c.weights_memory, output = c.output_memory;
      c = LayerChoice{};
      c.weights_memory = weights, c.output_memory = output;
      const bool last = k + 1 == i + length;
      // Rows stay near inside a segment, unless the engine reaches everything.
      if (!last && !d.engines[d.compute_engine()].reaches(output)) c.output_memory = 0;
      c.phases = last ? Phases::yes : Phases::with_next;
      c.tile = std::array{0, 1, 1, 2, 4}[pick(random, 0, 4)];
      if (last) c.halo = halo, c.strips = strips;
    }
    i += length;
  }
  return several;
}

std::string wrong_bytes(const nn::Network& network, const program::Program& program,
                        const std::vector<std::uint8_t>& constants, std::uint64_t seed) {
  std::vector<std::vector<std::uint8_t>> inputs;
  for (std::size_t i = 0; i < network.inputs.size(); ++i)
    inputs.push_back(nn::seeded_input(network.tensors[network.inputs[i]], static_cast<int>(i), seed));
  const auto truth = nn::interpret(network, inputs);
  const std::pair<Interleaving, std::uint64_t> orders[] = {
      {Interleaving::eager, 0}, {Interleaving::lazy, 0}, {Interleaving::random, 1}, {Interleaving::random, seed}};
  for (const auto& [order, s] : orders) {
    const auto result = execute(program, constants, inputs, order, s);
    const std::string label = std::string(name_of(order)) + ": ";
    if (!result.ok()) return label + *result.failure;
    for (std::size_t o = 0; o < network.outputs.size(); ++o)
      if (result.outputs[o] != truth[network.outputs[o]]) return label + "wrong bytes in output " + std::to_string(o);
  }
  return "";
}

}  // namespace dse::test
