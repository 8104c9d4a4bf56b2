#include "explore/compose/near.h"

#include <algorithm>

#include "explore/compose/assemble.h"
#include "explore/compose/graph/section_graph.h"
#include "explore/compose/parts.h"

namespace dse::explore {
namespace {

/// Ways to the end that a partial plan is judged by, per state.
constexpr std::size_t kMostTails = 24;

class Walk {
 public:
  Walk(const Space& space, const std::vector<LayerFront>& layers, const SectionGraph& graph, const Goal& goal,
       const std::vector<std::vector<std::int64_t>>& reached, const NearLimits& limits)
      : space_(space),
        layers_(layers),
        graph_(graph),
        reached_(reached),
        limits_(limits),
        parts_(graph, goal, *space.device, kMostTails) {}

  NearPlans run() {
    suffix_ = parts_.suffixes();
    if (parts_.exhausted()) return {{}, false};
    picks_.resize(graph_.sections.size());
    walk(0, 0, {}, false);
    if (!out_.all) out_.points.clear();
    return std::move(out_);
  }

 private:
  bool open(const Part& p) const { return parts_.within_limits(p) && !is_reached(reached_, parts_.values_of(p)); }

  bool late() const {
    return limits_.deadline && steps_ % 256 == 0 && std::chrono::steady_clock::now() >= *limits_.deadline;
  }

  void walk(std::size_t s, int state, const Part& before, bool phased) {
    if (s == graph_.sections.size()) {
      if (phased) found(before);
      return;
    }
    const auto& section = graph_.sections[s];
    for (std::size_t e = 0; e < section.size(); ++e) {
      if (section[e].from != state) continue;
      const auto& rest = suffix_[s + 1][static_cast<std::size_t>(section[e].to)];
      const auto& options = graph_.of(section[e]);
      for (std::size_t o = 0; o < options.size() && out_.all; ++o) {
        if (++steps_ > limits_.steps || late()) out_.all = false;
        const auto here = together(before, part_of(section[e], options[o]));
        if (std::none_of(rest.begin(), rest.end(), [&](const Part& r) { return open(together(here, r)); })) continue;
        picks_[s].edge = static_cast<int>(e), picks_[s].entry = static_cast<int>(o);
        walk(s + 1, section[e].to, here, phased || section[e].run >= 0);
      }
    }
  }

  void found(const Part& whole) {
    if (out_.points.size() == limits_.plans) {
      out_.all = false;
      return;
    }
    out_.points.push_back(assemble(space_, graph_, layers_, picks_));
    out_.points.back().values = parts_.values_of(whole);
  }

  const Space& space_;
  const std::vector<LayerFront>& layers_;
  const SectionGraph& graph_;
  const std::vector<std::vector<std::int64_t>>& reached_;
  const NearLimits limits_;
  Parts parts_;
  std::vector<std::vector<std::vector<Part>>> suffix_;
  std::vector<Pick> picks_;
  std::int64_t steps_ = 0;
  NearPlans out_;
};

}  // namespace

NearPlans near_plans(const Space& space, const std::vector<LayerFront>& layers, const std::vector<Run>& runs,
                     const Goal& goal, const std::vector<std::vector<std::int64_t>>& reached,
                     const NearLimits& limits) {
  const auto graph = section_graph(space, layers, Cuts::file, &runs);
  std::size_t edges = 0;
  for (const auto& section : graph.sections) edges += section.size();
  if (edges > limits.edges) return {{}, false};
  if (!graph.infeasible_reason.empty()) return {};
  return Walk(space, layers, graph, goal, reached, limits).run();
}

}  // namespace dse::explore
