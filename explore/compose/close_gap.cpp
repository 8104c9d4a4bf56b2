#include "explore/compose/close_gap.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "base/units.h"
#include "explore/compose/graph/live_tensors.h"
#include "explore/compose/graph/section_graph.h"
#include "explore/compose/parts.h"
#include "plan/make/make_plan.h"
#include "plan/place/arena.h"
#include "plan/plan.h"

namespace dse::explore {
namespace {

using PointValues = std::vector<std::int64_t>;

/// A bound is worth more nodes than a plan is given: what is not proven lowest leaves the gap open.
constexpr plan::ArenaEffort kEffort = {400, 400'000};

bool no_worse(const PointValues& a, const PointValues& b) {
  return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
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
        reached_(std::move(reached)),
        parts_(graph_, goal, device_) {
    std::vector<LayerFront> fronts(layers.size());
    for (std::size_t t = 0; t < layers.size(); ++t)
      for (const auto& e : layers[t].entries) fronts[t].entries.push_back(e.entry);
    graph_ = section_graph(space, fronts);
    state_bytes_ = variable_bytes(network_, device_);
  }

  GapClosure run() {
    if (graph_.infeasible_reason.empty()) {
      suffix_ = parts_.suffixes();
      if (parts_.exhausted() || !graph_.all_orders) return std::move(result_);
      path_.resize(graph_.sections.size());
      walk(0, 0, {Part{}});
    }
    std::erase_if(result_.left, [&](const PointValues& v) { return beaten(v); });
    if (parts_.exhausted()) result_.left.clear();  // what else there may be was not looked at
    result_.closed = result_.left.empty() && !parts_.exhausted();
    std::erase_if(result_.points, [&](const Composition& c) {
      return std::any_of(reached_.begin(), reached_.end(),
                         [&](const PointValues& r) { return r != c.values && no_worse(r, c.values); });
    });
    std::stable_sort(result_.points.begin(), result_.points.end(),
                     [](const Composition& a, const Composition& b) { return a.values < b.values; });
    return std::move(result_);
  }

 private:
  bool beaten(const PointValues& v) const { return is_reached(reached_, v); }
  bool open(const Part& p) const { return parts_.within_limits(p) && !beaten(parts_.values_of(p)); }
  bool any_open(const std::vector<Part>& some, const std::vector<Part>& rest) const {
    for (const auto& a : some)
      for (const auto& b : rest)
        if (open(together(a, b))) return true;
    return false;
  }
  void leave(const std::vector<Part>& some, const std::vector<Part>& rest) {
    for (const auto& a : some)
      for (const auto& b : rest)
        if (const auto both = together(a, b); open(both)) leave(parts_.values_of(both));
  }
  void leave(const PointValues& v) {
    auto& left = result_.left;
    if (std::any_of(left.begin(), left.end(), [&](const PointValues& l) { return no_worse(l, v); })) return;
    std::erase_if(left, [&](const PointValues& l) { return no_worse(v, l); });
    left.push_back(v);
  }
  bool stopped() {
    stopped_ = stopped_ || result_.layouts >= limits_.layouts || result_.steps >= limits_.steps ||
               (limits_.interrupted && limits_.interrupted->load()) || parts_.exhausted() ||
               (limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline);
    return stopped_;
  }

  // ---- paths: where the tensors live ----

  void walk(std::size_t s, int state, const std::vector<Part>& prefix) {
    if (s == graph_.sections.size()) return decide_path();
    for (const auto& e : graph_.sections[s]) {
      if (e.from != state) continue;
      const auto& rest = suffix_[s + 1][static_cast<std::size_t>(e.to)];
      const auto next = parts_.product(prefix, parts_.of(e));
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
    heights_.clear(), run_order_.clear();
    std::map<int, plan::Placement> home;  // per root tensor
    std::map<int, int> over;              // per root tensor: the one whose bytes it takes over
    for (const auto* e : path_) {
      run_order_.push_back(e->op);
      if (e->over >= 0) over[space_.root[network_.operators[e->op].outputs[0]]] = e->over;
    }
    const auto lives = space_.lives(run_order_);
    for (const int t : network_.inputs) home[space_.root[t]] = {device_.io, plan::TensorLayout::hwc};
    for (std::size_t s = 0; s < path_.size(); ++s) {
      const auto& outputs = network_.operators[path_[s]->op].outputs;
      for (std::size_t o = 0; o < outputs.size(); ++o)
        home[space_.root[outputs[o]]] =
            o == 0 ? space_.tasks[path_[s]->task].output : plan::Placement{device_.io, plan::TensorLayout::hwc};
    }
    if (space_.whole.input == plan::shared::Input::streamed)
      for (const int t : network_.inputs)
        tensors_[device_.input_from].push_back({network_.tensors[t].bytes(), 0, std::max(0, lives.first[t])});
    for (std::size_t s = 1; s < path_.size(); ++s)
      if (const auto& next = space_.tasks[path_[s - 1]->task].next; path_[s]->fetched)
        tensors_[next.to].push_back({next.bytes, static_cast<int>(s) - 1, static_cast<int>(s)});
    std::map<int, plan::Block> blocks;  // by the first tensor of those that share their bytes
    for (const auto& [t, h] : home) {
      if (space_.homes[t].empty()) continue;
      int first = t;
      while (over.count(first) > 0) first = over.at(first);
      const plan::Block own{plan::bytes_of(network_.tensors[t], h.layout), lives.first[t], lives.last[t]};
      auto& block = blocks.try_emplace(first, own).first->second;
      block.first = std::min(block.first, own.first), block.last = std::max(block.last, own.last);
    }
    for (const auto& [t, block] : blocks) tensors_[home.at(t).memory].push_back(block);
    // The layers with the highest loads first.
    order_.resize(path_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::vector<std::int64_t> load(path_.size());
    for (std::size_t s = 0; s < path_.size(); ++s) {
      load[s] = std::numeric_limits<std::int64_t>::max();
      for (const auto& o : graph_.of(*path_[s])) {
        const auto need = path_[s]->need(o);
        load[s] = std::min(load[s], std::accumulate(need.begin(), need.end(), std::int64_t{0}));
      }
    }
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return load[a] > load[b]; });
    rest_.assign(path_.size() + 1, {Part{}});
    for (std::size_t k = path_.size(); k-- > 0;) rest_[k] = parts_.product(parts_.of(*path_[order_[k]]), rest_[k + 1]);
    chosen_.assign(path_.size(), -1);
    decide(0, Part{});
  }

  void decide(std::size_t k, const Part& so_far) {
    if (k == order_.size()) return finish(so_far);
    const auto s = static_cast<std::size_t>(order_[k]);
    for (const auto& o : graph_.of(*path_[s])) {  // by ticks
      Part part = together(so_far, part_of(*path_[s], o));
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

  /// A whole plan: real addresses. Costs of the bound are the plan's own, its loads are not above the plan's heights.
  void finish(const Part& bound) {
    ++result_.plans, ++result_.layouts;
    Composition found;
    found.choices.resize(network_.operators.size());
    for (std::size_t s = 0; s < path_.size(); ++s) {
      found.choices[path_[s]->op] = layers_[path_[s]->task].entries[chosen_[s]].entry.choice;
      found.choices[path_[s]->op].in_place = path_[s]->over >= 0;
    }
    if (run_order_ != space_.layers) found.order = run_order_;
    auto whole = space_.whole;
    whole.order = found.order;
    const auto made = plan::make_plan(network_, device_, found.choices, whole);
    const auto* plan = std::get_if<plan::Plan>(&made);
    bool feasible = plan != nullptr;
    if (plan) {
      for (std::size_t m = 0; m < goal_.limits.size(); ++m) feasible &= plan->heights[m] <= goal_.limits[m];
      feasible &= plan::on_chip_memory(device_, plan->heights) <= goal_.total_limit;
    }
    if (!certain(plan)) leave(parts_.values_of(bound));
    if (!feasible) return;
    found.values = values_with(goal_, plan->heights, bound.costs);
    if (beaten(found.values)) return;
    found.memory = plan::on_chip_memory(device_, plan->heights);
    found.costs = bound.costs;
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
      for (std::size_t s = 0; s < path_.size(); ++s)
        if (const auto& e = layers_[path_[s]->task].entries[chosen_[s]].entry; e.choice.weights_memory == m)
          whole += round_up(e.weight_bytes, device_.memories[m].alignment);
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
  const Parts parts_;
  std::int64_t state_bytes_ = 0;
  bool stopped_ = false;
  std::vector<std::vector<std::vector<Part>>> suffix_;  // per section and state: from there to the end
  std::vector<const SectionEdge*> path_;
  std::vector<int> run_order_;  // the layers on it
  // Of the path in hand:
  std::vector<std::vector<plan::Block>> tensors_;  // per memory; and filters that are fetched across layers
  std::vector<int> order_;                         // of sections
  std::vector<std::vector<Part>> rest_;            // per place in `order_`: from there to the end
  std::vector<int> chosen_;                        // per section: entry, or -1
  std::map<std::vector<std::int64_t>, std::int64_t> heights_;
  GapClosure result_;
};

}  // namespace

GapClosure close_gap(const Space& space, const std::vector<PackingFront>& layers, const Goal& goal,
                     std::vector<std::vector<std::int64_t>> reached, const GapLimits& limits) {
  return Closer(space, layers, goal, std::move(reached), limits).run();
}

}  // namespace dse::explore
