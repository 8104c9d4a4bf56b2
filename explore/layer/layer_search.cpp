#include "explore/layer/layer_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>

#include "explore/layer/bound.h"
#include "explore/layer/quick_bound.h"
#include "plan/choices/assignment.h"
#include "plan/network/layers.h"
#include "plan/place/input_rows.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

/// A schedule on its way through the search.
struct Option {
  LayerEntry entry;
  plan::LayerGeometry geometry;
  Costs bound{};
  bool lowered = false;     // `bound` is that of the lowered program
  std::int64_t size = 0;    // on-chip bytes, for the order among equal bounds
  std::int64_t number = 0;  // in enumerate()'s order
  bool settled = false;
};

/// What cost_bound() said of a candidate that was simulated.
Costs bound_of(const Candidate& known) {
  Costs bound{};
  for (int c = 0; c < kCosts; ++c)
    if (kCostKinds[c].per_mac || kCostKinds[c].per_byte) bound[c] = known.costs[c];
  bound[kTicks] = known.bound;
  return bound;
}

bool used_up(const LayerBudget& budget, std::int64_t simulated) {
  return (budget.simulations > 0 && simulated >= budget.simulations) ||
         (budget.deadline && std::chrono::steady_clock::now() >= *budget.deadline);
}

/// One search: candidates in, front out.
class Search {
 public:
  Search(const LayerTask& task, const plan::ChoiceRegistry& registry, const Goal& goal, const LayerBudget& budget,
         const LayerMemo& memo, const LayerWatch& watch)
      : task_(task), registry_(registry), goal_(goal), budget_(budget), memo_(memo), watch_(watch) {
    // The platform keeps the device after this call, and knows devices by address.
    const auto shared = std::make_shared<const hw::Device>(*task.context.device);
    timing_ = hw::DeviceTiming(shared);
    sim::Platform::instance().configure(shared);
  }

  LayerFront run(const std::map<std::string, std::vector<std::string>>& further) {
    collect(further);
    if (options_.empty() && front_.reason.empty()) front_.reason = why_none(task_, registry_);
    settle();
    front_.entries = undominated(std::move(kept_), goal_, device());
    std::vector<LayerEntry> open;
    for (auto& o : options_)
      if (!o.settled) o.entry.costs = o.bound, open.push_back(std::move(o.entry));
    front_.open = undominated(std::move(open), goal_, device());
    return std::move(front_);
  }

 private:
  const hw::Device& device() const { return *task_.context.device; }

  void tell(const Option& o, CandidateStatus status, const std::string& reason = {}) {
    if (!watch_.settled_otherwise || ++told_[status] > kTold) return;
    Candidate c;
    c.assignment = plan::layer_text(registry_, task_.context, o.entry.choice);
    c.status = status, c.reason = reason;
    if (o.geometry.feasible) c.memory = o.size;
    if (status == CandidateStatus::dominated) c.bound = o.bound[kTicks];
    watch_.settled_otherwise(c);
  }

  /// Feasible schedules inside the space, with a quick bound.
  void collect(const std::map<std::string, std::vector<std::string>>& further) {
    std::int64_t number = -1;
    for (auto& choice : enumerate(task_, registry_, further)) {
      Option o;
      o.number = ++number;
      o.entry.choice = choice;
      o.geometry = plan::layer_geometry(task_.context, choice);
      std::string why = o.geometry.feasible ? "" : o.geometry.reason;
      for (std::size_t m = 0; o.geometry.feasible && m < device().memories.size(); ++m) {
        const auto& memory = device().memories[m];
        const auto bytes = o.geometry.local_bytes(static_cast<int>(m), memory.alignment);
        o.entry.local.push_back(bytes);
        if (memory.on_chip) o.size += bytes;
        if (bytes > memory.free())
          why = fmt::format("{} has {} bytes free, the layer's own buffers need {}", memory.name, memory.free(), bytes);
      }
      if (!o.geometry.feasible ||
          std::int64_t{o.geometry.tiles} * o.geometry.sets * o.geometry.steps <= task_.max_calls) {
        if (!why.empty()) {
          ++front_.infeasible;
          front_.reason = why;
          tell(o, CandidateStatus::infeasible, why);
          continue;
        }
      } else {
        ++front_.outside;
        tell(o, CandidateStatus::outside);
        continue;
      }
      o.entry.weight_bytes = o.geometry.weight_bytes;
      o.bound[kTicks] = quick_bound(o.geometry, timing_);
      options_.push_back(std::move(o));
    }
    if (number < 0) front_.reason = why_none(task_, registry_);
  }

  bool dominated(const Option& o) const {
    return std::any_of(best_.begin(), best_.end(), [&](const LayerEntry& k) {
      return no_costlier(k.costs, o.bound, goal_) && no_larger(k, o.entry, device());
    });
  }

  /// The least ticks of a simulated schedule that is no larger; there is no more to know of a slower one where no other
  /// cost matters.
  std::int64_t reached(const Option& o) const {
    auto least = kUnlimited;
    for (int c = 0; c < kCosts; ++c)
      if (c != kTicks && goal_.active(c)) return least;
    for (const auto& k : best_)
      if (k.costs[kTicks] < least && no_larger(k, o.entry, device())) least = k.costs[kTicks];
    return least;
  }

  void settle() {
    using Place = std::tuple<std::int64_t, std::int64_t, int>;  // bound, size, index: least first
    std::priority_queue<Place, std::vector<Place>, std::greater<>> queue;
    int smallest = -1;
    for (std::size_t i = 0; i < options_.size(); ++i) {
      queue.emplace(options_[i].bound[kTicks], options_[i].size, static_cast<int>(i));
      if (smallest < 0 || options_[i].size < options_[static_cast<std::size_t>(smallest)].size)
        smallest = static_cast<int>(i);
    }
    while (!queue.empty()) {
      const int index = std::get<2>(queue.top());
      auto& o = options_[static_cast<std::size_t>(index)];
      queue.pop();
      if (dominated(o)) {
        ++front_.discarded;
        o.settled = true;
        tell(o, CandidateStatus::dominated);
        continue;
      }
      if (!kept_.empty() && index != smallest && used_up(budget_, front_.simulated)) {
        ++front_.skipped;
        continue;
      }
      const std::string text = memo_.empty() && !watch_.simulated
                                   ? std::string()
                                   : plan::layer_text(registry_, task_.context, o.entry.choice);
      const auto known = memo_.find(text);
      if (known != memo_.end() && recall(o, known->second, [&] { queue.emplace(o.bound[kTicks], o.size, index); }))
        continue;
      const auto program = layer_program(task_, o.geometry);
      const auto job = sim::whole_program(program, device());
      if (!o.lowered) {
        o.lowered = true;
        const auto bound = cost_bound(program, job.binding, timing_, reached(o));
        ensure(bound[kTicks] >= o.bound[kTicks], "the quick bound lies above the lowered one");
        const bool later = bound[kTicks] > o.bound[kTicks];
        o.bound = bound;
        if (later || dominated(o)) {
          queue.emplace(bound[kTicks], o.size, index);
          continue;
        }
      }
      simulate(o, job, text);
    }
  }

  /// Takes what an earlier run found, in the order in which a search without it goes: else a budget would end
  /// elsewhere.
  /// @returns whether that is all there is to do now.
  template <class Again>
  bool recall(Option& o, const Candidate& known, const Again& again) {
    if (known.status == CandidateStatus::crashed || known.status == CandidateStatus::hung) {
      ++front_.lost;
      return true;
    }
    if (known.status != CandidateStatus::simulated) return false;
    if (!o.lowered) {
      o.lowered = true;
      const bool later = known.bound > o.bound[kTicks];
      o.bound = bound_of(known);
      if (later || dominated(o)) return again(), true;
    }
    keep(o, known.costs);
    return true;
  }

  void simulate(Option& o, const program::Job& job, const std::string& text) {
    if (watch_.begin) watch_.begin(o.number, text);
    const auto result = sim::Platform::instance().run({job}, {.data = false, .accounts = false, .trace = false});
    ensure(!result.failure, "a layer's program failed: " + (result.failure ? result.failure->what : ""));
    const auto costs = costs_of(result, device());
    for (int c = 0; c < kCosts; ++c) ensure(costs[c] >= o.bound[c], "a bound lies above the simulation");
    keep(o, costs);
    if (!watch_.simulated) return;
    Candidate c;
    c.assignment = text, c.status = CandidateStatus::simulated;
    c.costs = costs, c.bound = o.bound[kTicks], c.memory = o.size;
    watch_.simulated(c);
  }

  void keep(Option& o, const Costs& costs) {
    ++front_.simulated;
    o.settled = true;
    o.entry.costs = costs;
    kept_.push_back(o.entry);
    const auto beats = [&](const LayerEntry& a, const LayerEntry& b) {
      return no_costlier(a.costs, b.costs, goal_) && no_larger(a, b, device());
    };
    if (std::any_of(best_.begin(), best_.end(), [&](const LayerEntry& k) { return beats(k, o.entry); })) return;
    best_.erase(std::remove_if(best_.begin(), best_.end(), [&](const LayerEntry& k) { return beats(o.entry, k); }),
                best_.end());
    best_.push_back(o.entry);
  }

  const LayerTask& task_;
  const plan::ChoiceRegistry& registry_;
  const Goal& goal_;
  const LayerBudget& budget_;
  const LayerMemo& memo_;
  const LayerWatch& watch_;
  hw::DeviceTiming timing_;
  std::vector<Option> options_;
  std::vector<LayerEntry> kept_;  // all simulated ones
  std::vector<LayerEntry> best_;  // of those the ones that no other beats: what beats a candidate is among them
  std::map<CandidateStatus, int> told_;
  LayerFront front_;
};

}  // namespace

program::Program layer_program(const LayerTask& task, const plan::LayerGeometry& geometry) {
  const auto& device = *task.context.device;
  program::Program p;
  p.queues = plan::device_queues(device);
  for (const auto& m : device.memories) p.arenas.push_back({m.name, m.size, m.alignment});
  p.constants_arena = device.constants;
  p.section({task.context.network->operators[task.op].name, task.op, 0});
  plan::LayerOffsets offsets;
  offsets.buffers.assign(geometry.buffers.size(), 0);
  offsets.inputs.resize(geometry.inputs.size());
  const auto& op = task.context.network->operators[task.op];
  offsets.further_outputs.resize(op.outputs.size() - 1);
  for (const int t : plan::variables(*task.context.network, op)) offsets.states[t] = 0;
  for (const int t : task.streamed) {
    const auto& network = *task.context.network;
    plan::emit_input(p, network, device, t, device.input_from, 0, device.io, 0);
  }
  if (!task.streamed.empty()) p.wait();
  plan::emit_layer(p, task.context, geometry, offsets);
  return p;
}

LayerFront search_layer(const LayerTask& task, const plan::ChoiceRegistry& registry,
                        const std::map<std::string, std::vector<std::string>>& further, const Goal& goal,
                        const LayerBudget& budget, const LayerMemo& memo, const LayerWatch& watch) {
  return Search(task, registry, goal, budget, memo, watch).run(further);
}

}  // namespace dse::explore
