#include "explore/compose/close_gap.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/units.h"
#include "explore/compose/section_graph.h"
#include "plan/make/make_plan.h"
#include "plan/place/arena.h"
#include "plan/plan.h"

namespace dse::explore {
namespace {

using PointValues = std::vector<std::int64_t>;

/// What a part of a plan needs at least: loads (later: heights) and resident bytes per on-chip memory, sums of costs.
struct Part {
  MemoryVector peak{}, resident{};
  Costs costs{};
  bool operator==(const Part&) const = default;
};

/// Merged beyond this many: the least of two parts bounds both.
constexpr std::size_t kMaxParts = 256;

/// A bound is worth more nodes than a plan is given: what is not proven lowest leaves the gap open.
constexpr plan::ArenaEffort kEffort = {400, 400'000};

Part together(const Part& a, const Part& b) {
  Part c;
  for (int m = 0; m < kMaxCaps; ++m)
    c.peak[m] = std::max(a.peak[m], b.peak[m]), c.resident[m] = a.resident[m] + b.resident[m];
  for (int k = 0; k < kCosts; ++k) c.costs[k] = a.costs[k] + b.costs[k];
  return c;
}

bool no_worse(const PointValues& a, const PointValues& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i]) return false;
  return true;
}

class Closer {
 public:
  Closer(const Space& space, const std::vector<PackingFront>& layers, const Goal& goal,
         std::vector<PointValues> reached, const GapLimits& limits)
      : space_(space),
        layers_(layers),
        goal_(goal),
        limits_(limits),
        network_(*space.network),
        device_(*space.device),
        counted_(counted_memories(network_, device_)),
        reached_(std::move(reached)) {
    std::vector<LayerFront> fronts(layers.size());
    for (std::size_t t = 0; t < layers.size(); ++t)
      for (const auto& e : layers[t].entries) fronts[t].entries.push_back(e.entry);
    graph_ = section_graph(space, fronts);
    for (const auto& t : network_.tensors)
      if (t.kind == nn::TensorKind::variable)
        state_bytes_ += round_up(t.bytes(), device_.memories[device_.io].alignment);
  }

  GapClosure run() {
    if (graph_.infeasible_reason.empty()) {
      prepare_suffixes();
      path_.resize(graph_.sections.size());
      walk(0, 0, {Part{}});
    }
    std::erase_if(result_.left, [&](const PointValues& v) { return beaten(v); });
    result_.closed = result_.left.empty();
    std::erase_if(result_.points, [&](const Composition& c) {
      return std::any_of(reached_.begin(), reached_.end(),
                         [&](const PointValues& r) { return r != c.values && no_worse(r, c.values); });
    });
    std::stable_sort(result_.points.begin(), result_.points.end(),
                     [](const Composition& a, const Composition& b) { return a.values < b.values; });
    return std::move(result_);
  }

 private:
  // ---- values and limits ----

  bool within_limits(const Part& p) const {
    std::int64_t total = 0;
    for (std::size_t m = 0; m < graph_.memories.size(); ++m) {
      if (p.peak[m] + p.resident[m] > goal_.limits[graph_.memories[m]]) return false;
      total += p.peak[m] + p.resident[m];
    }
    for (int k = 0; k < kCosts; ++k)
      if (p.costs[k] > goal_.cost_limits[k]) return false;
    return total <= goal_.total_limit;
  }
  PointValues values_of(const Part& p) const {
    std::vector<std::int64_t> heights(device_.memories.size(), 0);
    for (std::size_t m = 0; m < graph_.memories.size(); ++m) heights[graph_.memories[m]] = p.peak[m] + p.resident[m];
    return values_with(goal_, heights, p.costs);
  }
  bool beaten(const PointValues& v) const {
    return std::any_of(reached_.begin(), reached_.end(), [&](const PointValues& r) { return no_worse(r, v); });
  }
  bool open(const Part& p) const { return within_limits(p) && !beaten(values_of(p)); }
  bool any_open(const std::vector<Part>& some, const std::vector<Part>& rest) const {
    for (const auto& a : some)
      for (const auto& b : rest)
        if (open(together(a, b))) return true;
    return false;
  }
  void leave(const std::vector<Part>& some, const std::vector<Part>& rest) {
    for (const auto& a : some)
      for (const auto& b : rest)
        if (const auto both = together(a, b); open(both)) leave(values_of(both));
  }
  void leave(const PointValues& v) {
    auto& left = result_.left;
    if (std::any_of(left.begin(), left.end(), [&](const PointValues& l) { return no_worse(l, v); })) return;
    std::erase_if(left, [&](const PointValues& l) { return no_worse(v, l); });
    left.push_back(v);
  }
  bool stopped() {
    stopped_ = stopped_ || result_.layouts >= limits_.layouts || result_.steps >= limits_.steps ||
               (limits_.interrupted && limits_.interrupted->load());
    return stopped_;
  }

  // ---- parts: Pareto sets that bound what is not decided ----

  bool dominates(const Part& a, const Part& b) const {
    for (std::size_t m = 0; m < graph_.memories.size(); ++m)
      if (a.peak[m] > b.peak[m] || a.resident[m] > b.resident[m]) return false;
    return no_costlier(a.costs, b.costs, goal_);
  }
  static Part least(const Part& a, const Part& b) {
    Part c;
    for (int m = 0; m < kMaxCaps; ++m)
      c.peak[m] = std::min(a.peak[m], b.peak[m]), c.resident[m] = std::min(a.resident[m], b.resident[m]);
    for (int k = 0; k < kCosts; ++k) c.costs[k] = std::min(a.costs[k], b.costs[k]);
    return c;
  }
  std::vector<Part> thinned(std::vector<Part> parts) const {
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return std::tie(a.costs, a.peak, a.resident) < std::tie(b.costs, b.peak, b.resident);
    });
    std::vector<Part> kept;
    for (const auto& p : parts)
      if (std::none_of(kept.begin(), kept.end(), [&](const Part& k) { return dominates(k, p); })) kept.push_back(p);
    while (kept.size() > kMaxParts) {
      std::vector<Part> fewer;
      for (std::size_t i = 0; i < kept.size(); i += 2)
        fewer.push_back(i + 1 < kept.size() ? least(kept[i], kept[i + 1]) : kept[i]);
      kept.swap(fewer);
    }
    return kept;
  }
  static Part part_of(const SectionOption& o) { return {o.need, o.resident, o.costs}; }
  std::vector<Part> parts_of(const SectionEdge& e) const {
    std::vector<Part> out;
    for (const auto& o : e.options) out.push_back(part_of(o));
    return thinned(std::move(out));
  }
  std::vector<Part> product(const std::vector<Part>& a, const std::vector<Part>& b) const {
    std::vector<Part> out;
    for (const auto& p : a)
      for (const auto& q : b) {
        const auto both = together(p, q);
        if (within_limits(both)) out.push_back(both);
      }
    return thinned(std::move(out));
  }
  void prepare_suffixes() {
    const auto n = graph_.sections.size();
    suffix_.resize(n + 1);
    suffix_[n].assign(static_cast<std::size_t>(graph_.states[n]), {Part{}});
    for (std::size_t s = n; s-- > 0;) {
      std::vector<std::vector<Part>> all(static_cast<std::size_t>(graph_.states[s]));
      for (const auto& e : graph_.sections[s]) {
        auto some = product(parts_of(e), suffix_[s + 1][static_cast<std::size_t>(e.to)]);
        auto& list = all[static_cast<std::size_t>(e.from)];
        list.insert(list.end(), some.begin(), some.end());
      }
      for (auto& list : all) suffix_[s].push_back(thinned(std::move(list)));
    }
  }

  // ---- paths: where the tensors live ----

  void walk(std::size_t s, int state, const std::vector<Part>& prefix) {
    if (s == graph_.sections.size()) return decide_path();
    for (const auto& e : graph_.sections[s]) {
      if (e.from != state) continue;
      const auto& rest = suffix_[s + 1][static_cast<std::size_t>(e.to)];
      const auto next = product(prefix, parts_of(e));
      ++result_.steps;
      if (!any_open(next, rest)) continue;
      if (stopped()) {
        leave(next, rest);
        continue;
      }
      path_[s] = &e;
      walk(s + 1, e.to, next);
    }
  }

  // ---- schedules on one path ----

  void decide_path() {
    tensors_.assign(device_.memories.size(), {});
    heights_.clear();
    std::map<int, plan::Home> home;  // per root tensor
    for (const int t : network_.inputs) home[space_.root[t]] = {device_.io, plan::TensorLayout::hwc};
    for (std::size_t s = 0; s < path_.size(); ++s) {
      const auto& outputs = network_.operators[space_.layers[s]].outputs;
      for (std::size_t o = 0; o < outputs.size(); ++o)
        home[space_.root[outputs[o]]] =
            o == 0 ? space_.tasks[path_[s]->task].output : plan::Home{device_.io, plan::TensorLayout::hwc};
    }
    if (space_.whole.input == plan::shared::Input::streamed)
      for (const int t : network_.inputs)
        tensors_[device_.input_from].push_back({network_.tensors[t].bytes(), 0, std::max(0, space_.first[t])});
    for (const auto& [t, h] : home)
      if (!space_.homes[t].empty())
        tensors_[h.memory].push_back({network_.tensors[t].bytes(), space_.first[t], space_.last[t]});
    // The layers with the highest loads first.
    order_.resize(path_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::vector<std::int64_t> load(path_.size());
    for (std::size_t s = 0; s < path_.size(); ++s) {
      load[s] = std::numeric_limits<std::int64_t>::max();
      for (const auto& o : path_[s]->options)
        load[s] = std::min(load[s], std::accumulate(o.need.begin(), o.need.end(), std::int64_t{0}));
    }
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return load[a] > load[b]; });
    rest_.assign(path_.size() + 1, {Part{}});
    for (std::size_t k = path_.size(); k-- > 0;) rest_[k] = product(parts_of(*path_[order_[k]]), rest_[k + 1]);
    chosen_.assign(path_.size(), -1);
    decide(0, Part{});
  }

  void decide(std::size_t k, const Part& so_far) {
    if (k == order_.size()) return finish(so_far);
    const auto s = static_cast<std::size_t>(order_[k]);
    for (const auto& o : path_[s]->options) {  // by ticks
      Part part = together(so_far, part_of(o));
      ++result_.steps;
      if (!any_open({part}, rest_[k + 1])) continue;
      if (stopped()) {
        leave({part}, rest_[k + 1]);
        continue;
      }
      chosen_[s] = o.entry;
      raise(part);
      if (any_open({part}, rest_[k + 1])) decide(k + 1, part);
      chosen_[s] = -1;
    }
  }

  /// The loads of a part to what its layouts need.
  void raise(Part& part) {
    for (std::size_t m = 0; m < graph_.memories.size(); ++m)
      part.peak[m] = std::max(part.peak[m], height_of(graph_.memories[m]));
  }

  /// What tensors on this path and the buffers of the layers decided so far need at least, beside what stays for the
  /// whole run.
  std::int64_t height_of(int m) {
    std::vector<std::int64_t> key = {m};
    auto blocks = tensors_[m];
    for (std::size_t s = 0; s < path_.size(); ++s) {
      if (chosen_[s] < 0) continue;
      const auto& own = layers_[path_[s]->task].entries[chosen_[s]].blocks[m];
      if (own.empty()) continue;
      key.push_back(-1 - static_cast<std::int64_t>(s));
      for (const auto size : own) {
        key.push_back(size);
        blocks.push_back({size, static_cast<int>(s), static_cast<int>(s)});
      }
    }
    const auto known = heights_.find(key);
    if (known != heights_.end()) return known->second;
    ++result_.layouts;
    const auto layout = plan::allocate(blocks, device_.memories[m].alignment, kEffort);
    const auto kept = m == device_.io ? state_bytes_ : 0;
    return heights_[key] = kept + (layout.optimal ? layout.height : layout.load);
  }

  /// A whole plan: real addresses.
  void finish(const Part& bound) {
    ++result_.plans, ++result_.layouts;
    Composition found;
    found.choices.resize(network_.operators.size());
    Part part;
    for (std::size_t s = 0; s < path_.size(); ++s) {
      const auto& e = layers_[path_[s]->task].entries[chosen_[s]].entry;
      found.choices[space_.layers[s]] = e.choice;
      part.costs = together(part, {{}, {}, costs_of(e)}).costs;
    }
    const auto made = plan::make_plan(network_, device_, found.choices, space_.whole);
    const auto* plan = std::get_if<plan::Plan>(&made);
    bool feasible = plan != nullptr;
    if (plan) {
      for (std::size_t m = 0; m < goal_.limits.size(); ++m) feasible &= plan->heights[m] <= goal_.limits[m];
      feasible &= plan::on_chip_memory(device_, plan->heights) <= goal_.total_limit;
    }
    if (!certain(plan)) leave(values_of(bound));
    if (!feasible) return;
    found.values = values_with(goal_, plan->heights, part.costs);
    if (beaten(found.values)) return;
    found.memory = plan::on_chip_memory(device_, plan->heights);
    found.ticks = part.costs[kTicks], found.energy_fj = part.costs[kEnergy], found.traffic = part.costs[kTraffic];
    reached_.push_back(found.values);
    result_.points.push_back(std::move(found));
  }

  /// The plan's heights are those of optimal layouts: no plan whose buffers give room to those of this one is lower.
  /// `plan` null: it lacks room, whatever the layout.
  bool certain(const plan::Plan* plan) {
    bool lacking = false;
    for (int m = 0; m < static_cast<int>(device_.memories.size()); ++m) {
      if (!counted_[m]) continue;
      std::vector<plan::Block> blocks = tensors_[m];
      for (std::size_t s = 0; s < path_.size(); ++s)
        for (const auto size : layers_[path_[s]->task].entries[chosen_[s]].blocks[m])
          blocks.push_back({size, static_cast<int>(s), static_cast<int>(s)});
      const auto layout = plan::allocate(blocks, device_.memories[m].alignment, kEffort);
      std::int64_t whole = m == device_.io ? state_bytes_ : 0;  // what stays adds to every layout alike
      for (std::size_t s = 0; s < path_.size(); ++s) {
        const auto& e = layers_[path_[s]->task].entries[chosen_[s]].entry;
        if (e.choice.weights_memory == m) whole += round_up(e.weight_bytes, device_.memories[m].alignment);
      }
      const auto least = whole + (layout.optimal ? layout.height : layout.load);
      if (plan) {
        const auto base = m == device_.constants ? round_up(plan->constants_size, 16) : 0;
        if (plan->heights[m] != base + least) return false;
      }
      lacking |= least > device_.memories[m].free();
    }
    return plan || lacking;
  }

  const Space& space_;
  const std::vector<PackingFront>& layers_;
  const Goal& goal_;
  const GapLimits& limits_;
  const nn::Network& network_;
  const hw::Device& device_;
  const std::vector<bool> counted_;
  std::vector<PointValues> reached_;
  SectionGraph graph_;
  std::int64_t state_bytes_ = 0;
  bool stopped_ = false;
  std::vector<std::vector<std::vector<Part>>> suffix_;  // per section and state: from there to the end
  std::vector<const SectionEdge*> path_;
  // Of the path in hand:
  std::vector<std::vector<plan::Block>> tensors_;  // per memory
  std::vector<int> order_;                         // of sections
  std::vector<std::vector<Part>> rest_;            // per place in `order_`: from there to the end
  std::vector<int> chosen_;                        // per section: entry, or -1
  std::map<std::vector<std::int64_t>, std::int64_t> heights_;
  GapClosure result_;
};

}  // namespace

std::vector<std::int64_t> values_with(const Goal& goal, const std::vector<std::int64_t>& heights, const Costs& costs) {
  std::vector<std::int64_t> values;
  for (const auto& o : goal.objectives) {
    std::int64_t value = o.cost >= 0 ? costs[o.cost] : 0;
    if (o.cost < 0)
      for (std::size_t m = 0; m < heights.size(); ++m) value += o.memories[m] ? heights[m] : 0;
    values.push_back(value);
  }
  return values;
}

GapClosure close_gap(const Space& space, const std::vector<PackingFront>& layers, const Goal& goal,
                     std::vector<std::vector<std::int64_t>> reached, const GapLimits& limits) {
  return Closer(space, layers, goal, std::move(reached), limits).run();
}

}  // namespace dse::explore
