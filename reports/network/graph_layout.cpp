#include "reports/network/graph_layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/diagnostics.h"

namespace dse::reports {
namespace {

using Index = std::size_t;
Index at(int i) { return static_cast<Index>(i); }

void assign_layers(Graph& g) {
  const auto count = g.nodes.size();
  std::vector<std::vector<int>> next(count);
  std::vector<int> waiting(count), order;
  for (const auto& e : g.edges) {
    ensure(e.from >= 0 && e.to >= 0 && at(e.from) < count && at(e.to) < count, "an edge leads nowhere");
    next[at(e.from)].push_back(e.to);
    ++waiting[at(e.to)];
  }
  for (Index n = 0; n < count; ++n) {
    g.nodes[n].layer = 0;
    if (waiting[n] == 0) order.push_back(static_cast<int>(n));
  }
  const auto sources = order.size();
  for (Index i = 0; i < order.size(); ++i)
    for (const int to : next[at(order[i])]) {
      g.nodes[at(to)].layer = std::max(g.nodes[at(to)].layer, g.nodes[at(order[i])].layer + 1);
      if (--waiting[at(to)] == 0) order.push_back(to);
    }
  ensure(order.size() == count, "the graph has a cycle");
  for (Index i = 0; i < sources; ++i) {
    auto& node = g.nodes[at(order[i])];
    if (!node.late || next[at(order[i])].empty()) continue;
    int first = g.nodes[at(next[at(order[i])][0])].layer;
    for (const int to : next[at(order[i])]) first = std::min(first, g.nodes[at(to)].layer);
    node.layer = std::max(0, first - 1);
  }
}

/// A node, or a bend of the edges of one bundle where they pass a layer.
struct Cell {
  double width = 0, x = 0;
  bool bend = false;
  std::vector<int> up, down;  // cells of neighbouring layers
  double place = 0;           // position in its layer
};

class Layers {
 public:
  explicit Layers(Graph& g) : g_(g) {
    int last = 0;
    for (const auto& n : g.nodes) last = std::max(last, n.layer);
    layers_.resize(at(last) + 1);
    for (Index n = 0; n < g.nodes.size(); ++n) add(g.nodes[n].width, false, g.nodes[n].layer);
    const int longest = longest_with_bends();
    ways_.resize(g.edges.size());
    for (Index e = 0; e < g.edges.size(); ++e) lead(e, longest);
  }

  void order() {
    number();
    auto best = layers_;
    auto fewest = crossings();
    for (int sweep = 0; sweep < 12 && fewest > 0; ++sweep) {
      if (sweep % 2 == 0)
        for (Index l = 1; l < layers_.size(); ++l) sort(layers_[l], true);
      else
        for (Index l = layers_.size() - 1; l-- > 0;) sort(layers_[l], false);
      if (const auto now = crossings(); now < fewest) fewest = now, best = layers_;
    }
    layers_ = best;
    number();
  }

  void place() {
    for (auto& layer : layers_) {
      double x = 0;
      for (const int c : layer) {
        cell(c).x = x + cell(c).width / 2;
        x += cell(c).width + gap();
      }
      for (const int c : layer) cell(c).x -= (x - gap()) / 2;
    }
    for (int sweep = 0; sweep < 10; ++sweep) {
      if (sweep % 2 == 0)
        for (Index l = 0; l < layers_.size(); ++l) settle(layers_[l]);
      else
        for (Index l = layers_.size(); l-- > 0;) settle(layers_[l]);
    }
  }

  void write() {
    double left = 0, right = 0, y = 0;
    for (const auto& c : cells_) left = std::min(left, c.x - c.width / 2), right = std::max(right, c.x + c.width / 2);
    std::vector<double> middle(layers_.size()), half(layers_.size());
    for (Index l = 0; l < layers_.size(); ++l) {
      for (const int c : layers_[l])
        if (!cell(c).bend) half[l] = std::max(half[l], g_.nodes[at(c)].height / 2);
      middle[l] = y + half[l];
      y += 2 * half[l] + g_.gap_y;
    }
    for (Index n = 0; n < g_.nodes.size(); ++n) {
      g_.nodes[n].x = cells_[n].x - left;
      g_.nodes[n].y = middle[at(g_.nodes[n].layer)];
    }
    g_.width = right - left;
    g_.height = y - g_.gap_y;
    for (Index e = 0; e < g_.edges.size(); ++e) {
      auto& edge = g_.edges[e];
      const auto &from = g_.nodes[at(edge.from)], &to = g_.nodes[at(edge.to)];
      edge.points = {{from.x, from.y + from.height / 2}};
      int layer = from.layer;
      for (const int c : ways_[e]) {  // straight through the layer, so that no node beside it is touched
        ++layer;
        const double x = cell(c).x - left;
        edge.points.push_back({x, middle[at(layer)] - half[at(layer)]});
        edge.points.push_back({x, middle[at(layer)] + half[at(layer)]});
      }
      edge.points.push_back({to.x, to.y - to.height / 2});
    }
  }

 private:
  Cell& cell(int c) { return cells_[at(c)]; }
  const Cell& cell(int c) const { return cells_[at(c)]; }
  double gap() const { return g_.gap_x; }

  int add(double width, bool bend, int layer) {
    const auto c = static_cast<int>(cells_.size());
    cells_.push_back({width, 0, bend, {}, {}, 0});
    layers_[at(layer)].push_back(c);
    return c;
  }

  int span(const GraphEdge& e) const { return g_.nodes[at(e.to)].layer - g_.nodes[at(e.from)].layer; }

  /// The largest span up to which edges get bends, so that there are not too many.
  int longest_with_bends() const {
    std::map<std::pair<int, int>, int> reach;  // of every bundle
    for (const auto& e : g_.edges) {
      auto& r = reach[{e.from, e.bundle}];
      r = std::max(r, span(e));
    }
    std::map<int, std::size_t> bends;
    for (const auto& [key, r] : reach) bends[r] += static_cast<std::size_t>(r - 1);
    std::size_t sum = 0;
    int longest = 1;
    for (const auto& [r, count] : bends) {
      sum += count;
      if (sum > g_.most_bends) break;
      longest = r;
    }
    return longest;
  }

  void lead(Index e, int longest) {
    const auto& edge = g_.edges[e];
    int last = edge.from;
    if (span(edge) <= longest) {
      auto& shared = bundles_[{edge.from, edge.bundle}];
      for (int i = 0; i + 1 < span(edge); ++i) {
        if (shared.size() <= at(i)) {
          shared.push_back(add(6, true, g_.nodes[at(edge.from)].layer + 1 + i));
          join(last, shared.back());
        }
        last = shared[at(i)];
        ways_[e].push_back(last);
      }
    }
    join(last, edge.to);
  }

  void join(int upper, int lower) {
    cell(upper).down.push_back(lower);
    cell(lower).up.push_back(upper);
  }

  void number() {
    for (auto& layer : layers_)
      for (Index i = 0; i < layer.size(); ++i) cell(layer[i]).place = static_cast<double>(i);
  }

  void sort(std::vector<int>& layer, bool by_upper) {
    std::vector<std::pair<double, int>> keyed;
    for (const int c : layer) {
      const auto& near = by_upper ? cell(c).up : cell(c).down;
      double sum = 0;
      for (const int n : near) sum += cell(n).place;
      keyed.emplace_back(near.empty() ? cell(c).place : sum / static_cast<double>(near.size()), c);
    }
    std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (Index i = 0; i < layer.size(); ++i) layer[i] = keyed[i].second, cell(layer[i]).place = static_cast<double>(i);
  }

  /// Pairs of edges between neighbouring layers that cross; edges drawn straight across several do not count.
  std::int64_t crossings() const {
    std::int64_t sum = 0;
    for (Index l = 0; l + 1 < layers_.size(); ++l) {
      std::vector<double> ends;  // in the order of their upper ends
      for (const int c : layers_[l]) {
        std::vector<double> own;
        for (const int d : cell(c).down) own.push_back(cell(d).place);
        std::sort(own.begin(), own.end());
        ends.insert(ends.end(), own.begin(), own.end());
      }
      std::vector<std::int64_t> below(
          ends.empty() ? 0 : at(static_cast<int>(*std::max_element(ends.begin(), ends.end()))) + 2);
      for (Index i = 0; i < ends.size(); ++i) {  // a Fenwick tree over the lower ends seen so far
        std::int64_t not_above = 0;
        for (Index k = static_cast<Index>(ends[i]) + 1; k > 0; k &= k - 1) not_above += below[k - 1];
        sum += static_cast<std::int64_t>(i) - not_above;
        for (Index k = static_cast<Index>(ends[i]) + 1; k <= below.size(); k += k & (~k + 1)) ++below[k - 1];
      }
    }
    return sum;
  }

  /// Least squares under x[i + 1] - x[i] >= distance: pooled adjacent violators on positions less the distances before.
  void settle(const std::vector<int>& layer) {
    struct Pool {
      double sum, weight;
      Index first;
      double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    std::vector<double> offset(layer.size());
    for (Index i = 0; i < layer.size(); ++i) {
      const auto& c = cell(layer[i]);
      if (i > 0) offset[i] = offset[i - 1] + (cell(layer[i - 1]).width + c.width) / 2 + gap();
      double sum = 0, weight = 0;
      for (const auto* near : {&c.up, &c.down})
        for (const int n : *near) {
          const double w = c.bend && cell(n).bend ? 8 : 1;  // long edges run straight
          sum += w * cell(n).x, weight += w;
        }
      if (weight == 0) sum = c.x, weight = 0.1;
      Pool pool{sum - weight * offset[i], weight, i};
      while (!pools.empty() && pools.back().mean() >= pool.mean()) {
        pool = {pool.sum + pools.back().sum, pool.weight + pools.back().weight, pools.back().first};
        pools.pop_back();
      }
      pools.push_back(pool);
    }
    for (Index p = 0; p < pools.size(); ++p) {
      const Index end = p + 1 < pools.size() ? pools[p + 1].first : layer.size();
      for (Index i = pools[p].first; i < end; ++i) cell(layer[i]).x = pools[p].mean() + offset[i];
    }
  }

  Graph& g_;
  std::vector<Cell> cells_;  // nodes first
  std::vector<std::vector<int>> layers_;
  std::map<std::pair<int, int>, std::vector<int>> bundles_;
  std::vector<std::vector<int>> ways_;  // bends of every edge
};

}  // namespace

void lay_out(Graph& graph) {
  graph.width = graph.height = 0;
  if (graph.nodes.empty()) return;
  assign_layers(graph);
  Layers layers(graph);
  layers.order();
  layers.place();
  layers.write();
}

}  // namespace dse::reports
