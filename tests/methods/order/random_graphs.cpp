#include "tests/methods/order/random_graphs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "base/index.h"

namespace dse::plan::test {
namespace {

int draw(std::mt19937_64& r, int below) { return static_cast<int>(r() % static_cast<std::uint64_t>(below)); }

/// Gives operator o the number places[o].
OrderProblem renumbered(const OrderProblem& p, const std::vector<int>& places) {
  OrderProblem q = p;
  for (std::size_t o = 0; o < places.size(); ++o) {
    q.operators[index(places[o])] = p.operators[o];
    for (int& a : q.operators[index(places[o])].after) a = places[index(a)];
  }
  return q;
}

int root(const OrderProblem& p, int t) {
  while (p.tensors[index(t)].alias >= 0) t = p.tensors[index(t)].alias;
  return t;
}

/// What the rules say, straight from the problem.
struct Rules {
  const OrderProblem& p;
  OrderRule rule;

  bool done(std::uint32_t set, int op) const { return set >> op & 1; }
  bool made(std::uint32_t set, int tensor) const {
    if (p.tensors[index(tensor)].given) return true;
    for (std::size_t o = 0; o < p.operators.size(); ++o)
      if (std::count(p.operators[o].outputs.begin(), p.operators[o].outputs.end(), tensor) > 0)
        return done(set, static_cast<int>(o));
    return false;
  }
  /// Somebody will read it, under whatever name, or it is kept.
  bool needed(std::uint32_t set, int storage) const {
    for (std::size_t t = 0; t < p.tensors.size(); ++t)
      if (p.tensors[t].kept && root(p, static_cast<int>(t)) == storage) return true;
    for (std::size_t o = 0; o < p.operators.size(); ++o)
      for (const int t : p.operators[o].inputs)
        if (root(p, t) == storage && !done(set, static_cast<int>(o))) return true;
    return false;
  }
  bool may_run(std::uint32_t set, int op) const {
    const auto& o = p.operators[index(op)];
    return !done(set, op) && std::all_of(o.inputs.begin(), o.inputs.end(), [&](int t) { return made(set, t); }) &&
           std::all_of(o.after.begin(), o.after.end(), [&](int a) { return done(set, a); });
  }
  std::int64_t while_running(std::uint32_t set, int op) const {
    std::int64_t bytes = 0;
    for (std::size_t t = 0; t < p.tensors.size(); ++t)
      if (const int i = static_cast<int>(t); p.tensors[t].alias < 0 && made(set, i) && needed(set, i))
        bytes += p.tensors[t].bytes;
    const auto& o = p.operators[index(op)];
    for (const int t : o.outputs)
      if (p.tensors[index(t)].alias < 0) bytes += p.tensors[index(t)].bytes;
    if (rule == OrderRule::inplace_ew && o.elementwise && o.outputs.size() == 1 &&
        p.tensors[index(o.outputs[0])].alias < 0)
      for (const int t : o.inputs) {
        if (p.tensors[index(root(p, t))].bytes != p.tensors[index(o.outputs[0])].bytes) continue;
        if (!needed(set | std::uint32_t{1} << op, root(p, t))) bytes -= p.tensors[index(root(p, t))].bytes;
        break;  // only the first one of equal size
      }
    return bytes;
  }
};

}  // namespace

OrderProblem random_problem(std::uint64_t seed, int most) {
  std::mt19937_64 r(seed);
  OrderProblem p;
  const int n = 1 + draw(r, most), sizes = 2 + draw(r, 6), reach = 2 + draw(r, 10);
  const auto add = [&](bool given) {
    p.tensors.push_back({"t" + std::to_string(p.tensors.size()), 8 * draw(r, sizes), given, draw(r, 9) == 0, -1});
    return static_cast<int>(p.tensors.size()) - 1;
  };
  for (int i = 0, inputs = 1 + draw(r, 2); i < inputs; ++i) add(true);
  for (int i = 0; i < n; ++i) {
    OrderOperator o;
    o.name = "op" + std::to_string(i);
    o.elementwise = draw(r, 2) == 0;
    const int made = static_cast<int>(p.tensors.size());
    for (int k = 0, reads = 1 + draw(r, 3); k < reads; ++k) o.inputs.push_back(std::max(0, made - 1 - draw(r, reach)));
    if (i > 0 && draw(r, 10) == 0) o.after.push_back(draw(r, i));
    o.outputs.push_back(add(false));
    if (draw(r, 12) == 0) o.outputs.push_back(add(false));
    if (draw(r, 8) == 0) p.tensors[index(o.outputs[0])].alias = o.inputs[0];
    p.operators.push_back(o);
  }
  std::vector<int> places(p.operators.size());
  std::iota(places.begin(), places.end(), 0);
  if (draw(r, 2) == 0) std::shuffle(places.begin(), places.end(), r);
  return renumbered(p, places);
}

std::int64_t brute_force(const OrderProblem& p, OrderRule rule) {
  const Rules rules{p, rule};
  std::map<std::uint32_t, std::int64_t> reached{{0, 0}};  // sets in ascending order: a part of a set comes before it
  const std::uint32_t all = (std::uint32_t{1} << p.operators.size()) - 1;
  for (auto s = reached.begin(); s != reached.end(); ++s)
    for (int o = 0; o < static_cast<int>(p.operators.size()); ++o) {
      if (!rules.may_run(s->first, o)) continue;
      const auto peak = std::max(s->second, rules.while_running(s->first, o));
      const auto [next, fresh] = reached.emplace(s->first | std::uint32_t{1} << o, peak);
      if (!fresh) next->second = std::min(next->second, peak);
    }
  return reached.at(all);
}

}  // namespace dse::plan::test
