#include "plan/npu/program/compiled.h"

#include <fmt/format.h>

#include "base/index.h"
#include "plan/npu/block_choices.h"
#include "plan/npu/decompose/to_graph.h"
#include "plan/npu/schedule/live.h"

namespace dse::plan::npu {

namespace {

void finish(Compiled& c) {
  c.places = place(*c.costs, c.schedule);
  c.streams.clear();
  for (int i = 0; i < static_cast<int>(c.graph->segments.size()); ++i)
    c.streams.push_back(emit(*c.costs, c.schedule, c.places, i));
}

void by_rule(Compiled& c, std::int64_t limit, Optimise optimise, Formats formats) {
  c.decided = {.rule = optimise, .limit = limit, .formats = formats, .blocks = {}, .unstaged = {}};
  if (c.costs->count() > 0) c.schedule = schedule_by_rule(*c.costs, optimise);
}

Compiled with_graph(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu) {
  Compiled out;
  out.network = network, out.npu = npu;
  out.graph = std::make_shared<const Graph>(to_graph(*network, npu.acc()));
  return out;
}

}  // namespace

Compiled compile(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu, Optimise optimise, Formats formats) {
  Compiled out = with_graph(network, npu);
  out.costs = std::make_shared<Costs>(*out.graph, npu, formats);
  by_rule(out, npu.arena_limit, optimise, formats);
  finish(out);
  return out;
}

Compiled within(const Compiled& like, std::int64_t arena_limit, Optimise optimise) {
  Compiled out{.network = like.network,
               .npu = like.npu,
               .graph = like.graph,
               .costs = {},
               .schedule = {},
               .places = {},
               .streams = {},
               .decided = {},
               .system = like.system};
  hw::ethos_u::Npu limited = like.npu;
  limited.arena_limit = arena_limit;
  out.costs = std::make_shared<Costs>(*out.graph, limited, like.decided.formats, like.costs->coder());
  by_rule(out, arena_limit, optimise, like.decided.formats);
  finish(out);
  return out;
}

Compiled with_schedule(const Compiled& like, Schedule schedule, Decisions decided) {
  Compiled out = like;
  out.schedule = std::move(schedule), out.decided = std::move(decided);
  finish(out);
  return out;
}

std::variant<Compiled, std::string> decided_schedule(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu,
                                                     const Decisions& decided) {
  Compiled out = with_graph(network, npu);
  hw::ethos_u::Npu limited = npu;
  limited.arena_limit = decided.limit;
  out.costs = std::make_shared<Costs>(*out.graph, limited, decided.formats);
  by_rule(out, decided.limit, decided.rule, decided.formats);
  out.decided = decided;
  Costs& costs = *out.costs;
  const auto names = operation_names(*out.graph);
  for (int i = 0; i < costs.count(); ++i) {
    OperationPlan& plan = out.schedule.operations[index(i)];
    const auto block = decided.blocks.find(i);
    const bool unstaged = decided.unstaged.count(i) > 0;
    if (block == decided.blocks.end() && !unstaged) continue;
    if (block != decided.blocks.end()) {
      const auto made = block_of(costs, i, plan, block->second);
      if (!made) return fmt::format("{} cannot be computed in blocks of {}", names[index(i)], text_of(block->second));
      plan.block = *made;
    }
    if (unstaged && !costs.op(i).weights) return names[index(i)] + " has no weights";
    if (unstaged) unstage(costs, i, plan);
    code_weights(costs, i, plan);
  }
  if (costs.count() > 0) measure_usage(costs, out.schedule);
  finish(out);
  return out;
}

void unstage(const Costs& costs, int operation, OperationPlan& plan) {
  plan.staging = WeightStaging::none, plan.ahead = false, plan.slices = {0, costs.op(operation).ofm_shape.c};
}

void code_weights(Costs& costs, int operation, OperationPlan& plan) {
  if (costs.op(operation).weights) plan.weights = costs.weights(operation, plan, plan.slices);
}

std::optional<Shortfall> shortfall(const Compiled& c) {
  const std::int64_t limit = c.npu.arena_limit;
  if (c.places.fast_bytes <= limit) return std::nullopt;
  int worst = 0;
  for (int i = 0; i < c.costs->count(); ++i)
    if (c.schedule.usage_at(c.schedule.operations[index(i)].time) >
        c.schedule.usage_at(c.schedule.operations[index(worst)].time))
      worst = i;
  return Shortfall{c.costs->op(worst).name, c.places.fast_bytes, limit};
}

std::vector<std::string> operation_names(const Graph& graph) {
  std::map<std::string, int> times, seen;
  for (const auto& o : graph.operations) ++times[o.name];
  std::vector<std::string> out;
  for (const auto& o : graph.operations)
    out.push_back(times[o.name] > 1 ? fmt::format("{}.{}", o.name, seen[o.name]++) : o.name);
  return out;
}

}  // namespace dse::plan::npu
