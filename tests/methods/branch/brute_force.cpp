#include "tests/methods/branch/brute_force.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dse::plan::branch::test {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;
constexpr auto most = std::numeric_limits<std::int64_t>::max();

struct Times {
  std::vector<int> made, last;  // by node: the step it runs in, and the last one that needs its value
};

Times times_of(const Graph& graph, const std::vector<int>& order) {
  Times t{std::vector<int>(order.size()), std::vector<int>(order.size())};
  for (std::size_t i = 0; i < order.size(); ++i) t.made[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  for (std::size_t n = 0; n < order.size(); ++n) {
    t.last[n] = graph.nodes[n].kept ? static_cast<int>(order.size()) : t.made[n];
    for (int reader : graph.nodes[n].readers) t.last[n] = std::max(t.last[n], t.made[static_cast<std::size_t>(reader)]);
  }
  return t;
}

/// Least sum of buffer sizes over all partitions of `values` into buffers whose values never live at once.
std::int64_t scratch_of(const Graph& graph, const Times& t, const std::vector<int>& values, bool share) {
  std::vector<std::vector<int>> groups;
  std::int64_t best = most;
  const auto apart = [&](int a, int b) {
    const auto i = static_cast<std::size_t>(a), k = static_cast<std::size_t>(b);
    return share && (t.last[i] < t.made[k] || t.last[k] < t.made[i]);
  };
  const auto place = [&](const auto& self, std::size_t next) -> void {
    if (next == values.size()) {
      std::int64_t sum = 0;
      for (const auto& group : groups) {
        std::int64_t largest = 0;
        for (int v : group) largest = std::max(largest, graph.nodes[static_cast<std::size_t>(v)].bytes);
        sum += largest;
      }
      best = std::min(best, sum);
      return;
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!std::all_of(groups[g].begin(), groups[g].end(), [&](int v) { return apart(v, values[next]); })) continue;
      groups[g].push_back(values[next]);
      self(self, next + 1);
      groups[g].pop_back();
    }
    groups.push_back({values[next]});
    self(self, next + 1);
    groups.pop_back();
  };
  place(place, 0);
  return best;
}

/// The cost of an order with given places (0, 1 operational, 2 scratch, -1 none), or nothing that the strict rule
/// allows.
Pair cost_of(const Graph& graph, const std::vector<int>& order, const Times& t, const std::vector<int>& place,
             const Rules& rules, const Pair& best) {
  const auto count = static_cast<int>(order.size());
  const auto at = [](int n) { return static_cast<std::size_t>(n); };
  const auto overwritten = [&](int n) {  // the step in which the buffer of n takes another value
    for (int i = t.made[at(n)] + 1; i < count; ++i)
      if (place[at(order[at(i)])] == place[at(n)]) return i;
    return count + 1;
  };
  std::int64_t largest[2] = {0, 0};
  std::vector<int> waiting;
  for (int n : order) {
    const int p = place[at(n)];
    if (p == 2) waiting.push_back(n);
    if (p != 0 && p != 1) continue;
    largest[p] = std::max(largest[p], graph.nodes[at(n)].bytes);
    if (overwritten(n) <= t.last[at(n)]) waiting.push_back(n);
    if (rules.model != Model::named_buffers) continue;
    int same = -1, other = -1;  // inputs that lie in the buffer which n takes, and in the other one
    for (int input : graph.nodes[at(n)].inputs) {
      const int q = place[at(input)];
      if (q < 0 || overwritten(input) < t.made[at(n)]) continue;
      (q == p ? same : other) = input;
    }
    if (same >= 0 && (other < 0 || t.made[at(same)] > t.made[at(other)])) return {most, most};
  }
  const auto operational = largest[0] + largest[1];
  if (operational > best.first) return {most, most};
  if (rules.objective == Objective::operational)
    return {operational, scratch_of(graph, t, waiting, rules.share_scratch)};
  return {operational + scratch_of(graph, t, waiting, rules.share_scratch), 0};
}

}  // namespace

std::vector<std::vector<int>> all_orders(const Graph& graph, const Rules& rules) {
  std::vector<int> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<int>> out;
  const auto fits = [&](const std::vector<int>& o) {
    const auto t = times_of(graph, o);
    for (std::size_t n = 0; n < o.size(); ++n) {
      const auto& node = graph.nodes[n];
      if (node.given && t.made[n] != static_cast<int>(n)) return false;  // graphs of tests have their inputs first
      if (rules.interrupt || node.given || node.readers.size() != 1) continue;
      const auto& reader = graph.nodes[static_cast<std::size_t>(node.readers[0])];
      if (reader.inputs.size() == 1 && reader.before.size() == 1 &&
          t.made[static_cast<std::size_t>(node.readers[0])] != t.made[n] + 1)
        return false;
    }
    return true;
  };
  std::vector<int> prefix;
  std::vector<bool> used(order.size(), false);
  const auto extend = [&](const auto& self) -> void {
    if (prefix.size() == order.size()) {
      if (fits(prefix)) out.push_back(prefix);
      return;
    }
    for (int n : order) {
      const auto& node = graph.nodes[static_cast<std::size_t>(n)];
      const auto has_run = [&](int i) { return used[static_cast<std::size_t>(i)]; };
      if (has_run(n) || !std::all_of(node.inputs.begin(), node.inputs.end(), has_run) ||
          !std::all_of(node.after.begin(), node.after.end(), has_run))
        continue;
      used[static_cast<std::size_t>(n)] = true, prefix.push_back(n);
      self(self);
      used[static_cast<std::size_t>(n)] = false, prefix.pop_back();
    }
  };
  extend(extend);
  return out;
}

namespace {

/// The least of `best` and of one order.
Pair least(const Graph& graph, const std::vector<int>& order, const Rules& rules, Pair best) {
  const auto t = times_of(graph, order);
  if (rules.model == Model::liveness) {
    std::int64_t peak = 0;
    for (int i = 0; i < static_cast<int>(order.size()); ++i) {
      std::int64_t now = 0;
      for (std::size_t n = 0; n < order.size(); ++n)
        if (t.made[n] <= i && i <= t.last[n]) now += graph.nodes[n].bytes;
      peak = std::max(peak, now);
    }
    return std::min(best, Pair{peak, 0});
  }
  std::vector<int> place(order.size(), -1);
  const int places = rules.model == Model::direct_to_scratch ? 3 : 2;
  const auto choose = [&](const auto& self, std::size_t i, std::int64_t first, std::int64_t second) -> void {
    if (first + second > best.first) return;
    if (i == order.size()) {
      best = std::min(best, cost_of(graph, order, t, place, rules, best));
      return;
    }
    const auto n = static_cast<std::size_t>(order[i]);
    const auto bytes = graph.nodes[n].bytes;
    if (bytes == 0) return self(self, i + 1, first, second);
    for (int p = 0; p < places; ++p) {
      place[n] = p;
      self(self, i + 1, p == 0 ? std::max(first, bytes) : first, p == 1 ? std::max(second, bytes) : second);
    }
    place[n] = -1;
  };
  choose(choose, 0, 0, 0);
  return best;
}

}  // namespace

Pair brute_force(const Graph& graph, const std::vector<int>& order, const Rules& rules) {
  return least(graph, order, rules, {most, most});
}

Pair brute_force(const Graph& graph, const Rules& rules) {
  Pair best{most, most};
  for (const auto& order : all_orders(graph, rules)) best = least(graph, order, rules, best);
  return best;
}

}  // namespace dse::plan::branch::test
