#include "plan/alloc/orders.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dse::plan::alloc {

std::int64_t Placer::find(int i, Fit fit) {
  taken_.clear();
  for (const Neighbour& nb : m_.neighbours[i])
    if (placed_[nb.buffer]) taken_.push_back({out_.offsets[nb.buffer] - nb.above, out_.offsets[nb.buffer] + nb.below});
  std::sort(taken_.begin(), taken_.end());
  const auto alignment = m_.alignment[i];
  std::int64_t at = 0, chosen = -1, least = 0;
  for (const auto& [from, to] : taken_) {
    if (at <= from) {
      if (fit == Fit::first) return at;
      if (chosen < 0 || from - at < least) chosen = at, least = from - at;
    }
    at = std::max(at, aligned(to, alignment));
  }
  return chosen >= 0 ? chosen : at;
}

const Placement& Placer::place(const std::vector<int>& order, Fit fit) {
  out_.offsets.assign(m_.count(), 0);
  out_.height = 0;
  placed_.assign(m_.count(), 0);
  const auto put = [&](int i, std::int64_t at) {
    out_.offsets[i] = at, placed_[i] = 1;
    out_.height = std::max(out_.height, m_.end(i, at));
  };
  for (int i = 0; i < m_.count(); ++i)
    if (m_.active[i] && m_.fixed[i] >= 0) put(i, m_.fixed[i]);
  for (const int i : order) put(i, find(i, fit));
  return out_;
}

std::vector<int> given_order(const Model& m) {
  std::vector<int> order;
  for (int i = 0; i < m.count(); ++i)
    if (m.active[i] && m.fixed[i] < 0) order.push_back(i);
  return order;
}

std::vector<std::vector<int>> usual_orders(const Model& m) {
  using Key = std::pair<double, double>;  // of sizes and times up to 2^56: products need a wide range, no exactness
  const auto real = [](auto n) { return static_cast<double>(n); };
  const auto first = [&](int i) { return real(m.runs[i].front().first); };
  const auto end = [&](int i) { return real(m.runs[i].back().end); };
  std::vector<double> conflict(m.count(), 0.0);  // units of the neighbours and its own
  for (int i = 0; i < m.count(); ++i) {
    conflict[i] = real(m.size[i]);
    for (const Neighbour& nb : m.neighbours[i]) conflict[i] += real(m.size[nb.buffer]);
  }
  const std::vector<std::function<Key(int)>> keys = {
      [&](int i) { return Key(real(m.size[i]), real(m.life[i])); },
      [&](int i) { return Key(real(m.size[i]) * real(m.life[i]), real(m.size[i])); },
      [&](int i) { return Key(conflict[i], real(m.size[i])); },
      [&](int i) { return Key(real(m.neighbours[i].size()), real(m.size[i])); },
      [&](int i) { return Key(real(m.life[i]), real(m.size[i])); },
      [&](int i) { return Key(-first(i), real(m.size[i])); },
      [&](int i) { return Key(end(i), real(m.size[i])); },
  };
  std::vector<std::vector<int>> out;
  for (const auto& key : keys) {
    std::vector<std::pair<Key, int>> list;
    for (const int i : given_order(m)) list.push_back({key(i), i});
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    out.emplace_back();
    for (const auto& entry : list) out.back().push_back(entry.second);
  }
  return out;
}

Placement greedy_by_size(const Model& m) {
  Placer placer(m);
  Placement by_size = placer.place(usual_orders(m).front(), Fit::first);
  const Placement& as_given = placer.place(given_order(m), Fit::first);
  return as_given.height < by_size.height ? as_given : by_size;
}

namespace {

/// splitmix64: small, and the same on every platform.
struct Random {
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  std::size_t operator()(std::size_t n) {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % n;
  }
};

/// Bytes that stand out above the goal, over all buffers: tells placements of equal height apart.
std::int64_t excess(const Model& m, const Placement& p, std::int64_t goal) {
  std::int64_t sum = 0;
  for (int i = 0; i < m.count(); ++i)
    if (m.active[i]) sum += std::max<std::int64_t>(0, m.end(i, p.offsets[i]) - goal);
  return sum;
}

}  // namespace

Placement best_of_orders(const Model& m, std::int64_t moves, std::int64_t goal, const std::function<bool()>& stop) {
  Placer placer(m);
  auto orders = usual_orders(m);
  orders.push_back(given_order(m));
  Placement best = greedy_by_size(m);
  std::vector<int> order = orders.front();
  std::int64_t outstanding = INT64_MAX;
  Fit fit = Fit::first;
  for (const auto& o : orders)
    for (const Fit f : {Fit::first, Fit::best}) {
      if (best.height <= goal) return best;
      const Placement& p = placer.place(o, f);
      const auto e = excess(m, p, goal);
      if (p.height < best.height) best = p;
      if (e < outstanding) outstanding = e, order = o, fit = f;
    }
  // A buffer that stands out moves to an earlier place in the order, or two exchange theirs. Equally good is accepted,
  // to cross plateaus.
  Random random;
  Placement now = placer.place(order, fit);
  std::vector<std::size_t> out;
  for (std::int64_t k = 0; k < moves && order.size() > 1 && best.height > goal; ++k) {
    if (k % 16 == 0 && stop()) break;
    out.clear();
    for (std::size_t at = 0; at < order.size(); ++at)
      if (m.end(order[at], now.offsets[order[at]]) > goal) out.push_back(at);
    const auto a = random(2) == 0 && !out.empty() ? out[random(out.size())] : random(order.size());
    const auto b = random(order.size());
    auto next = order;
    if (random(2) == 0) {
      std::swap(next[a], next[b]);
    } else {
      const auto begin = next.begin();
      const auto to = static_cast<std::ptrdiff_t>(std::min(a, b)), from = static_cast<std::ptrdiff_t>(std::max(a, b));
      std::rotate(begin + to, begin + from, begin + from + 1);
    }
    const Placement& p = placer.place(next, fit);
    const auto e = excess(m, p, goal);
    if (e > outstanding) continue;
    order = std::move(next), outstanding = e, now = p;
    if (p.height < best.height) best = p;
  }
  return best;
}

}  // namespace dse::plan::alloc
