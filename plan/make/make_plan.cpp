#include "plan/make/make_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/unit_text.h"
#include "plan/make/buffers.h"
#include "plan/network/layers.h"
#include "plan/network/run_order.h"
#include "plan/place/aliases.h"
#include "plan/place/contexts.h"
#include "plan/place/greedy.h"
#include "plan/segment/phased.h"

namespace dse::plan {

std::int64_t on_chip_memory(const hw::Device& device, const std::vector<std::int64_t>& per_memory) {
  std::int64_t sum = 0;
  for (std::size_t m = 0; m < per_memory.size(); ++m)
    if (device.memories[m].on_chip) sum += per_memory[m];
  return sum;
}

namespace {

Infeasible too_large(const Plan& plan, const hw::Device& device, int memory, const nn::Network& network) {
  // Name the layer whose section needs most, and what it needs it for.
  int worst = 0;
  std::int64_t most = -1;
  const int sections = plan.segments.empty() ? 0 : static_cast<int>(plan.segments.size());
  for (int s = 0; s < sections; ++s) {
    std::int64_t live = 0;
    for (const auto& b : plan.buffers)
      if (b.memory == memory && b.role != program::BufferRole::constants && b.first <= s && s <= b.last) live += b.size;
    if (live > most) most = live, worst = s;
  }
  std::string parts;
  for (const auto& b : plan.buffers)
    if (b.memory == memory && b.role != program::BufferRole::constants && b.first <= worst && worst <= b.last)
      parts += (parts.empty() ? "" : ", ") + b.name + " " + kib_text(b.size);
  const auto& m = device.memories[memory];
  const std::int64_t need = plan.heights[memory];
  const int op = plan.segments[worst].operators.front();
  const auto& layer = network.operators[op].name;
  return {fmt::format("{} is {} short: layer {} needs {} ({}) of {} free", m.name, kib_text(need - m.free()), layer,
                      kib_text(need), parts, kib_text(m.free())),
          "fewer output rows or filters per tile need less", op, memory, need - m.free()};
}

/// The first operator that is in place; -1 = none.
int first_in_place(const Plan& plan) {
  const auto it = std::find_if(plan.choices.begin(), plan.choices.end(), [](const auto& c) { return c.in_place; });
  return it == plan.choices.end() ? -1 : static_cast<int>(it - plan.choices.begin());
}

/// Choices that cannot be together, whatever the sizes.
std::optional<Infeasible> contradiction(const nn::Network& network, const hw::Device& device, const Plan& plan) {
  if (plan.input == shared::Input::streamed && device.input_from < 0)
    return Infeasible{"inputs cannot be streamed in: device " + device.name + " has no memory that they come from",
                      "it would name it in input_from"};
  if (const int op = first_in_place(plan); op >= 0 && plan.greedy_offsets)
    return Infeasible{"layer " + network.operators[op].name +
                          " cannot be in place: the greedy planner knows no tensors that share bytes",
                      "leave in_place at no", op};
  return std::nullopt;
}

/// Filters that are fetched while the layer before runs need one that runs by itself.
std::optional<Infeasible> nothing_before(const nn::Network& network, const Plan& plan,
                                         const std::vector<LayerGeometry>& geometry) {
  for (std::size_t s = 0; s < plan.segments.size(); ++s)
    for (const int op : plan.segments[s].operators)
      if (geometry[op].prefetched && (s == 0 || plan.segments[s - 1].kind != SegmentKind::layerwise))
        return Infeasible{"the filters of layer " + network.operators[op].name +
                              " cannot be fetched while the layer before runs: " +
                              (s == 0 ? "it is the first" : "that one runs by phases"),
                          "leave prefetch at no", op};
  return std::nullopt;
}

}  // namespace

std::variant<Plan, Infeasible> make_plan(const nn::Network& network, const hw::Device& device,
                                         std::vector<LayerChoice> choices, const NetworkChoice& whole,
                                         Offsets offsets) {
  bool alias_reshapes = whole.alias_reshapes;
  std::vector<std::int64_t> fixed_tensors;
  if (whole.greedy_offsets) fixed_tensors = greedy_plan(network, whole.input == shared::Input::kept).offsets;
  Plan plan;
  plan.network = network.name;
  plan.network_hash = network.structure_hash();
  plan.device = device.name;
  plan.device_hash = device.hash();
  plan.origin = "explored";
  plan.choices = std::move(choices);
  const auto is_reshape = [&](const nn::Operator& op) { return renames(network, op); };
  if (std::none_of(network.operators.begin(), network.operators.end(), is_reshape)) alias_reshapes = true;  // the same
  plan.alias_reshapes = alias_reshapes;
  plan.greedy_offsets = whole.greedy_offsets;
  plan.input = whole.input;
  if (const auto why = why_not_in(network, alias_reshapes, whole.order); !why.empty())
    return Infeasible{why, "an order has every layer once, after those that make what it reads"};
  if (whole.order != layers_of(network, alias_reshapes)) plan.order = whole.order;
  if (auto bad = contradiction(network, device, plan)) return *bad;
  for (std::size_t op = 0; op < network.operators.size(); ++op)
    if (alias_reshapes && is_reshape(network.operators[op])) plan.choices[op] = {};
  const auto root = alias_roots(network, alias_reshapes);
  for (int t : network.outputs) {  // network outputs end in the io memory, channels last
    const int producer = network.producer(root[t]);
    if (producer >= 0)
      plan.choices[producer].output_memory = device.io, plan.choices[producer].output_layout = TensorLayout::hwc;
  }
  auto segments = segments_of(network, plan.choices, layers_in(network, alias_reshapes, plan.order));
  if (auto* bad = std::get_if<Infeasible>(&segments)) return *bad;
  plan.segments = std::move(std::get<0>(segments));
  const auto places = place_tensors(network, plan.choices, alias_reshapes, plan.order);
  if (!places.problem.empty()) return Infeasible{places.problem, "leave in_place at no", places.problem_layer};
  if (const int op = first_in_place(plan); op >= 0 && is_phased(plan))
    return Infeasible{
        "layer " + network.operators[op].name + " cannot be in place in a plan with layers that run by phases",
        "leave in_place at no", op};
  if (is_phased(plan) && !plan.order.empty())
    return Infeasible{"a plan with layers that run by phases keeps the order of the file", "leave the order out"};
  const auto geometry = geometries(network, device, plan.choices, alias_reshapes);
  for (int op : layers_of(network, alias_reshapes))
    if (!geometry[op].feasible)
      return Infeasible{"layer " + network.operators[op].name + ": " + geometry[op].reason, "", op};
  if (auto bad = nothing_before(network, plan, geometry)) return *bad;
  plan.buffers = buffers_of(network, device, plan, geometry, places, plan.constants_size);

  plan.heights.assign(device.memories.size(), 0);
  plan.loads.assign(device.memories.size(), 0);
  if (!is_phased(plan))
    place_layerwise(device, plan, fixed_tensors);
  else if (auto bad = place_phased(network, device, plan, offsets))
    return *bad;
  for (int m = 0; m < static_cast<int>(device.memories.size()); ++m)
    if (plan.heights[m] > device.memories[m].free()) return too_large(plan, device, m, network);
  return plan;
}

}  // namespace dse::plan
