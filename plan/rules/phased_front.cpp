#include "plan/rules/phased_front.h"

#include <algorithm>

#include "models/hw/compute_timing.h"
#include "plan/choices/homes.h"
#include "plan/network/layers.h"
#include "plan/network/row_graph.h"

namespace dse::plan {
namespace {

/// Cycles of the compute engine for the whole layer.
std::int64_t cycles_of(const nn::Operator& op, const hw::ComputeTiming& timing) {
  std::int64_t cycles = 0;
  for (const auto& call : op.calls) {
    const auto work = program::call_on(call.op, call.tile);
    cycles += timing.library().cycles(work);
  }
  return cycles;
}

shared::CostModel cost_of(const nn::Network& n, const hw::Device& d, const RowGraph& g) {
  const auto& engine = d.engines[d.compute_engine()];
  const hw::ComputeTiming timing(engine);
  shared::CostModel cost;
  for (std::size_t l = 0; l < g.op.size(); ++l) {
    const bool layer = g.op[l] >= 0;
    const auto rows = std::max<std::int64_t>(1, g.graph.layers[l].rows);
    cost.row.push_back(layer && g.by_rows[l] ? cycles_of(n.operators[g.op[l]], timing) / rows : 0);
    cost.call.push_back(layer ? engine.dispatch + d.control.issue : d.control.issue);
  }
  return cost;
}

/// Above the least load, in plans whose segments all need little.
constexpr int kSlackPercent = 20;

/// Strips of columns tried per segment.
constexpr std::int64_t kStrips = 4;

/// Up to `most` in all, as many from each front as from the next: evenly, the ends among them, each plan once.
std::vector<const shared::Segmentation*> spread(const std::vector<shared::SegmentationFront>& fronts, int most) {
  std::vector<const shared::Segmentation*> out;
  for (std::size_t k = 0; k < fronts.size(); ++k) {
    const auto& points = fronts[k].points;
    const auto count = static_cast<std::int64_t>(points.size());
    const auto left = static_cast<std::int64_t>(most) - static_cast<std::int64_t>(out.size());
    const auto share = std::max<std::int64_t>(1, left / static_cast<std::int64_t>(fronts.size() - k));
    for (std::int64_t i = 0; i < std::min(count, share); ++i) {
      const auto at = count <= share ? i : i * (count - 1) / std::max<std::int64_t>(1, share - 1);
      const auto& p = points[static_cast<std::size_t>(at)];
      if (std::none_of(out.begin(), out.end(), [&](const auto* o) { return o->segments == p.segments; }))
        out.push_back(&p);
    }
  }
  return out;
}

}  // namespace

std::vector<LayerChoice> plain_choices(const nn::Network& network, const hw::Device& device, int memory) {
  std::vector<LayerChoice> out(network.operators.size());
  for (const int op : layers_of(network, true)) {
    const auto homes = output_homes(network, device, op);
    const bool allowed = std::find(homes.begin(), homes.end(), Placement{memory, TensorLayout::hwc}) != homes.end();
    out[op].output_memory = allowed ? memory : device.io;
    out[op].buffering = Buffering::once;
  }
  return out;
}

std::vector<shared::Segmentation> phased_points(const nn::Network& network, const hw::Device& device,
                                                const NetworkChoice& whole, int most) {
  if (device.compute_engine() < 0 || most < 1) return {};
  auto g = row_graph(network, whole.alias_reshapes);
  const auto& engine = device.engines[device.compute_engine()];
  for (std::size_t l = 0; l < g.op.size(); ++l)
    if (g.op[l] >= 0 && !why_not_timed(engine, network.operators[g.op[l]]).empty()) g.by_rows[l] = 0;
  if (std::none_of(g.by_rows.begin(), g.by_rows.end(), [](char c) { return c != 0; })) return {};
  shared::PlannerOptions options;
  options.input = whole.input;
  options.bytes_per_element = 1;  // rows are counted in bytes
  options.phaseable = g.by_rows;
  const auto cost = cost_of(network, device, g);
  std::vector<shared::SegmentationFront> fronts;
  // Arenas hold whole rings, so most plans come of peaks that count them so; where tensors that cross segments decide,
  // it is live rows that count. What strips make a little lower on paper may take more in an arena, so plans without
  // stand beside those with. Strips want everything where the engine reaches it.
  const bool reached = engine.reaches(device.io);
  for (const auto strips : {std::int64_t{1}, kStrips}) {
    if (strips > 1 && !reached) break;
    options.max_strips = strips;
    options.tight = options.least_only = true, options.slack_percent = kSlackPercent;
    fronts.push_back(shared::plan_front(g.graph, cost, options));
    options.tight = options.least_only = false, options.slack_percent = 0;
    for (const bool rings : {true, false}) {
      options.rings = rings;
      fronts.push_back(shared::plan_front(g.graph, cost, options));
    }
  }
  std::vector<shared::Segmentation> out;
  for (const auto* p : spread(fronts, most))
    if (std::any_of(p->segments.begin(), p->segments.end(),
                    [](const auto& s) { return s.first < s.last || s.rows > 0; }))
      out.push_back(*p);
  return out;
}

std::vector<LayerChoice> phased_choices(const nn::Network& network, const hw::Device& device,
                                        std::vector<LayerChoice> base, bool alias_reshapes,
                                        const shared::Segmentation& point) {
  const auto& engine = device.engines[device.compute_engine()];
  const auto layers = layers_of(network, alias_reshapes);
  const auto root = alias_roots(network, alias_reshapes);
  auto& choices = base;
  for (const auto& s : point.segments) {
    if (s.first == s.last && s.rows == 0) continue;
    for (int k = s.first; k <= s.last; ++k) {
      const int op = layers[k];
      auto& c = choices[op];
      LayerChoice by_phases;
      by_phases.weights_memory = c.weights_memory;
      by_phases.output_memory = c.output_memory;
      by_phases.engine = c.engine;
      by_phases.buffering = Buffering::once;
      const bool last = k == s.last;
      if (!last && !engine.reaches(c.output_memory)) by_phases.output_memory = engine.memories.front();
      by_phases.phases = last ? Phases::yes : Phases::with_next;
      by_phases.halo = last ? s.halo : shared::Halo::cached;
      by_phases.strips = last ? static_cast<int>(s.strips) : 1;
      const auto rows = last ? s.rows : s.grain.empty() ? 0 : s.grain[static_cast<std::size_t>(k - s.first)];
      by_phases.tile = rows >= network.operators[op].kernel.out_h ? 0 : static_cast<int>(rows);
      c = by_phases;
      for (const int t : activations(network, network.operators[op]))  // what it reads lies channels last
        if (const int from = network.producer(root[t]); from >= 0) choices[from].output_layout = TensorLayout::hwc;
    }
    if (s.last + 1 < static_cast<int>(layers.size())) choices[layers[s.last + 1]].prefetch = false;
  }
  return base;
}

}  // namespace dse::plan
