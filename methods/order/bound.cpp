// What must be alive while an operator runs, whatever the order.
#include <algorithm>

#include "base/index.h"
#include "methods/order/relation.h"
#include "methods/order/search.h"

namespace dse::plan::order {
namespace {

/// has(a, b): b must run after a.
Relation descendants(const Graph& g) {
  std::vector<int> sorted;
  Executed e(g);
  while (!e.all_ready().empty()) sorted.push_back(e.all_ready().back()), e.run(sorted.back());
  Relation later(g.ops.size());
  for (auto o = sorted.rbegin(); o != sorted.rend(); ++o)
    for (const int n : g.ops[index(*o)].next) later.add(*o, n), later.add_all(*o, n);
  return later;
}

}  // namespace

std::int64_t static_bound(const Graph& g) {
  const auto later = descendants(g);
  std::int64_t bound = Executed(g).live();
  for (int o = 0; o < g.size(); ++o) {
    const auto& op = g.ops[index(o)];
    std::int64_t bytes = op.made_bytes;
    for (const auto& b : g.buffers) {
      if (b.maker >= 0 && !later.has(b.maker, o)) continue;
      const bool wanted =
          b.kept || std::any_of(b.readers.begin(), b.readers.end(), [&](int r) { return r == o || later.has(o, r); });
      if (wanted) bytes += b.bytes;
    }
    if (op.overwrites >= 0) {
      const auto& b = g.buffers[index(op.overwrites)];
      if (std::none_of(b.readers.begin(), b.readers.end(), [&](int r) { return later.has(o, r); })) bytes -= b.bytes;
    }
    bound = std::max(bound, bytes);
  }
  return bound;
}

std::int64_t peak_of(const Graph& g, const std::vector<int>& order) {
  ensure(order.size() == g.ops.size(), "order: not every operator once");
  Executed e(g);
  std::int64_t peak = e.live();
  for (const int o : order) {
    ensure(o >= 0 && o < g.size() && e.ready(o), "order: an operator runs before what it needs, or twice");
    peak = std::max(peak, e.step(o));
    e.run(o);
  }
  return peak;
}

}  // namespace dse::plan::order
