// Layer by layer, a buffer per tensor: the order that needs the least, from the search over orders of operators.
#include <map>
#include <utility>

#include "plan/phases/reuse.h"

namespace dse::plan::phases {
namespace {

/// Layers that are no sources as operators, in the order of the graph; sources are there from the start.
OrderProblem problem_of(const LayerGraph& g, std::int64_t bytes_per_element, std::vector<int>& layer_of) {
  OrderProblem p;
  p.name = g.name;
  std::vector<int> operator_of(g.layers.size(), -1);
  for (std::size_t i = 0; i < g.layers.size(); ++i) {
    if (g.layers[i].source) continue;
    operator_of[i] = static_cast<int>(p.operators.size());
    p.operators.push_back({g.layers[i].name, {}, {}, {}, {}, false});
    layer_of.push_back(static_cast<int>(i));
  }
  std::vector<bool> read(g.layers.size());
  const auto add = [&](std::size_t maker, std::int64_t elements) {
    const int tensor = static_cast<int>(p.tensors.size());
    const Layer& l = g.layers[maker];
    p.tensors.push_back({l.name, elements * bytes_per_element, l.source, l.output, -1});
    if (!l.source) p.operators[static_cast<std::size_t>(operator_of[maker])].outputs.push_back(tensor);
    return tensor;
  };
  std::map<std::pair<int, int>, int> known;  // by tensor and maker
  for (const auto& e : g.edges) {
    const auto from = static_cast<std::size_t>(e.from);
    const auto [entry, fresh] = known.emplace(std::pair(e.tensor, e.from), 0);
    if (fresh) entry->second = add(from, e.elements()), read[from] = true;
    const int reader = operator_of[static_cast<std::size_t>(e.to)];
    p.operators[static_cast<std::size_t>(reader)].inputs.push_back(entry->second);
  }
  for (const int l : layer_of)  // results that nobody reads
    if (const auto i = static_cast<std::size_t>(l); !read[i]) add(i, g.layers[i].rows * g.layers[i].row_elements);
  return p;
}

}  // namespace

LayerPeak least_layer_peak(const LayerGraph& g, std::int64_t bytes_per_element, const OrderEffort& effort) {
  std::vector<int> layer_of;
  const auto found = find_order(problem_of(g, bytes_per_element, layer_of), OrderRule::out_of_place, effort);
  LayerPeak out{found.peak_bytes, found.optimal, {}};
  for (const int o : found.order) out.order.push_back(layer_of[static_cast<std::size_t>(o)]);
  return out;
}

}  // namespace dse::plan::phases
