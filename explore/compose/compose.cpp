#include "explore/compose/compose.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/compose/box_search.h"
#include "explore/compose/graph/section_graph.h"
#include "explore/question/metric.h"
#include "explore/question/ram.h"

namespace dse::explore {
namespace {

/// Limits the goal to this value of its only objective and makes `next` its objective.
void go_on(Goal& goal, std::int64_t value, const Objective& next) {
  const auto& o = goal.objectives.front();
  if (o.cost >= 0)
    goal.cost_limits[o.cost] = value;
  else if (o.name == "memory")
    goal.total_limit = value;
  else
    for (std::size_t m = 0; m < o.memories.size(); ++m)
      if (o.memories[m]) goal.limits[m] = value;
  goal.objectives = {next};
}

CompositionFront compose(const Space& space, const std::vector<LayerFront>& layers, const SectionGraph& graph,
                         const Goal& goal, const CompositionOptions& options) {
  auto front = BoxSearch(space, layers, graph, goal, options).run();
  if (goal.objectives.size() != 1 || options.relaxed || front.points.empty()) return front;
  const auto asked = front.points.front().values;
  auto exact = goal;
  auto value = asked.front();
  for (const char* tie : {"memory", "latency"}) {
    if (goal.objectives.front().name == tie) continue;
    go_on(exact, value, objective_of(tie, *space.device));
    auto better = BoxSearch(space, layers, graph, exact, options).run();
    front.boxes += better.boxes, front.labels += better.labels;
    front.exact = front.exact && better.exact;
    if (better.points.empty()) break;  // stopped
    value = better.points.front().values.front();
    front.points = std::move(better.points);
    front.points.front().values = asked;
  }
  return front;
}

/// The first constraint that no plan keeps, whatever the others are.
std::string why_none(const Space& space, const std::vector<LayerFront>& layers, const SectionGraph& graph,
                     const SweepSpec& spec, const CompositionOptions& options) {
  const auto& device = *space.device;
  for (const auto& k : spec.constraints) {
    auto goal = default_goal(device);
    goal.objectives = {objective_of(k.metric, device)};
    const auto& o = goal.objectives.front();
    if (o.cost < 0 && std::none_of(o.memories.begin(), o.memories.end(), [](bool m) { return m; })) continue;
    const auto least = BoxSearch(space, layers, graph, goal, options).run();
    if (least.points.empty()) continue;
    const double value = in_unit_of(k.metric, least.points.front().values.front(), device) +
                         static_cast<double>(k.metric == kRam ? beside_memory(spec, *space.network, device) : 0);
    if (value > k.limit)
      return fmt::format("no plan meets {} <= {}: the least is {}", k.metric, value_text(k.metric, k.limit),
                         enough_text(k.metric, value));
  }
  return {};
}

/// The first memory that what lives at once does not fit, whatever the layers do: with the others as they are, or,
/// where several are too small, of any size.
std::string why_unfit(const Space& space, const std::vector<LayerFront>& layers, const SectionGraph& graph,
                      const Goal& goal, const CompositionOptions& options) {
  const auto& device = *space.device;
  for (const bool others : {true, false})
    for (const int m : graph.memories) {
      const auto& memory = device.memories[static_cast<std::size_t>(m)];
      auto alone = default_goal(device);
      alone.objectives = {objective_of("memories." + memory.name + ".peak", device)};
      if (others) alone.limits = goal.limits;
      for (const int other : graph.memories)
        if (!others || other == m) alone.limits[static_cast<std::size_t>(other)] = kUnlimited;
      const auto least = BoxSearch(space, layers, graph, alone, options).run();
      const auto free = goal.limits[static_cast<std::size_t>(m)];
      if (!least.points.empty() && least.points.front().values.front() > free)
        return fmt::format(
            "{}: the layers together need {} bytes of {} free, the least found (tensors that live at once and the "
            "layers' buffers){}",
            memory.name, least.points.front().values.front(), free,
            others ? "" : ", and other memories are too small as well");
    }
  return {};
}

/// A front without points has a reason.
CompositionFront explained(CompositionFront front, const Goal& goal) {
  if (front.points.empty() && front.infeasible_reason.empty())
    front.infeasible_reason = goal.limited() ? "no combination of the layers' schedules keeps all limits"
                                             : "no combination of the layers' schedules fits the on-chip memories";
  return front;
}

}  // namespace

CompositionFront compose(const Space& space, const std::vector<LayerFront>& layers, const Goal& goal,
                         const CompositionOptions& options) {
  const auto cuts = options.file_order || options.runs ? Cuts::file : options.relaxed ? Cuts::bound : Cuts::searched;
  const auto graph = section_graph(space, layers, cuts, options.runs);
  auto front = compose(space, layers, graph, goal, options);
  // Nobody reads why a bound, or the file's order alone, comes to nothing.
  if (cuts == Cuts::searched && front.points.empty() && front.infeasible_reason.empty() && !goal.limited())
    front.infeasible_reason = why_unfit(space, layers, graph, goal, options);
  return explained(std::move(front), goal);
}

CompositionFront compose(const Space& space, const std::vector<LayerFront>& layers, const SweepSpec& spec,
                         const CompositionOptions& options) {
  const auto graph = section_graph(space, layers);
  const auto goal = goal_of(spec, *space.network, *space.device);
  auto front = compose(space, layers, graph, goal, options);
  if (front.points.empty() && front.exact && front.infeasible_reason.empty())
    front.infeasible_reason = why_none(space, layers, graph, spec, options);
  return explained(std::move(front), goal);
}

CompositionFront compose(const Space& space, const std::vector<LayerFront>& layers,
                         const std::vector<std::int64_t>& limits, const std::atomic<bool>* interrupted) {
  auto goal = default_goal(*space.device);
  goal.limits = limits;
  CompositionOptions options;
  options.interrupted = interrupted;
  return compose(space, layers, goal, options);
}

}  // namespace dse::explore
