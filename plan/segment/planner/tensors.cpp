#include "plan/segment/planner/tensors.h"

#include <map>
#include <utility>

namespace dse::plan::shared {

Tensors tensors_of(const phases::LayerGraph& g) {
  Tensors t;
  t.of_layer.resize(g.layers.size()), t.ins.resize(g.layers.size()), t.of_edge.resize(g.edges.size());
  std::map<std::pair<int, int>, std::vector<int>> edges;  // by maker and tensor
  for (int e = 0; e < static_cast<int>(g.edges.size()); ++e) {
    const auto& edge = g.edges[static_cast<std::size_t>(e)];
    edges[{edge.from, edge.tensor}].push_back(e);
    t.ins[static_cast<std::size_t>(edge.to)].push_back(e);
  }
  auto at = edges.begin();
  for (int l = 0; l < static_cast<int>(g.layers.size()); ++l) {
    const auto& layer = g.layers[static_cast<std::size_t>(l)];
    auto& made = t.of_layer[static_cast<std::size_t>(l)];
    const auto add = [&](Tensor tensor) {
      for (const int e : tensor.edges) t.of_edge[static_cast<std::size_t>(e)] = static_cast<int>(t.all.size());
      made.push_back(static_cast<int>(t.all.size()));
      t.all.push_back(std::move(tensor));
    };
    for (; at != edges.end() && at->first.first == l; ++at) {
      const auto& first = g.edges[static_cast<std::size_t>(at->second[0])];
      add({at->first.second, l, first.rows, first.row_elements, at->second, layer.output});
    }
    if (made.empty()) add({-1, l, layer.rows, layer.row_elements, {}, layer.output});
  }
  return t;
}

}  // namespace dse::plan::shared
