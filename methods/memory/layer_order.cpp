#include "methods/memory/layer_order.h"

#include <map>
#include <utility>

#include "base/diagnostics.h"
#include "base/index.h"

namespace dse::plan::phases {
OrderProblem order_problem(const LayerGraph& g, std::int64_t bytes_per_element) {
  OrderProblem p;
  p.name = g.name;
  std::vector<int> op(g.layers.size(), -1);
  for (std::size_t l = 0; l < g.layers.size(); ++l)
    if (!g.layers[l].source) {
      op[l] = static_cast<int>(p.operators.size());
      p.operators.push_back({g.layers[l].name, {}, {}, {}, {}, g.layers[l].elementwise});
    }
  std::map<std::pair<int, int>, int> tensors;  // by maker and number
  std::vector<bool> made(g.layers.size());
  const auto make = [&](int layer, std::int64_t elements) {
    const auto& l = g.layers[index(layer)];
    const int t = static_cast<int>(p.tensors.size());
    p.tensors.push_back({l.name, elements * bytes_per_element, l.source, l.output, -1});
    if (!l.source) p.operators[index(op[index(layer)])].outputs.push_back(t);
    made[index(layer)] = true;
    return t;
  };
  for (const auto& e : g.edges) {
    auto at = tensors.find({e.from, e.tensor});
    if (at == tensors.end()) at = tensors.emplace(std::pair(e.from, e.tensor), make(e.from, e.elements())).first;
    p.operators[index(op[index(e.to)])].inputs.push_back(at->second);
  }
  for (int l = 0; l < static_cast<int>(g.layers.size()); ++l)
    if (!made[index(l)]) make(l, g.layers[index(l)].rows * g.layers[index(l)].row_elements);
  return p;
}

LayerPeak least_layer_peak(const LayerGraph& g, std::int64_t bytes_per_element, const OrderEffort& effort) {
  std::vector<int> layers;
  for (int l = 0; l < static_cast<int>(g.layers.size()); ++l)
    if (!g.layers[index(l)].source) layers.push_back(l);
  const auto found = find_order(order_problem(g, bytes_per_element), OrderRule::out_of_place, effort);
  LayerPeak peak{found.peak_bytes, found.lower_bound_bytes, found.optimal, {}};
  for (const int op : found.order) peak.order.push_back(layers[index(op)]);
  return peak;
}

LayerGraph in_order(const LayerGraph& g, std::span<const int> order) {
  LayerGraph out;
  out.name = g.name;
  std::vector<int> place(g.layers.size(), -1);
  const auto add = [&](int l) {
    ensure(place[index(l)] < 0, "phases: an order with a layer twice");
    place[index(l)] = static_cast<int>(out.layers.size());
    out.layers.push_back(g.layers[index(l)]);
  };
  for (int l = 0; l < static_cast<int>(g.layers.size()); ++l)
    if (g.layers[index(l)].source) add(l);
  for (const int l : order) add(l);
  ensure(out.layers.size() == g.layers.size(), "phases: an order without all layers");
  for (Edge e : g.edges) {
    e.from = place[index(e.from)], e.to = place[index(e.to)];
    ensure(e.from < e.to, "phases: an order against an edge");
    out.edges.push_back(e);
  }
  return out;
}

}  // namespace dse::plan::phases
