#include "methods/branch/search.h"

#include <algorithm>
#include <numeric>

#include "methods/branch/label_search.h"
#include "methods/branch/rules.h"

namespace dse::plan::branch {
namespace {

/// Without named buffers and with interruption at every node, orders are what find_order() searches.
bool any_order(const Rules& rules) { return rules.model == Model::liveness && rules.interrupt; }

/// Bytes: the most that one node needs for its inputs and its value. No order has a lower peak.
std::int64_t largest_step(const Graph& graph) {
  std::int64_t out = 0;
  for (const auto& n : graph.nodes) {
    std::int64_t now = n.bytes;
    for (int input : n.inputs) now += graph.nodes[static_cast<std::size_t>(input)].bytes;
    out = std::max(out, now);
  }
  return out;
}

std::int64_t largest_value(const Graph& graph) {
  std::int64_t out = 0;
  for (const auto& node : graph.nodes) out = std::max(out, node.bytes);
  return out;
}

Outcome best_liveness(const Graph& graph, const Rules& rules, std::optional<std::int64_t> limit) {
  OrderEffort effort;
  effort.enough = limit.value_or(-1);
  const auto found = find_order(problem_of(graph), OrderRule::out_of_place, effort);
  std::vector<Move> moves;
  std::vector<int> nodes;  // per operator
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
    if (graph.nodes[static_cast<std::size_t>(n)].given)
      moves.push_back({n, Place::none, -1, -1});
    else
      nodes.push_back(n);
  }
  for (const int o : found.order) moves.push_back({nodes[static_cast<std::size_t>(o)], Place::none, -1, -1});
  Outcome out;
  out.best = candidate_of(graph, moves, rules);
  out.lower_bound = found.lower_bound_bytes;
  out.optimal = found.optimal;
  out.origin = "search";
  ensure(out.best.total == found.peak_bytes, "the two ways to count live bytes differ");
  return out;
}

}  // namespace

std::int64_t floor_of(const Graph& graph, const Rules& rules, const Effort& effort) {
  if (rules.objective == Objective::operational && rules.model != Model::liveness)
    return rules.model == Model::direct_to_scratch ? 0 : largest_value(graph);
  const Rules alive{Model::liveness, Objective::with_scratch, rules.interrupt, true};
  if (any_order(alive)) return find_order(problem_of(graph), OrderRule::out_of_place).lower_bound_bytes;
  LabelSearch search(graph, alive, effort);
  search.set_floor(largest_step(graph));
  search.beam(effort.beam, "beam search");
  return search.exact();
}

Outcome best_order(const Graph& graph, const Rules& rules, const Effort& effort, std::optional<std::int64_t> limit) {
  if (any_order(rules)) return best_liveness(graph, rules, limit);
  LabelSearch search(graph, rules, effort);
  search.set_floor(rules.model == Model::liveness ? largest_step(graph) : floor_of(graph, rules, effort));
  if (limit) search.set_enough(*limit);
  std::vector<int> file(graph.nodes.size());
  std::iota(file.begin(), file.end(), 0);
  const auto offer = [&](const std::vector<int>& order, const std::string& origin) {
    LabelSearch fixed(graph, rules, effort);
    fixed.fix_order(order);
    fixed.beam(effort.beam, origin);
    search.offer(fixed);
  };
  offer(file, graph.in_file_order ? "file order" : "sorted file");
  offer(freed_memory_order(graph), "freed-memory rule");
  if (!search.enough()) search.beam(effort.beam, "beam search");
  const auto bound = search.exact();
  return search.outcome(bound);
}

std::optional<Outcome> best_places(const Graph& graph, const std::vector<int>& order, const Rules& rules,
                                   const Effort& effort) {
  if (order.size() != graph.nodes.size()) return std::nullopt;
  LabelSearch search(graph, rules, effort);
  search.fix_order(order);
  std::int64_t floor = 0;
  if (rules.objective == Objective::with_scratch || rules.model == Model::liveness)
    for (const auto bytes : live_bytes(graph, order)) floor = std::max(floor, bytes);
  search.set_floor(floor);
  search.beam(effort.beam, "beam search");
  if (!search.found()) return std::nullopt;
  const auto bound = search.exact();
  return search.outcome(bound);
}

std::optional<Candidate> with_places(const Graph& graph, const std::vector<int>& order,
                                     const std::vector<Place>& places, const Rules& rules) {
  if (order.size() != graph.nodes.size() || places.size() != graph.nodes.size()) return std::nullopt;
  LabelSearch search(graph, rules, {});
  search.fix_order(order);
  search.fix_places(places);
  search.beam(16, "given");
  if (!search.found()) return std::nullopt;
  const auto bound = search.exact();
  return search.outcome(bound).best;
}

}  // namespace dse::plan::branch
