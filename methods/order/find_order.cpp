#include <algorithm>
#include <numeric>

#include "methods/order/search.h"

namespace dse::plan {

using order::Decision;

const char* name_of(OrderRule rule) { return rule == OrderRule::out_of_place ? "out-of-place" : "inplace-ew"; }

std::int64_t peak_of(const OrderProblem& problem, OrderRule rule, std::span<const int> order) {
  return order::peak_of(order::compile(problem, rule), {order.begin(), order.end()});
}

namespace {

/// The operators as they are numbered, if that is an order at all; else what the beam finds.
std::vector<int> first_order(const order::Graph& graph, int beam) {
  auto found = order::beam_search(graph, beam);
  std::vector<int> numbered(found.size());
  std::iota(numbered.begin(), numbered.end(), 0);
  for (int o = 0; o < graph.size(); ++o)
    for (const int before : graph.ops[static_cast<std::size_t>(o)].before)
      if (before > o) return found;
  return order::peak_of(graph, numbered) <= order::peak_of(graph, found) ? numbered : found;
}

}  // namespace

OrderResult find_order(const OrderProblem& problem, OrderRule rule, const OrderEffort& effort) {
  const auto graph = order::compile(problem, rule);
  OrderResult best;
  best.order = first_order(graph, std::max(1, effort.beam));
  best.peak_bytes = order::peak_of(graph, best.order);
  best.lower_bound_bytes = order::static_bound(graph);
  std::int64_t steps = effort.steps;
  // Directly below the best order first: if that is impossible, all is proven at once. After a better order was found,
  // or too hard a question, halfway between the bound and the lowest cap that is open.
  std::int64_t cap = best.peak_bytes - 1;
  std::int64_t too_hard = best.peak_bytes;  // no order below it is known, and asking for one was given up
  while (best.lower_bound_bytes < std::min(best.peak_bytes, too_hard) && best.peak_bytes > effort.enough && steps > 0) {
    std::int64_t allowed = std::max<std::int64_t>(1, steps / 2);
    steps -= allowed;
    auto d = order::decide(graph, cap, effort.bytes, allowed);
    steps += std::max<std::int64_t>(0, allowed);
    if (d.answer == Decision::Answer::found) {
      best.order = std::move(d.order);
      best.peak_bytes = too_hard = order::peak_of(graph, best.order);
    } else if (d.answer == Decision::Answer::impossible) {
      best.lower_bound_bytes = std::max(best.lower_bound_bytes, std::min(d.next_possible, best.peak_bytes));
    } else {
      too_hard = cap;
    }
    const auto below = std::min(best.peak_bytes, too_hard) - 1;
    const bool lowest = d.answer == Decision::Answer::impossible && too_hard == best.peak_bytes;
    cap = lowest ? below : best.lower_bound_bytes + (below - best.lower_bound_bytes) / 2;
  }
  best.optimal = best.peak_bytes == best.lower_bound_bytes;
  return best;
}

}  // namespace dse::plan
