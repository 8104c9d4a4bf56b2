#include "methods/branch/branch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/index.h"
#include "base/unit_text.h"
#include "base/units.h"
#include "methods/branch/search.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/rules/phased_front.h"
#include "plan/rules/rules.h"

namespace dse::plan::branch {
namespace {

/// The order is looked for once per network and device, beside a search of whole plans: it must not take longer.
constexpr std::int64_t kLabels = 50'000;
/// What surrounds the search takes time and room by the square of it.
constexpr std::size_t kMostNodes = 2000;

/// The decisions about the layers, and the plan in the file's order that they make.
std::variant<Plan, Infeasible> in_file_order(const nn::Network& n, const hw::Device& roomy, shared::Input input) {
  if (roomy.engines[index(roomy.compute_engine())].reaches(roomy.io)) {
    auto whole = make_plan(n, roomy, plain_choices(n, roomy, roomy.io), {.input = input});
    if (std::holds_alternative<Plan>(whole)) return whole;
  }
  return rule_based_plan(n, roomy, false, input, false);
}

/// The network as an ordering problem, with tensors as large as they are in the plan and in units of the alignment, and
/// those that share bytes there doing so here.
OrderProblem values_of(const nn::Network& n, const Plan& plan, const hw::Memory& memory) {
  auto out = order_problem(n);
  std::vector<int> number(n.tensors.size(), -1);
  for (std::size_t i = 0; i < out.tensors.size(); ++i) {
    auto& t = out.tensors[i];
    number[index(t.of_network)] = static_cast<int>(i);
    t.bytes = 0;
    t.kept = t.kept || (t.given && plan.input == shared::Input::kept);
  }
  for (const auto& b : plan.buffers)
    if (b.role == program::BufferRole::tensor && b.tensor >= 0 && number[index(b.tensor)] >= 0)
      out.tensors[index(number[index(b.tensor)])].bytes = round_up(b.size, memory.alignment);
  for (const auto& op : n.operators)
    for (const int t : op.outputs)
      if (t >= 0 && number[index(t)] >= 0)
        out.tensors[index(number[index(t)])].alias = renames(n, op) ? number[index(op.inputs[0])] : -1;
  return out;
}

/// Per tensor of the network the offset of its value; -1: it has none, or nobody reads it.
std::vector<std::int64_t> offsets_of(const nn::Network& n, const OrderProblem& problem, const Graph& graph,
                                     const Candidate& best) {
  std::vector<std::int64_t> scratch;
  std::int64_t end = best.operational_bytes();
  for (const auto& buffer : best.scratch) scratch.push_back(end), end += buffer.bytes;
  std::vector<std::int64_t> out(n.tensors.size(), -1);
  std::vector<int> given;  // nodes of their own, before all others
  for (std::size_t t = 0; t < problem.tensors.size(); ++t)
    if (problem.tensors[t].given) given.push_back(static_cast<int>(t));
  for (const auto& step : best.steps) {
    if (step.place == Place::none) continue;
    std::int64_t at = step.scratch >= 0             ? scratch[index(step.scratch)]
                      : step.place == Place::second ? best.operational[0]
                                                    : 0;
    const auto put = [&](int tensor) {
      const auto& t = problem.tensors[index(tensor)];
      if (t.alias < 0) out[index(t.of_network)] = at, at += t.bytes;
    };
    if (graph.nodes[index(step.node)].given) put(given[index(step.node)]);
    for (const int o : graph.nodes[index(step.node)].operators)
      for (const int t : problem.operators[index(o)].outputs) put(t);
  }
  return out;
}

/// The nodes as these layers run; one that is no layer right behind what it reads.
std::vector<int> nodes_in(const Graph& graph, const std::vector<int>& order) {
  std::vector<int> place(graph.nodes.size(), -1), out(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto& node = graph.nodes[i];
    if (node.given) continue;
    const auto at = std::find(order.begin(), order.end(), node.operators.front());
    if (at != order.end()) place[i] = static_cast<int>(at - order.begin());
    for (const int before : node.before) place[i] = std::max(place[i], place[index(before)]);
  }
  std::iota(out.begin(), out.end(), 0);
  std::stable_sort(out.begin(), out.end(), [&](int a, int b) { return place[index(a)] < place[index(b)]; });
  return out;
}

/// The rule's answer: the cheapest of these orders, or of all; nothing when none of these can be run.
std::optional<Candidate> chosen(const Graph& graph, const Rules& rules, const std::vector<std::vector<int>>& orders,
                                const std::function<bool()>& stop) {
  const Effort effort{.labels = kLabels, .stop = stop};
  if (orders.empty()) return best_order(graph, rules, effort).best;
  std::optional<Candidate> out;
  for (const auto& order : orders) {
    const auto found = best_places(graph, nodes_in(graph, order), rules, effort);
    if (found && (!out || found->best.cost(rules) < out->cost(rules))) out = found->best;
  }
  return out;
}

/// The layers as the candidate runs them.
std::vector<int> order_of(const nn::Network& n, const Graph& graph, const Candidate& best) {
  const auto layers = layers_of(n, true);
  std::vector<int> out;
  for (const auto& step : best.steps)
    for (const int o : graph.nodes[index(step.node)].operators)
      if (std::binary_search(layers.begin(), layers.end(), o)) out.push_back(o);
  return out;
}

}  // namespace

bool has_branches(const nn::Network& network) {
  const auto graph = graph_of(order_problem(network));
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& n) { return n.readers.size() > 1 || n.inputs.size() > 1; });
}

std::variant<Plan, Infeasible> branch_order_plan(const nn::Network& network, const hw::Device& device,
                                                 shared::Input input, const std::vector<std::vector<int>>& orders,
                                                 const std::function<bool()>& stop) {
  hw::Device roomy = device;  // what fits in the best order need not fit in the file's
  roomy.memories[index(device.io)].make_room(std::int64_t{1} << 50);
  auto filed = in_file_order(network, roomy, input);
  if (std::holds_alternative<Infeasible>(filed)) return filed;
  const auto problem = values_of(network, std::get<Plan>(filed), device.memories[index(device.io)]);
  const auto graph = graph_of(problem);
  if (graph.nodes.size() > kMostNodes)
    return Infeasible{fmt::format("the order of more than {} inputs and operators is not looked for", kMostNodes), ""};
  const Rules rules;
  const auto found = chosen(graph, rules, orders, stop);
  if (!found) return Infeasible{"none of the orders that are allowed can be run", ""};
  const auto& best = *found;
  const auto fault = fault_of(graph, best, rules);
  ensure(fault.empty(), "a branch order that breaks its rules: " + fault);

  auto made = make_plan(network, roomy, std::get<Plan>(filed).choices,
                        {.input = input, .order = order_of(network, graph, best)});
  auto* plan = std::get_if<Plan>(&made);
  if (plan == nullptr) return made;
  plan->origin = kBranchOrder;
  plan->device_hash = device.hash();
  place_layerwise(device, *plan, offsets_of(network, problem, graph, best));
  const auto& io = device.memories[index(device.io)];
  const auto need = plan->heights[index(device.io)];
  if (need > io.free())
    return Infeasible{
        fmt::format("{} is {} short: operational buffers of {} and {} and scratch buffers of {} in all "
                    "take {} of {} free",
                    io.name, kib_text(need - io.free()), kib_text(best.operational[0]), kib_text(best.operational[1]),
                    kib_text(best.scratch_bytes()), kib_text(need), kib_text(io.free())),
        "", -1, device.io, need - io.free()};
  return made;
}

}  // namespace dse::plan::branch
