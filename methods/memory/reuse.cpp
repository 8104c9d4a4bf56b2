#include "methods/memory/reuse.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace dse::plan::phases {
namespace {

/// Layers in order of the longest way from a source, those of equal distance in the order of the graph.
std::vector<int> breadth_first(const LayerGraph& g) {
  std::vector<int> depth(g.layers.size(), 0), order(g.layers.size());
  std::vector<std::vector<const Edge*>> ins(g.layers.size());
  for (const auto& e : g.edges) ins[static_cast<std::size_t>(e.to)].push_back(&e);
  for (std::size_t i = 0; i < g.layers.size(); ++i)
    for (const auto* e : ins[i]) depth[i] = std::max(depth[i], depth[static_cast<std::size_t>(e->from)] + 1);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return depth[static_cast<std::size_t>(a)] < depth[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace

std::int64_t naive_bytes(const LayerGraph& g, std::int64_t bytes_per_element) {
  std::int64_t sum = 0;
  for (const auto& e : g.edges) sum += e.elements() * bytes_per_element;
  return sum;
}

std::int64_t Reuse::bytes() const { return std::accumulate(buffers.begin(), buffers.end(), std::int64_t{0}); }

Reuse buffer_reuse(const LayerGraph& g, std::int64_t bytes_per_element) {
  Reuse r;
  r.order = breadth_first(g);
  r.of_edge.assign(g.edges.size(), -1);
  std::vector<std::vector<std::size_t>> ins(g.layers.size()), outs(g.layers.size());
  for (std::size_t i = 0; i < g.edges.size(); ++i) {
    outs[static_cast<std::size_t>(g.edges[i].from)].push_back(i);
    ins[static_cast<std::size_t>(g.edges[i].to)].push_back(i);
  }
  std::vector<bool> taken;
  for (const int layer : r.order) {
    for (const auto e : outs[static_cast<std::size_t>(layer)]) {
      const auto free = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
      if (free == taken.size()) taken.push_back(false), r.buffers.push_back(0);
      taken[free] = true;
      r.of_edge[e] = static_cast<int>(free);
      r.buffers[free] = std::max(r.buffers[free], g.edges[e].elements() * bytes_per_element);
    }
    for (const auto e : ins[static_cast<std::size_t>(layer)]) taken[static_cast<std::size_t>(r.of_edge[e])] = false;
  }
  return r;
}

}  // namespace dse::plan::phases
