#include "explore/layer/layer_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <queue>
#include <tuple>

#include "explore/layer/bound.h"
#include "explore/layer/calls.h"
#include "explore/layer/quick_bound.h"
#include "explore/layer/reached.h"
#include "plan/choices/assignment.h"
#include "plan/network/layers.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

/// Of an assignment with the copy for the next layer.
constexpr const char* kFetchesText = " next=fetched";

/// A schedule on its way through the search. There are many: its geometry is derived again where it is needed.
struct Option {
  LayerEntry entry;
  Costs bound{};
  bool lowered = false;     // `bound` is that of the lowered program
  std::int64_t size = 0;    // on-chip bytes, for the order among equal bounds
  std::int64_t number = 0;  // in enumerate()'s order
  bool prefetched = false;  // its filters come while the layer before runs
  bool settled = false;
  bool simulated = false;
  bool first = false;  // simulated before the others are looked at
};

/// What cost_bound() said of a candidate that was simulated: all but the ticks that it was held up.
Costs bound_of(const Candidate& known, const Costs& per_tick) {
  Costs bound = known.costs;
  add_ticks(bound, known.bound - known.costs[kTicks], per_tick);
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
      : task_(task),
        registry_(registry),
        goal_(goal),
        budget_(budget),
        memo_(memo),
        watch_(watch),
        best_(goal, *task.context.device) {
    // The platform keeps the device after this call, and knows devices by address.
    const auto shared = std::make_shared<const hw::Device>(*task.context.device);
    timing_ = hw::DeviceTiming(shared);
    per_tick_ = costs_per_tick(timing_.energy());
    sim::Platform::instance().configure(shared);
  }

  LayerFront run(const std::map<std::string, std::vector<std::string>>& further) {
    collect(further);
    if (options_.empty() && front_.reason.empty()) front_.reason = why_none(task_, registry_);
    settle();
    std::vector<LayerEntry> open;
    const auto leave_open = [&] {
      for (const auto& o : options_)
        if (!o.settled) open.push_back(o.entry), open.back().costs = o.bound;
    };
    leave_open();
    if (task_.next.bytes > 0) {
      fetch_as_well();
      settle();
      leave_open();
    }
    front_.entries = undominated(std::move(kept_), goal_, device());
    front_.open = undominated(std::move(open), goal_, device());
    return std::move(front_);
  }

 private:
  const hw::Device& device() const { return *task_.context.device; }

  plan::LayerGeometry geometry_of(const Option& o) const { return plan::layer_geometry(task_.context, o.entry.choice); }

  std::string text_of(const Option& o) const {
    return plan::layer_text(registry_, task_.context, o.entry.choice) + (o.entry.fetches ? kFetchesText : "");
  }

  void tell(const Option& o, CandidateStatus status, const std::string& reason = {}) {
    if (!watch_.settled_otherwise || ++told_[status] > kTold) return;
    Candidate c;
    c.assignment = text_of(o);
    c.status = status, c.reason = reason;
    if (!o.entry.local.empty()) c.memory = o.size;
    if (status == CandidateStatus::dominated) c.bound = o.bound[kTicks];
    watch_.settled_otherwise(c);
  }

  /// Feasible schedules inside the space, with a quick bound.
  void collect(const std::map<std::string, std::vector<std::string>>& further) {
    std::int64_t number = -1;
    CallsLookedAt looked_at(task_.max_calls);
    std::vector<Option> beyond;  // of more calls than are usual
    each_choice(task_, registry_, further, [&](const plan::LayerChoice& choice) {
      Option o;
      o.number = ++number;
      o.entry.choice = choice;
      const auto geometry = geometry_of(o);
      const auto why = needs(o, geometry);
      if (why.empty()) looked_at.add(calls_of(geometry), fit_of(task_, goal_, o.entry));
      if (geometry.feasible && calls_of(geometry) > task_.max_calls)
        beyond.push_back(std::move(o));
      else
        decide(std::move(o), geometry, why);
    });
    if (number < 0) front_.reason = why_none(task_, registry_);
    for (auto& o : beyond) {
      const auto geometry = geometry_of(o);
      if (calls_of(geometry) <= looked_at.most()) {
        const auto why = needs(o, geometry);
        decide(std::move(o), geometry, why);
      } else {
        ++front_.outside;
        tell(o, CandidateStatus::outside);
      }
    }
  }

  /// Notes the bytes of its own buffers. @returns why it cannot be; empty: it fits.
  std::string needs(Option& o, const plan::LayerGeometry& geometry) const {
    if (!geometry.feasible) return geometry.reason;
    std::string why;
    o.entry.local.clear(), o.size = 0;
    o.entry.local.reserve(device().memories.size());
    for (std::size_t m = 0; m < device().memories.size(); ++m) {
      const auto& memory = device().memories[m];
      const auto bytes = geometry.local_bytes(static_cast<int>(m), memory.alignment);
      o.entry.local.push_back(bytes);
      if (memory.on_chip) o.size += bytes;
      if (bytes > memory.free())
        why = fmt::format("{} has {} bytes free, the layer's own buffers need {}", memory.name, memory.free(), bytes);
    }
    return why;
  }

  void decide(Option o, const plan::LayerGeometry& geometry, const std::string& why) {
    if (!why.empty()) {
      ++front_.infeasible;
      front_.reason = why;
      tell(o, CandidateStatus::infeasible, why);
      return;
    }
    o.prefetched = geometry.prefetched;
    ++(o.prefetched ? front_.fetched : front_.own);
    o.entry.weight_bytes = geometry.weight_bytes;
    add_ticks(o.bound, bounds_.of(geometry), per_tick_);
    options_.push_back(std::move(o));
  }

  /// All schedules once more, with the copy for the next layer. It may not make them faster: what they take without it,
  /// as far as transfers do not wait for each other, is a bound. Those that were best are likely to be so again.
  void fetch_as_well() {
    for (auto& o : options_) {
      auto less = o.entry.costs;
      --less[kTicks];
      o.first = o.simulated && !best_.covers(o.entry, less);
      o.entry.fetches = true, o.settled = o.lowered = false;
      const auto ticks = std::max(o.bound[kTicks], bounds_.of(geometry_of(o), task_.next));
      o.bound = {};
      add_ticks(o.bound, ticks, per_tick_);
    }
    best_.clear();
    told_.clear();
  }

  bool dominated(const Option& o) const { return best_.covers(o.entry, o.bound); }

  void settle() {
    using Place = std::tuple<std::int64_t, std::int64_t, int>;  // bound, size, index: least first
    std::priority_queue<Place, std::vector<Place>, std::greater<>> queue;
    std::array<int, 2> smallest = {-1, -1};  // of those that fetch their own filters, and of the others
    for (std::size_t i = 0; i < options_.size(); ++i) {
      queue.emplace(options_[i].first ? 0 : options_[i].bound[kTicks], options_[i].size, static_cast<int>(i));
      auto& least = smallest[options_[i].prefetched];
      if (least < 0 || options_[i].size < options_[static_cast<std::size_t>(least)].size) least = static_cast<int>(i);
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
      if (!kept_.empty() && std::find(smallest.begin(), smallest.end(), index) == smallest.end() &&
          used_up(budget_, front_.simulated)) {
        ++front_.skipped;
        continue;
      }
      const std::string text = memo_.empty() && !watch_.simulated ? std::string() : text_of(o);
      const auto known = memo_.find(text);
      if (known != memo_.end() && recall(o, known->second, [&] { queue.emplace(o.bound[kTicks], o.size, index); }))
        continue;
      const auto program = layer_program(task_, geometry_of(o), o.entry.fetches);
      const auto job = sim::program_part(program, device());
      if (!o.lowered) {
        const auto bound = cost_bound(program, job.binding, timing_, best_.least_ticks(o.entry));
        ensure(bound[kTicks] >= o.bound[kTicks], "the quick bound lies above the lowered one");
        if (comes_later(o, bound)) {
          queue.emplace(bound[kTicks], o.size, index);
          continue;
        }
      }
      simulate(o, job, text);
    }
  }

  /// The bound of the lowered program is known. @returns whether the schedule has to wait for its turn at that.
  bool comes_later(Option& o, const Costs& bound) const {
    const bool later = bound[kTicks] > o.bound[kTicks] && !o.first;
    o.lowered = true, o.bound = bound;
    return later || dominated(o);
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
    if (!o.lowered && comes_later(o, bound_of(known, per_tick_))) return again(), true;
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
    o.settled = o.simulated = true;
    o.entry.costs = costs;
    kept_.push_back(o.entry);
    best_.add(o.entry);
  }

  const LayerTask& task_;
  const plan::ChoiceRegistry& registry_;
  const Goal& goal_;
  const LayerBudget& budget_;
  const LayerMemo& memo_;
  const LayerWatch& watch_;
  hw::DeviceTiming timing_;
  Costs per_tick_{};
  QuickBounds bounds_{timing_};
  std::deque<Option> options_;
  std::vector<LayerEntry> kept_;  // all simulated ones
  Reached best_;                  // by them, since the last change of what is fetched
  std::map<CandidateStatus, int> told_;
  LayerFront front_;
};

}  // namespace

LayerFront search_layer(const LayerTask& task, const plan::ChoiceRegistry& registry,
                        const std::map<std::string, std::vector<std::string>>& further, const Goal& goal,
                        const LayerBudget& budget, const LayerMemo& memo, const LayerWatch& watch) {
  return Search(task, registry, goal, budget, memo, watch).run(further);
}

}  // namespace dse::explore
