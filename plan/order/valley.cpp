// The part of a run of operators that leaves the fewest bytes alive: a smallest cut.
//
// live(S) over sets S closed under what must run before is submodular: a buffer is alive when its maker is in S and not
// all of its readers are, which is "maker in S" minus "all readers in S". Running an operator costs the bytes that it
// makes; running all remaining readers of a buffer earns its bytes. The best closed part of a run is then a maximum
// closure, found by augmenting paths: source -> buffer (what it earns) -> its readers -> sink (what they cost), and
// from every operator to those that must run before it.
#include <algorithm>
#include <limits>

#include "plan/order/search.h"

namespace dse::plan::order {
namespace {

constexpr std::int64_t kFree = std::numeric_limits<std::int64_t>::max() / 4;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Dinic's algorithm.
class Flow {
 public:
  explicit Flow(int nodes) : first_(at(nodes), -1), level_(at(nodes)), current_(at(nodes)) {}

  void arc(int from, int to, std::int64_t capacity) {
    arcs_.push_back({to, first_[at(from)], capacity});
    first_[at(from)] = static_cast<int>(arcs_.size()) - 1;
    arcs_.push_back({from, first_[at(to)], 0});
    first_[at(to)] = static_cast<int>(arcs_.size()) - 1;
  }
  void run(int source, int sink) {
    while (find_levels(source, sink)) {
      current_ = first_;
      while (push(source, sink, kFree) > 0) {
      }
    }
  }
  /// Nodes that can be reached from the source after run(): the source's side of the earliest smallest cut.
  std::vector<char> reached(int source) const {
    std::vector<char> reach(first_.size(), 0);
    std::vector<int> open{source};
    reach[at(source)] = 1;
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      for (int a = first_[at(node)]; a >= 0; a = arcs_[at(a)].next)
        if (const int to = arcs_[at(a)].to; arcs_[at(a)].left > 0 && !reach[at(to)])
          reach[at(to)] = 1, open.push_back(to);
    }
    return reach;
  }
  /// Nodes from which the sink can still be reached after run(): not on the source's side of the latest smallest cut.
  std::vector<char> reaching(int sink) const {
    std::vector<char> reach(first_.size(), 0);
    std::vector<int> open{sink};
    reach[at(sink)] = 1;
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      for (int a = first_[at(node)]; a >= 0; a = arcs_[at(a)].next) {
        const int from = arcs_[at(a)].to;
        if (arcs_[at(a ^ 1)].left > 0 && !reach[at(from)]) reach[at(from)] = 1, open.push_back(from);
      }
    }
    return reach;
  }

 private:
  struct Arc {
    int to, next;
    std::int64_t left;
  };
  bool find_levels(int source, int sink) {
    std::fill(level_.begin(), level_.end(), -1);
    queue_.assign(1, source);
    level_[at(source)] = 0;
    for (std::size_t i = 0; i < queue_.size(); ++i)
      for (int a = first_[at(queue_[i])]; a >= 0; a = arcs_[at(a)].next)
        if (arcs_[at(a)].left > 0 && level_[at(arcs_[at(a)].to)] < 0) {
          level_[at(arcs_[at(a)].to)] = level_[at(queue_[i])] + 1;
          queue_.push_back(arcs_[at(a)].to);
        }
    return level_[at(sink)] >= 0;
  }
  /// One augmenting path, found without recursion: the graph may be as deep as the network.
  std::int64_t push(int source, int sink, std::int64_t most) {
    path_.clear();
    int node = source;
    while (node != sink) {
      int& a = current_[at(node)];
      while (a >= 0 && (arcs_[at(a)].left == 0 || level_[at(arcs_[at(a)].to)] != level_[at(node)] + 1))
        a = arcs_[at(a)].next;
      if (a >= 0) {
        path_.push_back(a);
        node = arcs_[at(a)].to;
        continue;
      }
      if (path_.empty()) return 0;
      level_[at(node)] = -1;
      node = arcs_[at(path_.back() ^ 1)].to;
      path_.pop_back();
    }
    for (const int a : path_) most = std::min(most, arcs_[at(a)].left);
    for (const int a : path_) arcs_[at(a)].left -= most, arcs_[at(a ^ 1)].left += most;
    return most;
  }
  std::vector<Arc> arcs_;
  std::vector<int> first_, level_, current_, queue_, path_;
};

}  // namespace

std::vector<char> lowest_part(const Graph& g, const Executed& executed, const std::vector<int>& run, Part which) {
  std::vector<int> node(g.ops.size(), -1);
  for (std::size_t i = 0; i < run.size(); ++i) node[at(run[i])] = static_cast<int>(i);
  const bool has_run = !run.empty() && executed.contains(run.front());
  std::vector<int> earning;  // buffers that are dead after the run and were alive or not made before it
  for (const int o : run)
    for (const int b : g.ops[at(o)].reads) {
      const auto& buffer = g.buffers[at(b)];
      if (buffer.kept || buffer.bytes == 0) continue;
      auto left = static_cast<std::ptrdiff_t>(executed.left(b));
      if (!has_run)
        left -= std::count_if(buffer.readers.begin(), buffer.readers.end(), [&](int r) { return node[at(r)] >= 0; });
      if (left == 0) earning.push_back(b);
    }
  std::sort(earning.begin(), earning.end());
  earning.erase(std::unique(earning.begin(), earning.end()), earning.end());
  const int ops = static_cast<int>(run.size()), source = ops + static_cast<int>(earning.size()), sink = source + 1;
  Flow flow(sink + 1);
  for (int i = 0; i < ops; ++i) {
    const auto& op = g.ops[at(run[at(i)])];
    std::int64_t cost = 0;
    for (const int b : op.makes) cost += g.buffers[at(b)].held();
    if (cost > 0) flow.arc(i, sink, cost);
    for (const int before : op.before)
      if (node[at(before)] >= 0) flow.arc(i, node[at(before)], kFree);
  }
  for (std::size_t e = 0; e < earning.size(); ++e) {
    const auto& b = g.buffers[at(earning[e])];
    flow.arc(source, ops + static_cast<int>(e), b.bytes);
    for (const int r : b.readers)
      if (node[at(r)] >= 0) flow.arc(ops + static_cast<int>(e), node[at(r)], kFree);
  }
  flow.run(source, sink);
  const auto side = which == Part::largest ? flow.reaching(sink) : flow.reached(source);
  std::vector<char> part(run.size());
  for (std::size_t i = 0; i < run.size(); ++i) part[i] = which == Part::largest ? !side[i] : side[i];
  return part;
}

}  // namespace dse::plan::order
