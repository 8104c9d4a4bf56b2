#include "explore/compose/caps.h"

#include <fmt/format.h>

#include <algorithm>

namespace dse::explore {

std::span<const int> layers_of(const Space& space, const SectionGraph& graph, const SectionEdge& edge) {
  if (edge.run < 0) return {&edge.op, edge.op < 0 ? std::size_t{0} : std::size_t{1}};
  const auto& run = (*graph.runs)[edge.run];
  return std::span(space.layers).subspan(run.first, run.last - run.first + 1);
}

std::vector<std::vector<std::int64_t>> caps_of(const Space& space, const SectionGraph& graph, const Goal& goal,
                                               std::string& reason) {
  std::vector<std::vector<std::int64_t>> caps(graph.memories.size());
  for (std::size_t m = 0; m < caps.size(); ++m) {
    auto& values = caps[m];
    const auto& memory = space.device->memories[graph.memories[m]];
    const auto limit = goal.limits[graph.memories[m]];
    std::int64_t least = 0;
    std::vector<std::int64_t> lowest(space.network->operators.size(), kUnlimited);  // per layer
    for (const auto& section : graph.sections)
      for (const auto& e : section)
        for (const auto& o : graph.of(e)) {
          const auto need = e.live[m] + o.local[m];
          if (e.op < 0 && e.run < 0) continue;
          for (const int op : layers_of(space, graph, e)) lowest[op] = std::min(lowest[op], need);
          if (need <= limit) values.push_back(need);
        }
    for (const int op : space.layers) {
      least = std::max(least, lowest[op]);
      if (lowest[op] > limit && reason.empty())
        reason = fmt::format(
            "{}: layer {} needs at least {} bytes of {} free (tensors that live there and the least buffers of any "
            "schedule){}",
            memory.name, space.network->operators[op].name, lowest[op], limit,
            graph.all_orders ? "" : " in the orders that were tried");
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    values.erase(values.begin(), std::lower_bound(values.begin(), values.end(), least));
  }
  return caps;
}

}  // namespace dse::explore
