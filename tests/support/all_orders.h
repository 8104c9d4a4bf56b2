// Every order in which the layers of a small network may run, found one operator at a time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/nn/network.h"
#include "plan/network/layers.h"

namespace dse::test {

namespace all_orders_detail {

inline void extend(const nn::Network& n, const std::vector<int>& layers, const std::vector<int>& root,
                   std::vector<int>& so_far, std::vector<std::vector<int>>& out, std::size_t most) {
  if (out.size() > most) return;
  if (so_far.size() == layers.size()) return out.push_back(so_far);
  const auto has_run = [&](int op) { return std::count(so_far.begin(), so_far.end(), op) > 0; };
  for (const int op : layers) {
    if (has_run(op)) continue;
    bool ready = true;
    for (const int t : plan::activations(n, n.operators[op]))
      if (const int maker = n.producer(root[t]); maker >= 0) ready &= has_run(maker);
    for (const int v : plan::variables(n, n.operators[op]))
      for (const int other : layers) {
        const auto of = plan::variables(n, n.operators[other]);
        if (other < op && std::count(of.begin(), of.end(), v) > 0) ready &= has_run(other);
      }
    if (!ready) continue;
    so_far.push_back(op);
    extend(n, layers, root, so_far, out, most);
    so_far.pop_back();
  }
}

}  // namespace all_orders_detail

/// The file's order comes first. More than `most`: the first `most` + 1.
inline std::vector<std::vector<int>> all_orders(const nn::Network& n, std::size_t most = 1000) {
  std::vector<std::vector<int>> out;
  std::vector<int> so_far;
  all_orders_detail::extend(n, plan::layers_of(n, true), plan::alias_roots(n, true), so_far, out, most);
  return out;
}

}  // namespace dse::test
