#include "explore/compose/graph/section_graph.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "explore/compose/graph/section_options.h"
#include "explore/space/cuts.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"

namespace dse::explore {
namespace {

/// The homes of the tensors that are alive between two layers: root tensor and index into Space::homes, ascending.
using State = std::vector<std::pair<int, int>>;

class Builder {
 public:
  Builder(const Space& space, const std::vector<LayerFront>& layers, const std::vector<Run>* runs)
      : space_(space), layers_(layers), network_(*space.network), device_(*space.device) {
    for (int m = 0; m < static_cast<int>(device_.memories.size()); ++m)
      if (device_.memories[m].on_chip) graph_.memories.push_back(m);
    ensure(graph_.memories.size() <= kMaxCaps, "more on-chip memories than the composition has caps for");
    for (const auto& t : network_.tensors)  // variables are alive in every section
      if (t.kind == nn::TensorKind::variable) kept_ += round_up(t.bytes(), device_.memories[device_.io].alignment);
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

  /// @returns whether the graph keeps to `most` edges.
  bool run(CutSet& cuts, std::size_t most) {
    graph_.sections.clear(), graph_.states.assign(1, 1);
    State start;
    for (const int t : network_.inputs)
      if (!space_.homes[t].empty() && !is_streamed(t)) start.push_back({t, 0});
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
  void bound_orders() { before_ = all_before(space_); }
  SectionGraph take() { return std::move(graph_); }
  void no_path(const std::string& why) { graph_.infeasible_reason = why; }

 private:
  struct Node {
    int cut;
    State state;
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

  bool is_streamed(int tensor) const {
    return space_.whole.input == plan::shared::Input::streamed && device_.input_from >= 0 &&
           network_.producer(tensor) < 0;
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
      const auto after = pass(op, cuts.executed(cut), before, home, edge.live);
      // Plans with layers by phases have none in place.
      const int over = graph_.runs ? -1 : overwritten(op, before, home, after);
      for (const bool fetches : {false, true}) {
        if (fetches && behind < 0) continue;
        edge.fetches = fetches, edge.options = 4 * task + 2 * edge.fetched + fetches, edge.over = -1;
        if (graph_.of(edge).empty()) continue;
        edge.to = ends.of({cut, after, 0, fetches ? behind : -1});
        auto live = edge.live;
        if (fetches) add_bytes(edge.live, space_.tasks[task].next.to, space_.tasks[task].next.bytes);
        if (over < 0 || in_place_[op].plain) edges.push_back(edge);
        if (over >= 0) {  // behind it, so that of two plans of equal cost and need the plain one is taken
          edge.over = over;
          add(edge.live, space_.root[network_.operators[op].outputs[0]], homes[home], -1);
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
      State after = run.to;
      for (const auto& [t, h] : node.state) {
        if (std::none_of(run.from.begin(), run.from.end(), [t = t](const auto& f) { return f.first == t; }))
          add(edge.live, t, space_.homes[t][h]);
        if (is_wanted(t, cuts.executed(cut))) after.push_back({t, h});
      }
      add_kept(edge.live);
      std::sort(after.begin(), after.end());
      edge.to = ends.of({cut, std::move(after), run.last > section ? run.last + 1 : 0, -1});
      edges.push_back(edge);
      ++edges_;
    }
  }

  /// The tensor that `op` may write its output over: nobody wants it afterwards, and it lies where the output goes.
  int overwritten(int op, const State& before, int home, const State& after) const {
    const auto homes = space_.output_homes(op);
    for (const int t : in_place_.at(op).inputs)
      if (const int h = home_in(before, t); h >= 0 && space_.homes[t][h] == homes[home] && home_in(after, t) < 0)
        return t;
    return -1;
  }

  /// The layer search for these homes; they are few, their descriptions long.
  int task_of(int op, const State& before, int home, const std::vector<int>& streamed) {
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
  static int home_in(const State& state, int tensor) {
    const auto it = std::find_if(state.begin(), state.end(), [&](const auto& s) { return s.first == tensor; });
    return it == state.end() ? -1 : it->second;
  }

  /// The state after `op` with its output at this home. `executed`: with it. `live`: bytes of tensors alive in it.
  State pass(int op, const std::vector<char>& executed, const State& before, int home, MemoryVector& live) const {
    State after;
    const auto account = [&](int t, int h) {
      if (h >= 0 && counts(t, op)) add(live, t, space_.homes[t][h]);
      if (is_wanted(t, executed)) after.push_back({t, h});
    };
    for (const auto& [t, h] : before) account(t, h);
    const auto& outputs = network_.operators[op].outputs;
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (const int out = space_.root[outputs[o]]; !space_.homes[out].empty()) account(out, o == 0 ? home : 0);
    add_kept(live);
    std::sort(after.begin(), after.end());
    return after;
  }
  /// A tensor stays alive when these have run.
  bool is_wanted(int tensor, const std::vector<char>& executed) const {
    const auto& readers = space_.readers[tensor];
    return space_.stays[tensor] || std::any_of(readers.begin(), readers.end(), [&](int r) { return !executed[r]; });
  }
  void add_kept(MemoryVector& live) const {
    for (std::size_t m = 0; m < graph_.memories.size(); ++m)
      if (graph_.memories[m] == device_.io) live[m] += kept_;
  }
  void add(MemoryVector& live, int tensor, const plan::Placement& h, int sign = 1) const {
    add_bytes(live, h.memory, plan::bytes_of(network_.tensors[tensor], h.layout), sign);
  }
  void add_bytes(MemoryVector& live, int memory, std::int64_t bytes, int sign = 1) const {
    for (std::size_t m = 0; m < graph_.memories.size(); ++m)
      if (graph_.memories[m] == memory) live[m] += sign * round_up(bytes, device_.memories[memory].alignment);
  }

  /// A tensor is alive while `op` runs: in every order, where a bound on all of them is asked for.
  bool counts(int tensor, int op) const {
    if (before_.empty()) return true;
    const int maker = network_.producer(tensor);
    const auto& readers = space_.readers[tensor];
    const bool reads = std::find(readers.begin(), readers.end(), op) != readers.end();
    if (maker == op || reads) return true;
    const bool made = maker >= 0 ? before_[op][maker] != 0 : !is_streamed(tensor) || made_by_reader(readers, op);
    const bool wanted =
        space_.stays[tensor] || std::any_of(readers.begin(), readers.end(), [&](int r) { return before_[r][op] != 0; });
    return made && wanted;
  }
  bool made_by_reader(const std::vector<int>& readers, int op) const {
    return std::any_of(readers.begin(), readers.end(), [&](int r) { return before_[op][r] != 0; });
  }

  const Space& space_;
  const std::vector<LayerFront>& layers_;
  const nn::Network& network_;
  const hw::Device& device_;
  std::int64_t kept_ = 0;
  std::map<int, std::vector<int>> inputs_;  // per layer: activations
  struct InPlace {
    std::vector<int> inputs;  // root tensors that the output may take over
    bool plain = true;        // the layer need not be in place where it can be
  };
  std::map<int, InPlace> in_place_;
  std::map<std::vector<int>, int> tasks_;
  std::vector<std::vector<char>> before_;  // empty: what is alive counts
  std::size_t edges_ = 0;
  SectionGraph graph_;
};

}  // namespace

SectionGraph section_graph(const Space& space, const std::vector<LayerFront>& layers, Cuts wanted,
                           const std::vector<Run>* runs) {
  ensure(!runs || wanted == Cuts::file, "runs by phases keep the file's order");
  Builder builder(space, layers, runs);
  if (!space.infeasible.empty()) {
    builder.no_path(space.infeasible);
    return builder.take();
  }
  constexpr auto unlimited = static_cast<std::size_t>(-1);
  const auto& orders = space.orders;
  if (!orders.any && !runs) {
    CutSet cuts(space, orders.listed, false);
    builder.run(cuts, unlimited);
    return builder.take();
  }
  if (wanted == Cuts::file) {
    CutSet file(space, {space.layers}, true);
    builder.run(file, unlimited);
    return builder.take();
  }
  CutSet all(space);
  if (builder.run(all, kMostEdges)) return builder.take();
  if (wanted == Cuts::bound) {
    builder.bound_orders();
    CutSet file(space, {space.layers}, true);
    builder.run(file, unlimited);
    return builder.take();
  }
  const auto some = some_orders(space);
  CutSet mixed(space, some, true);
  if (!builder.run(mixed, kMostEdges)) {
    CutSet file(space, {space.layers}, true);
    builder.run(file, unlimited);
  }
  auto graph = builder.take();
  graph.all_orders = false;
  return graph;
}

}  // namespace dse::explore
