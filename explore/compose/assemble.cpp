#include "explore/compose/assemble.h"

#include <algorithm>

#include "explore/compose/caps.h"

namespace dse::explore {

Composition assemble(const Space& space, const SectionGraph& graph, const std::vector<LayerFront>& layers,
                     const std::vector<Pick>& picks) {
  Composition c;
  c.choices.resize(space.network->operators.size());
  MemoryVector peak{}, resident{};
  for (std::size_t s = 0; s < graph.sections.size(); ++s) {
    const auto& e = graph.sections[s][picks[s].edge];
    const auto& o = graph.of(e)[picks[s].entry];
    const auto need = e.need(o);
    for (std::size_t m = 0; m < need.size(); ++m) peak[m] = std::max(peak[m], need[m]), resident[m] += o.resident[m];
    for (int k = 0; k < kCosts; ++k) c.costs[k] += o.costs[k];
    const auto ops = layers_of(space, graph, e);
    c.order.insert(c.order.end(), ops.begin(), ops.end());
    if (e.run >= 0) {
      const auto& chosen = (*graph.runs)[e.run].options[o.entry].choices;
      for (std::size_t k = 0; k < chosen.size(); ++k) c.choices[ops[k]] = chosen[k];
    }
    if (e.op < 0) continue;
    c.choices[e.op] = layers[e.task].entries[o.entry].choice;
    c.choices[e.op].in_place = e.over >= 0;
  }
  if (c.order == space.layers) c.order.clear();
  for (std::size_t m = 0; m < peak.size(); ++m) c.memory += peak[m] + resident[m];
  return c;
}

}  // namespace dse::explore
