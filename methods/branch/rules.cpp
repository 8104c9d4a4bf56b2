#include "methods/branch/rules.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dse::plan::branch {

std::vector<int> freed_memory_order(const Graph& graph) {
  const auto& nodes = graph.nodes;
  std::vector<int> order;
  std::vector<bool> done(nodes.size(), false);
  const auto run = [&](int n) { done[static_cast<std::size_t>(n)] = true, order.push_back(n); };
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].given) run(static_cast<int>(i));
  while (order.size() < nodes.size()) {
    std::vector<int> best;
    std::int64_t best_freed = -1;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& before = nodes[i].before;
      if (done[i] ||
          !std::all_of(before.begin(), before.end(), [&](int k) { return done[static_cast<std::size_t>(k)]; }))
        continue;
      auto chain = chain_from(graph, static_cast<int>(i));
      std::int64_t freed = 0;
      for (int input : nodes[i].inputs) freed += nodes[static_cast<std::size_t>(input)].bytes;
      for (std::size_t k = 0; k + 1 < chain.size(); ++k) freed += nodes[static_cast<std::size_t>(chain[k])].bytes;
      if (freed > best_freed) best_freed = freed, best = std::move(chain);
    }
    ensure(!best.empty(), "a graph whose nodes cannot all run");
    for (int n : best) run(n);
  }
  return order;
}

std::int64_t bytes_of(const std::vector<Branch>& branches, const std::vector<int>& order) {
  std::int64_t left = 0, most = 0;
  for (int i : order) {
    const auto& branch = branches[static_cast<std::size_t>(i)];
    most = std::max(most, left + branch.edges);
    left += branch.last;
  }
  return most;
}

std::vector<int> by_freed_memory(const std::vector<Branch>& branches) {
  std::vector<int> order(branches.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return branches[static_cast<std::size_t>(a)].freed() > branches[static_cast<std::size_t>(b)].freed();
  });
  return order;
}

std::vector<Parallel> parallel_branches(const Structure& structure) {
  std::vector<Parallel> out;
  const auto& all = structure.branches;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].to < 0) continue;
    auto same = std::find_if(out.begin(), out.end(),
                             [&](const Parallel& p) { return p.from == all[i].from && p.to == all[i].to; });
    if (same == out.end()) same = out.insert(out.end(), {all[i].from, all[i].to, {}, 0});
    same->order.push_back(static_cast<int>(i));
  }
  out.erase(std::remove_if(out.begin(), out.end(), [](const Parallel& p) { return p.order.size() < 2; }), out.end());
  for (auto& parallel : out) {
    std::vector<Branch> branches;
    for (int i : parallel.order) branches.push_back(all[static_cast<std::size_t>(i)]);
    const auto ranked = by_freed_memory(branches);
    parallel.bytes = bytes_of(branches, ranked);
    const auto given = std::exchange(parallel.order, {});
    for (int k : ranked) parallel.order.push_back(given[static_cast<std::size_t>(k)]);
  }
  return out;
}

}  // namespace dse::plan::branch
