#include "explore/compose/graph/section_graph.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "explore/compose/graph/few_states.h"
#include "explore/compose/graph/live_tensors.h"
#include "explore/compose/graph/section_options.h"
#include "explore/space/cuts.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

class Builder {
 public:
  Builder(const Space& space, const std::vector<LayerFront>& layers, const std::vector<Run>* runs)
      : space_(space),
        layers_(layers),
        network_(*space.network),
        device_(*space.device),
        alive_(space, graph_.memories) {
    for (int m = 0; m < static_cast<int>(device_.memories.size()); ++m)
      if (device_.memories[m].on_chip) graph_.memories.push_back(m);
    ensure(graph_.memories.size() <= kMaxCaps, "more on-chip memories than the composition has caps for");
    for (const int op : space_.layers) {
      inputs_[op] = plan::activations(network_, network_.operators[op]);
      auto& own = in_place_[op];
      own.plain = space_.allows_in_place(op, false);
      if (!space_.allows_in_place(op, true)) continue;
      for (const int i : plan::inputs_to_overwrite(network_, op, space_.root))
        own.inputs.push_back(space_.root[inputs_[op][i]]);
    }
    for (std::size_t t = 0; t < layers_.size(); ++t)
      for (const bool fetched : {false, true})
        for (const bool fetches : {false, true})
          graph_.options.push_back(options_of(layers_[t], fetched, fetches, graph_.memories, device_));
    graph_.runs = runs;
    if (!runs) return;
    for (const auto& run : *runs) graph_.options.push_back(options_of(run, graph_.memories));
    graph_.options.push_back({SectionOption{}});
  }

  /// @returns whether the graph keeps to `most` edges. `few`: states that a section keeps at most; 0: all.
  bool run(CutSet& cuts, std::size_t most, std::size_t few = 0) {
    few_ = few, graph_.sections.clear(), graph_.states.assign(1, 1);
    LiveState start;
    for (const int t : network_.inputs)
      if (!space_.homes[t].empty() && !alive_.is_streamed(t)) start.push_back({t, 0});
    std::sort(start.begin(), start.end());
    std::vector<Node> nodes = {{0, start, 0, -1}};
    edges_ = 0;
    for (std::size_t s = 0; s < space_.layers.size() && !nodes.empty(); ++s) {
      nodes = section(cuts, nodes, most);
      if (edges_ > most) return false;
      graph_.states.push_back(static_cast<int>(nodes.size()));
    }
    if (nodes.empty()) graph_.infeasible_reason = why_no_path(space_, layers_, graph_.sections.size());
    return true;
  }

  /// Tensors count only where they are alive in every order, from now on.
  void bound_orders() { alive_.bound_orders(); }
  SectionGraph take() {
    add_start();
    return std::move(graph_);
  }
  void no_path(const std::string& why) { graph_.infeasible_reason = why; }

 private:
  struct Node {
    int cut;
    LiveState state;
    int until;    // while fewer layers have run than this, a run is under way
    int fetched;  // the layer whose filters are there, which runs next; -1: none
    bool operator<(const Node& o) const {
      return std::tie(cut, state, until, fetched) < std::tie(o.cut, o.state, o.until, o.fetched);
    }
  };
  /// The nodes that edges lead to.
  struct Ends {
    std::vector<Node> nodes;
    std::map<Node, int> index;
    int of(Node node) {
      const auto [it, fresh] = index.try_emplace(node, static_cast<int>(nodes.size()));
      if (fresh) nodes.push_back(std::move(node));
      return it->second;
    }
  };

  /// What an inference costs beside its layers: every plan pays for it with its first one.
  void add_start() {
    const auto start = sim::start_ticks(device_);
    if (start == 0 || graph_.sections.empty()) return;
    const auto per_tick = costs_per_tick(hw::EnergyRates(device_));
    std::map<int, int> dearer;  // of the options
    for (auto& edge : graph_.sections.front()) {
      const auto [it, fresh] = dearer.try_emplace(edge.options, static_cast<int>(graph_.options.size()));
      if (fresh) {
        auto options = graph_.of(edge);
        for (auto& o : options) add_ticks(o.costs, start, per_tick);
        graph_.options.push_back(std::move(options));
      }
      edge.options = it->second;
    }
  }

  std::vector<Node> section(CutSet& cuts, const std::vector<Node>& nodes, std::size_t most) {
    Ends ends;
    std::vector<SectionEdge> edges;
    for (std::size_t i = 0; i < nodes.size() && edges_ <= most; ++i) {
      if (nodes[i].until > 0) {
        edges.push_back(passing(nodes[i], static_cast<int>(i), ends));
        continue;
      }
      if (graph_.runs && nodes[i].fetched < 0) add_runs(cuts, nodes[i], static_cast<int>(i), ends, edges);
      const auto following = cuts.next(nodes[i].cut);
      for (const auto& [op, cut] : following)
        if (nodes[i].fetched < 0 || nodes[i].fetched == op)
          add_layer(cuts, nodes[i], static_cast<int>(i), {op, cut}, ends, edges);
    }
    if (few_ > 0 && ends.nodes.size() > few_) {
      std::vector<MemoryVector> bytes(ends.nodes.size());
      for (std::size_t i = 0; i < bytes.size(); ++i)
        for (const auto& [t, h] : ends.nodes[i].state) alive_.add(bytes[i], t, space_.homes[t][h]);
      keep_few(spread_over(bytes, graph_.memories.size(), few_), ends.nodes, edges);
    }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const SectionEdge& a, const SectionEdge& b) { return a.to < b.to; });
    graph_.sections.push_back(std::move(edges));
    return std::move(ends.nodes);
  }

  /// A layer with its output at each of its homes, in place or not, and with the filters of the next one fetched or
  /// not.
  void add_layer(CutSet& cuts, const Node& node, int number, const CutSet::Next& next, Ends& ends,
                 std::vector<SectionEdge>& edges) {
    const auto& [op, cut] = next;
    const auto streamed = space_.streamed_for(op, cuts.executed(node.cut));
    auto before = node.state;
    for (const int t : streamed) before.push_back({t, 0});
    const int behind = fetched_behind(cuts, op, cut);
    const auto homes = space_.output_homes(op);
    for (int home = 0; home < static_cast<int>(homes.size()); ++home) {
      const int task = task_of(op, before, home, streamed);
      if (task < 0) continue;
      SectionEdge edge;
      edge.op = op, edge.task = task, edge.from = number, edge.fetched = node.fetched == op;
      const auto after = alive_.pass(op, cuts.executed(cut), before, home, edge.live);
      // Plans with layers by phases have none in place.
      const int over = graph_.runs ? -1 : overwritten(op, before, home, after);
      for (const bool fetches : {false, true}) {
        if (fetches && behind < 0) continue;
        edge.fetches = fetches, edge.options = 4 * task + 2 * edge.fetched + fetches, edge.over = -1;
        if (graph_.of(edge).empty()) continue;
        edge.to = ends.of({cut, after, 0, fetches ? behind : -1});
        auto live = edge.live;
        if (fetches) alive_.add_bytes(edge.live, space_.tasks[task].next.to, space_.tasks[task].next.bytes);
        if (over < 0 || in_place_[op].plain) edges.push_back(edge);
        if (over >= 0) {  // behind it, so that of two plans of equal cost and need the plain one is taken
          edge.over = over;
          alive_.add(edge.live, space_.root[network_.operators[op].outputs[0]], homes[home], -1);
          edges.push_back(edge);
        }
        edge.live = live;
        if (!fetches && !edge.fetched) edges_ += over < 0 ? 1 : 2;
      }
    }
  }

  /// The layer whose filters `op` may fetch, where that one may run next; -1: none.
  int fetched_behind(CutSet& cuts, int op, int cut) {
    const int behind = space_.fetches_for(op);
    if (behind < 0) return -1;
    const auto& following = cuts.next(cut);
    const bool next = std::any_of(following.begin(), following.end(), [&](const auto& n) { return n.op == behind; });
    return next ? behind : -1;
  }

  /// On through a run that is under way.
  SectionEdge passing(const Node& node, int number, Ends& ends) const {
    const int section = static_cast<int>(graph_.sections.size());
    SectionEdge edge;
    edge.from = number, edge.op = -1, edge.options = static_cast<int>(graph_.options.size()) - 1;
    edge.to = ends.of({node.cut, node.state, node.until > section + 1 ? node.until : 0, -1});
    return edge;
  }

  /// The runs that begin here, with the tensors alive where these have them.
  void add_runs(CutSet& cuts, const Node& node, int number, Ends& ends, std::vector<SectionEdge>& edges) {
    const int section = static_cast<int>(graph_.sections.size());
    for (std::size_t r = 0; r < graph_.runs->size(); ++r) {
      const auto& run = (*graph_.runs)[r];
      const auto there = [&](const auto& f) { return home_in(node.state, f.first) == f.second; };
      if (run.first != section || !std::all_of(run.from.begin(), run.from.end(), there)) continue;
      int cut = node.cut;
      for (int k = run.first; k <= run.last; ++k) cut = cuts.next(cut).front().cut;
      SectionEdge edge;
      edge.from = number, edge.op = -1, edge.run = static_cast<int>(r);
      edge.options = static_cast<int>(4 * layers_.size() + r);
      LiveState after = run.to;
      for (const auto& [t, h] : node.state) {
        if (std::none_of(run.from.begin(), run.from.end(), [t = t](const auto& f) { return f.first == t; }))
          alive_.add(edge.live, t, space_.homes[t][h]);
        if (alive_.is_wanted(t, cuts.executed(cut))) after.push_back({t, h});
      }
      alive_.add_variables(edge.live);
      std::sort(after.begin(), after.end());
      edge.to = ends.of({cut, std::move(after), run.last > section ? run.last + 1 : 0, -1});
      edges.push_back(edge);
      ++edges_;
    }
  }

  /// The tensor that `op` may write its output over: nobody wants it afterwards, and it lies where the output goes.
  int overwritten(int op, const LiveState& before, int home, const LiveState& after) const {
    const auto homes = space_.output_homes(op);
    for (const int t : in_place_.at(op).inputs)
      if (const int h = home_in(before, t); h >= 0 && space_.homes[t][h] == homes[home] && home_in(after, t) < 0)
        return t;
    return -1;
  }

  /// The layer search for these homes; they are few, their descriptions long.
  int task_of(int op, const LiveState& before, int home, const std::vector<int>& streamed) {
    std::vector<int> key = {op, home};
    for (const int t : inputs_[op]) key.push_back(home_in(before, space_.root[t]));
    key.insert(key.end(), streamed.begin(), streamed.end());
    const auto [it, fresh] = tasks_.try_emplace(std::move(key), -1);
    if (!fresh) return it->second;
    plan::LayerContext context;
    context.network = &network_, context.device = &device_, context.op = op;
    context.input_count = static_cast<int>(inputs_[op].size());
    context.inputs.assign(std::max<std::size_t>(2, inputs_[op].size()), plan::Placement{});
    for (std::size_t k = 0; k < inputs_[op].size(); ++k) {
      const int t = space_.root[inputs_[op][k]];
      if (const int h = home_in(before, t); h >= 0) context.inputs[k] = space_.homes[t][h];
    }
    return it->second = space_.task_of(op, context, space_.output_homes(op)[home], streamed);
  }

  const Space& space_;
  const std::vector<LayerFront>& layers_;
  const nn::Network& network_;
  const hw::Device& device_;
  std::map<int, std::vector<int>> inputs_;  // per layer: activations
  struct InPlace {
    std::vector<int> inputs;  // root tensors that the output may take over
    bool plain = true;        // the layer need not be in place where it can be
  };
  std::map<int, InPlace> in_place_;
  std::map<std::vector<int>, int> tasks_;
  std::size_t edges_ = 0, few_ = 0;
  SectionGraph graph_;
  LiveTensors alive_;
};

/// Of orders that are one, or a few by themselves.
SectionGraph of_orders(Builder& builder, const Space& space, const std::vector<std::vector<int>>& orders, bool mixed) {
  CutSet cuts(space, orders, mixed);
  if (builder.run(cuts, kMostEdgesOfOrder)) return builder.take();
  CutSet again(space, orders, mixed);
  constexpr std::size_t least = 16, edges_each = 16;
  const auto sections = std::max<std::size_t>(1, space.layers.size());
  builder.run(again, static_cast<std::size_t>(-1), std::max(least, kMostEdges / edges_each / sections));
  auto graph = builder.take();
  graph.all_orders = false;
  return graph;
}

}  // namespace

SectionGraph section_graph(const Space& space, const std::vector<LayerFront>& layers, Cuts wanted,
                           const std::vector<Run>* runs) {
  ensure(!runs || wanted == Cuts::file, "runs by phases keep the file's order");
  Builder builder(space, layers, runs);
  if (!space.infeasible.empty()) {
    builder.no_path(space.infeasible);
    return builder.take();
  }
  const auto& orders = space.orders;
  if (!orders.any && !runs) return of_orders(builder, space, orders.listed, false);
  if (wanted == Cuts::file) return of_orders(builder, space, {space.layers}, true);
  CutSet all(space);
  if (builder.run(all, kMostEdges)) return builder.take();
  if (wanted == Cuts::bound) {
    builder.bound_orders();
    return of_orders(builder, space, {space.layers}, true);
  }
  const auto some = some_orders(space);
  CutSet mixed(space, some, true);
  auto graph = builder.run(mixed, kMostEdges) ? builder.take() : of_orders(builder, space, {space.layers}, true);
  graph.all_orders = false;
  return graph;
}

}  // namespace dse::explore
