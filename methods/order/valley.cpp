// The part of a run of operators that leaves the fewest bytes alive: a smallest cut.
//
// live(S) over sets S closed under what must run before is submodular: a buffer is alive when its maker is in S and not
// all of its readers are, which is "maker in S" minus "all readers in S". Running an operator costs the bytes that it
// makes; running all remaining readers of a buffer earns its bytes. The best closed part of a run is then a maximum
// closure, found by augmenting paths: source -> buffer (what it earns) -> its readers -> sink (what they cost), and
// from every operator to those that must run before it.
#include <algorithm>
#include <limits>

#include "base/index.h"
#include "methods/order/search.h"

namespace dse::plan::order {
namespace {

constexpr std::int64_t kFree = std::numeric_limits<std::int64_t>::max() / 4;

/// Dinic's algorithm.
class Flow {
 public:
  explicit Flow(int nodes) : first_(index(nodes), -1), level_(index(nodes)), current_(index(nodes)) {}

  void arc(int from, int to, std::int64_t capacity) {
    arcs_.push_back({to, first_[index(from)], capacity});
    first_[index(from)] = static_cast<int>(arcs_.size()) - 1;
    arcs_.push_back({from, first_[index(to)], 0});
    first_[index(to)] = static_cast<int>(arcs_.size()) - 1;
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
    reach[index(source)] = 1;
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      for (int a = first_[index(node)]; a >= 0; a = arcs_[index(a)].next)
        if (const int to = arcs_[index(a)].to; arcs_[index(a)].left > 0 && !reach[index(to)])
          reach[index(to)] = 1, open.push_back(to);
    }
    return reach;
  }
  /// Nodes from which the sink can still be reached after run(): not on the source's side of the latest smallest cut.
  std::vector<char> reaching(int sink) const {
    std::vector<char> reach(first_.size(), 0);
    std::vector<int> open{sink};
    reach[index(sink)] = 1;
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      for (int a = first_[index(node)]; a >= 0; a = arcs_[index(a)].next) {
        const int from = arcs_[index(a)].to;
        if (arcs_[index(a ^ 1)].left > 0 && !reach[index(from)]) reach[index(from)] = 1, open.push_back(from);
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
    level_[index(source)] = 0;
    for (std::size_t i = 0; i < queue_.size(); ++i)
      for (int a = first_[index(queue_[i])]; a >= 0; a = arcs_[index(a)].next)
        if (arcs_[index(a)].left > 0 && level_[index(arcs_[index(a)].to)] < 0) {
          level_[index(arcs_[index(a)].to)] = level_[index(queue_[i])] + 1;
          queue_.push_back(arcs_[index(a)].to);
        }
    return level_[index(sink)] >= 0;
  }
  /// One augmenting path, found without recursion: the graph may be as deep as the network.
  std::int64_t push(int source, int sink, std::int64_t most) {
    path_.clear();
    int node = source;
    while (node != sink) {
      int& a = current_[index(node)];
      while (a >= 0 && (arcs_[index(a)].left == 0 || level_[index(arcs_[index(a)].to)] != level_[index(node)] + 1))
        a = arcs_[index(a)].next;
      if (a >= 0) {
        path_.push_back(a);
        node = arcs_[index(a)].to;
        continue;
      }
      if (path_.empty()) return 0;
      level_[index(node)] = -1;
      node = arcs_[index(path_.back() ^ 1)].to;
      path_.pop_back();
    }
    for (const int a : path_) most = std::min(most, arcs_[index(a)].left);
    for (const int a : path_) arcs_[index(a)].left -= most, arcs_[index(a ^ 1)].left += most;
    return most;
  }
  std::vector<Arc> arcs_;
  std::vector<int> first_, level_, current_, queue_, path_;
};

}  // namespace

std::vector<char> lowest_part(const Graph& g, const Executed& executed, const std::vector<int>& run, Part which) {
  std::vector<int> node(g.ops.size(), -1);
  for (std::size_t i = 0; i < run.size(); ++i) node[index(run[i])] = static_cast<int>(i);
  const bool has_run = !run.empty() && executed.contains(run.front());
  std::vector<int> earning;  // buffers that are dead after the run and were alive or not made before it
  for (const int o : run)
    for (const int b : g.ops[index(o)].reads) {
      const auto& buffer = g.buffers[index(b)];
      if (buffer.kept || buffer.bytes == 0) continue;
      auto left = static_cast<std::ptrdiff_t>(executed.left(b));
      if (!has_run)
        left -= std::count_if(buffer.readers.begin(), buffer.readers.end(), [&](int r) { return node[index(r)] >= 0; });
      if (left == 0) earning.push_back(b);
    }
  std::sort(earning.begin(), earning.end());
  earning.erase(std::unique(earning.begin(), earning.end()), earning.end());
  const int ops = static_cast<int>(run.size()), source = ops + static_cast<int>(earning.size()), sink = source + 1;
  Flow flow(sink + 1);
  for (int i = 0; i < ops; ++i) {
    const auto& op = g.ops[index(run[index(i)])];
    std::int64_t cost = 0;
    for (const int b : op.makes) cost += g.buffers[index(b)].held();
    if (cost > 0) flow.arc(i, sink, cost);
    for (const int before : op.before)
      if (node[index(before)] >= 0) flow.arc(i, node[index(before)], kFree);
  }
  for (std::size_t e = 0; e < earning.size(); ++e) {
    const auto& b = g.buffers[index(earning[e])];
    flow.arc(source, ops + static_cast<int>(e), b.bytes);
    for (const int r : b.readers)
      if (node[index(r)] >= 0) flow.arc(ops + static_cast<int>(e), node[index(r)], kFree);
  }
  flow.run(source, sink);
  const auto side = which == Part::largest ? flow.reaching(sink) : flow.reached(source);
  std::vector<char> part(run.size());
  for (std::size_t i = 0; i < run.size(); ++i) part[i] = which == Part::largest ? !side[i] : side[i];
  return part;
}

}  // namespace dse::plan::order
