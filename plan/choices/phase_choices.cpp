// Layers that run a few rows at a time, together with others.
#include <algorithm>

#include "plan/choices/choice_kinds.h"
#include "plan/network/layers.h"
#include "plan/network/row_graph.h"

namespace dse::plan::choices {

std::vector<Choice> phase_choices() {
  auto phases = named(
      "phases",
      "no: the layer runs by itself, with whole tensors; with-next: a few rows at a time, together with the layer "
      "after it; yes: the same, as the last layer of such a segment",
      {"no", "yes", "with-next"}, [](const LayerChoice& l) { return static_cast<int>(l.phases); },
      [](LayerChoice& l, int v) { l.phases = static_cast<Phases>(v); },
      [](const LayerContext& c, const LayerChoice& l) {
        const auto& ops = c.network->operators;
        if (!by_rows(*c.network, ops[c.op])) return std::vector<int>{0};
        // Rows stay where the engine reaches them; what leaves the network goes home as well.
        const auto& engine = c.device->engines[l.engine_of(c)];
        const bool leaves = makes_output(*c.network, true).at(static_cast<std::size_t>(c.op));
        if (l.output_memory >= 0 && !engine.reaches(l.output_memory) && !leaves) return std::vector<int>{0, 1};
        std::size_t next = static_cast<std::size_t>(c.op) + 1;
        while (next < ops.size() && renames(*c.network, ops[next])) ++next;
        return next < ops.size() && by_rows(*c.network, ops[next]) ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 1};
      });
  auto halo = named(
      "halo", "rows that two phases need: kept from one to the next (cached), or computed again (recomputed)",
      {"cached", "recomputed"}, [](const LayerChoice& l) { return static_cast<int>(l.halo); },
      [](LayerChoice& l, int v) { l.halo = static_cast<shared::Halo>(v); },
      [](const LayerContext&, const LayerChoice& l) {
        return l.phases == Phases::yes ? std::vector<int>{0, 1} : std::vector<int>{0};
      });
  auto strips = counted(
      "strips",
      "strips of columns in which the segment runs, one after the other; columns that two of them read are computed "
      "for both",
      &LayerChoice::strips, [](const LayerContext& c, const LayerChoice& l) {
        if (l.phases != Phases::yes || l.halo != shared::Halo::cached) return std::vector<int>{1};
        std::vector<int> out = {1};
        const auto& op = c.network->operators[c.op];
        const auto width = by_columns(*c.network, op) ? c.network->tensors[op.outputs[0]].image().w : 1;
        for (int n = 2; n <= std::min<std::int64_t>(width, kMostStrips); ++n) out.push_back(n);
        return out;
      });
  // Of segments, which the planner of shared phases makes.
  return {not_searched(needing({"engine", "output"}, std::move(phases))),
          not_searched(needing({"phases"}, std::move(halo))),
          not_searched(needing({"phases", "halo"}, std::move(strips)))};
}

}  // namespace dse::plan::choices
