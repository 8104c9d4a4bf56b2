#include "explore/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace dse::explore {
namespace {

constexpr int kMaxCaps = 4;                // on-chip memories
constexpr std::size_t kMaxLabels = 20000;  // per state; beyond it the result is no longer certified
constexpr std::int64_t kInfinite = std::numeric_limits<std::int64_t>::max() / 4;
using Vector = std::array<std::int64_t, kMaxCaps>;

/// One way from a state before a section to a state after it.
struct Edge {
  int from, to;
  Vector live;  // bytes of tensors alive in the section, per on-chip memory
  int task;     // index of the layer search
  // For the caps being solved: the fastest entry per place and size of the resident filters.
  struct Option {
    int entry;
    std::int64_t ticks;
    Vector resident;
  };
  std::vector<Option> options;
};

struct Label {
  Vector resident{};
  std::int64_t total = 0;  // sum of resident
  std::int64_t ticks = 0;
  int previous = -1;  // label index in the section before
  int edge = -1, option = -1;
  int state = 0;
};

class Composer {
 public:
  Composer(const Space& space, const std::vector<LayerFront>& layers, const std::vector<std::int64_t>& limits,
           const std::atomic<bool>* interrupted)
      : space_(space), layers_(layers), limits_(limits), device_(*space.device), interrupted_(interrupted) {
    for (int m = 0; m < static_cast<int>(device_.memories.size()); ++m)
      if (device_.memories[m].on_chip) memories_.push_back(m);
    ensure(memories_.size() <= kMaxCaps, "more on-chip memories than the composition has caps for");
  }

  CompositionFront run() {
    if (!build_states()) return std::move(result_);
    collect_caps();
    solve_boxes();
    for (auto& [memory, found] : incumbents_) result_.points.push_back(std::move(found));
    if (result_.points.empty() && result_.infeasible_reason.empty())
      result_.infeasible_reason = "no combination of the layers' schedules fits the on-chip memories";
    return std::move(result_);
  }

 private:
  // A state: the home of every tensor that is alive across a section boundary.
  using State = std::vector<std::pair<int, plan::Home>>;

  bool build_states() {
    const auto& n = *space_.network;
    if (!space_.infeasible.empty()) return result_.infeasible_reason = space_.infeasible, false;
    State start;
    for (std::size_t t = 0; t < space_.homes.size(); ++t)
      if (space_.first[t] == 0 && n.producer(static_cast<int>(t)) < 0 && !space_.homes[t].empty())
        start.push_back({static_cast<int>(t), space_.homes[t][0]});
    std::int64_t kept = 0;  // variables: alive in every section
    for (const auto& t : n.tensors)
      if (t.kind == nn::TensorKind::variable) kept += round_up(t.bytes(), device_.memories[device_.io].alignment);
    std::vector<State> states = {start};
    edges_.resize(space_.layers.size());
    counts_.push_back(1);
    for (std::size_t s = 0; s < space_.layers.size(); ++s) {
      const int op = space_.layers[s];
      const auto inputs = plan::activations(n, n.operators[op]);
      const int out = space_.root[n.operators[op].outputs[0]];
      std::vector<State> next;
      std::map<std::string, int> index;
      for (std::size_t i = 0; i < states.size(); ++i) {
        plan::LayerContext context;
        context.network = &n, context.device = &device_, context.op = op;
        context.input_count = static_cast<int>(inputs.size());
        context.inputs.assign(std::max<std::size_t>(2, inputs.size()), plan::Home{});
        for (int k = 0; k < context.input_count; ++k)
          for (const auto& [t, home] : states[i])
            if (t == space_.root[inputs[k]]) context.inputs[k] = home;
        for (const auto& home : space_.output_homes(op)) {
          const int task = space_.task_of(static_cast<int>(s), context, home);
          if (task < 0 || layers_[task].entries.empty()) continue;
          Edge e;
          e.from = static_cast<int>(i);
          e.task = task;
          e.live = {};
          State after;
          auto account = [&](int t, const plan::Home& h) {
            for (std::size_t m = 0; m < memories_.size(); ++m)
              if (memories_[m] == h.memory)
                e.live[m] += round_up(n.tensors[t].bytes(), device_.memories[h.memory].alignment);
            if (space_.last[t] > static_cast<int>(s)) after.push_back({t, h});
          };
          for (const auto& [t, h] : states[i]) account(t, h);
          if (!space_.homes[out].empty()) account(out, home);
          for (std::size_t o = 1; o < n.operators[op].outputs.size(); ++o) {
            const int further = space_.root[n.operators[op].outputs[o]];
            account(further, space_.homes[further].front());
          }
          for (std::size_t m = 0; m < memories_.size(); ++m)
            if (memories_[m] == device_.io) e.live[m] += kept;
          const auto key = key_of(after);
          const auto [it, fresh] = index.emplace(key, static_cast<int>(next.size()));
          if (fresh) next.push_back(after);
          e.to = it->second;
          edges_[s].push_back(std::move(e));
        }
      }
      if (next.empty()) {
        std::string why;
        for (const auto& task : space_.tasks)
          if (task.op == op && !layers_[&task - space_.tasks.data()].reason.empty())
            why = layers_[&task - space_.tasks.data()].reason;
        for (std::size_t k = 0; k < space_.tasks.size() && why.empty(); ++k) why = layers_[k].reason;
        result_.infeasible_reason = fmt::format("layer {} fits in no schedule: {}", n.operators[op].name, why);
        return false;
      }
      states = std::move(next);
      counts_.push_back(static_cast<int>(states.size()));
    }
    return true;
  }
  static std::string key_of(const State& state) {
    std::string k;
    for (const auto& [t, h] : state)
      k += fmt::format("{}:{}{},", t, h.memory, h.layout == plan::TensorLayout::hwc ? 'h' : 'c');
    return k;
  }

  /// Every value that a section's need of a memory can take, within what the memory has.
  void collect_caps() {
    caps_.resize(memories_.size());
    for (std::size_t m = 0; m < memories_.size(); ++m) {
      auto& values = caps_[m];
      std::int64_t least = 0;  // below this no plan fits
      for (std::size_t s = 0; s < edges_.size(); ++s) {
        std::int64_t lowest = kInfinite;
        for (const auto& e : edges_[s])
          for (const auto& entry : layers_[e.task].entries)
            lowest = std::min(lowest, e.live[m] + entry.local[memories_[m]]);
        least = std::max(least, lowest);
        if (lowest > limits_[memories_[m]] && result_.infeasible_reason.empty())
          result_.infeasible_reason = fmt::format(
              "{}: layer {} needs at least {} bytes of {} free (tensors that live there and the least buffers of any "
              "schedule)",
              device_.memories[memories_[m]].name, space_.network->operators[space_.layers[s]].name, lowest,
              limits_[memories_[m]]);
      }
      for (const auto& section : edges_)
        for (const auto& e : section)
          for (const auto& entry : layers_[e.task].entries) {
            const auto need = e.live[m] + entry.local[memories_[m]];
            if (need >= least && need <= limits_[memories_[m]]) values.push_back(need);
          }
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
    }
  }

  struct Box {
    std::array<int, kMaxCaps> lo, hi;
  };

  void solve_boxes() {
    for (const auto& values : caps_)
      if (values.empty()) return;
    Box all{};
    for (std::size_t m = 0; m < caps_.size(); ++m) all.hi[m] = static_cast<int>(caps_[m].size()) - 1;
    prepare_suffix();
    std::vector<Box> stack = {all};
    // Breadth first: coarse boxes give points that prune the fine ones.
    for (std::size_t head = 0; head < stack.size(); ++head) {
      if (interrupted_ && interrupted_->load()) {
        result_.exact = false;
        return;
      }
      const Box box = stack[head];
      ++result_.boxes;
      if (!promising(box)) continue;
      int widest = -1, width = 0;
      for (std::size_t m = 0; m < caps_.size(); ++m)
        if (box.hi[m] - box.lo[m] > width) width = box.hi[m] - box.lo[m], widest = static_cast<int>(m);
      if (widest < 0) continue;
      Box low = box, high = box;
      low.hi[widest] = box.lo[widest] + width / 2;
      high.lo[widest] = low.hi[widest] + 1;
      stack.push_back(low);
      stack.push_back(high);
    }
  }

  /// Best ticks to the end from each state, with no caps: what a label still needs at least.
  void prepare_suffix() {
    suffix_.assign(edges_.size() + 1, {});
    suffix_.back().assign(counts_.back(), 0);
    for (int s = static_cast<int>(edges_.size()) - 1; s >= 0; --s) {
      suffix_[s].assign(counts_[s], kInfinite);
      for (const auto& e : edges_[s]) {
        const auto best = layers_[e.task].entries.front().ticks;
        if (suffix_[s + 1][e.to] < kInfinite)
          suffix_[s][e.from] = std::min(suffix_[s][e.from], best + suffix_[s + 1][e.to]);
      }
    }
  }

  bool beaten(std::int64_t memory, std::int64_t ticks) const {
    auto it = incumbents_.upper_bound(memory);  // the one with the most memory <= this is the fastest of those
    return it != incumbents_.begin() && std::prev(it)->second.ticks <= ticks;
  }

  /// Solves the box at its upper corner. @returns whether some point of it, at the lower corner's memory, is not yet
  /// beaten.
  bool promising(const Box& box) {
    Vector cap{};
    std::int64_t low = 0;
    for (std::size_t m = 0; m < caps_.size(); ++m) cap[m] = caps_[m][box.hi[m]], low += caps_[m][box.lo[m]];
    std::vector<std::vector<Label>> labels(edges_.size() + 1);
    labels[0].push_back({});
    std::vector<std::pair<int, int>> range;  // of labels per state
    bool open = false;
    for (std::size_t s = 0; s < edges_.size(); ++s) {
      auto& from = labels[s];
      std::vector<std::vector<int>> by_state(counts_[s]);
      for (std::size_t i = 0; i < from.size(); ++i) by_state[from[i].state].push_back(static_cast<int>(i));
      std::vector<std::vector<Label>> to(counts_[s + 1]);
      for (std::size_t k = 0; k < edges_[s].size(); ++k) {
        auto& e = edges_[s][k];
        if (by_state[e.from].empty()) continue;
        choose_options(e, cap);
        for (std::size_t o = 0; o < e.options.size(); ++o)
          for (int i : by_state[e.from]) {
            Label l = from[i];
            const auto& option = e.options[o];
            bool fits = true;
            for (std::size_t m = 0; m < memories_.size(); ++m) {
              l.resident[m] += option.resident[m];
              l.total += option.resident[m];
              fits &= l.resident[m] == 0 || cap_floor(box, m) + l.resident[m] <= limits_[memories_[m]];
            }
            if (!fits) continue;
            l.ticks += option.ticks;
            if (suffix_[s + 1][e.to] >= kInfinite || beaten(low + l.total, l.ticks + suffix_[s + 1][e.to])) continue;
            l.previous = i, l.edge = static_cast<int>(k), l.option = static_cast<int>(o), l.state = e.to;
            to[e.to].push_back(l);
          }
      }
      for (auto& list : to) {
        thin(list);
        for (auto& l : list) labels[s + 1].push_back(l);
      }
      result_.labels += static_cast<std::int64_t>(labels[s + 1].size());
      if (labels[s + 1].empty()) return false;
    }
    for (std::size_t i = 0; i < labels.back().size(); ++i) {
      if (!beaten(low + labels.back()[i].total, labels.back()[i].ticks)) open = true;
      accept(labels, static_cast<int>(i));
    }
    return open;
  }
  std::int64_t cap_floor(const Box& box, std::size_t m) const { return caps_[m][box.lo[m]]; }

  void choose_options(Edge& e, const Vector& cap) const {
    e.options.clear();
    const auto& entries = layers_[e.task].entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {  // by ticks: those before are at least as fast
      bool fits = true;
      for (std::size_t m = 0; m < memories_.size(); ++m) fits &= e.live[m] + entries[i].local[memories_[m]] <= cap[m];
      if (!fits) continue;
      const int place = entries[i].choice.weights_memory;
      Edge::Option o{static_cast<int>(i), entries[i].ticks, {}};
      for (std::size_t m = 0; m < memories_.size(); ++m)
        if (memories_[m] == place) o.resident[m] = round_up(entries[i].weight_bytes, device_.memories[place].alignment);
      // Forms of the filters differ in size: a slower schedule may keep less.
      const bool useful = std::none_of(e.options.begin(), e.options.end(), [&](const Edge::Option& other) {
        for (std::size_t m = 0; m < memories_.size(); ++m)
          if (other.resident[m] > o.resident[m]) return false;
        return true;
      });
      if (useful) e.options.push_back(o);
    }
  }

  /// Keeps the labels that no other of the same state beats in ticks and every resident sum.
  void thin(std::vector<Label>& list) {
    std::stable_sort(list.begin(), list.end(), [](const Label& a, const Label& b) {
      return a.ticks != b.ticks ? a.ticks < b.ticks : a.total < b.total;
    });
    std::vector<Label> kept;
    if (memories_.size() <=
        2) {  // a staircase in the two resident sums of those so far, which are all at least as fast
      std::map<std::int64_t, std::int64_t> stairs;  // resident[0] -> least resident[1] with at most that
      for (const auto& l : list) {
        auto it = stairs.upper_bound(l.resident[0]);
        if (it != stairs.begin() && std::prev(it)->second <= l.resident[1]) continue;
        auto after = stairs.lower_bound(l.resident[0]);
        while (after != stairs.end() && after->second >= l.resident[1]) after = stairs.erase(after);
        stairs[l.resident[0]] = l.resident[1];
        kept.push_back(l);
      }
    } else {
      for (const auto& l : list) {
        const bool beaten = std::any_of(kept.begin(), kept.end(), [&](const Label& k) {
          for (std::size_t m = 0; m < memories_.size(); ++m)
            if (k.resident[m] > l.resident[m]) return false;
          return true;
        });
        if (!beaten) kept.push_back(l);
      }
    }
    if (kept.size() > kMaxLabels) {
      kept.resize(kMaxLabels);
      result_.exact = false;
    }
    list.swap(kept);
  }

  /// Turns a finished label into a plan at its true memory and enters it among the incumbents.
  void accept(const std::vector<std::vector<Label>>& labels, int index) {
    Composition found;
    found.choices.resize(space_.network->operators.size());
    const auto& final = labels.back()[index];
    found.ticks = final.ticks;
    Vector peak{};
    std::vector<std::pair<int, int>> picks(edges_.size());  // edge, entry
    for (int s = static_cast<int>(edges_.size()) - 1, i = index; s >= 0; --s) {
      const auto& l = labels[s + 1][i];
      const auto& e = edges_[s][l.edge];
      const auto& entry = layers_[e.task].entries[e.options[l.option].entry];
      for (std::size_t m = 0; m < memories_.size(); ++m)
        peak[m] = std::max(peak[m], e.live[m] + entry.local[memories_[m]]);
      picks[s] = {l.edge, e.options[l.option].entry};
      i = l.previous;
    }
    for (std::size_t m = 0; m < memories_.size(); ++m) {
      const auto need = peak[m] + final.resident[m];
      if (need > limits_[memories_[m]]) return;
      found.memory += need;
    }
    if (beaten(found.memory, found.ticks)) return note_beaten(found.memory, found.ticks);
    for (std::size_t s = 0; s < edges_.size(); ++s) {
      const auto& e = edges_[s][picks[s].first];
      found.choices[space_.layers[s]] = layers_[e.task].entries[picks[s].second].choice;
    }
    auto it = incumbents_.lower_bound(found.memory);
    while (it != incumbents_.end() && it->second.ticks >= found.ticks) {
      note_beaten(it->first, it->second.ticks);
      it = incumbents_.erase(it);
    }
    incumbents_[found.memory] = std::move(found);
  }

  void note_beaten(std::int64_t memory, std::int64_t ticks) {
    if (result_.beaten.size() < 4000) result_.beaten.push_back({memory, ticks});
  }

  const Space& space_;
  const std::vector<LayerFront>& layers_;
  const std::vector<std::int64_t>& limits_;
  const hw::Device& device_;
  const std::atomic<bool>* interrupted_;
  std::vector<int> memories_;             // on-chip
  std::vector<std::vector<Edge>> edges_;  // per section
  std::vector<int> counts_;               // states before each section, and at the end
  std::vector<std::vector<std::int64_t>> caps_, suffix_;
  std::map<std::int64_t, Composition> incumbents_;  // by memory: a staircase
  CompositionFront result_;
};

}  // namespace

CompositionFront compose(const Space& space, const std::vector<LayerFront>& layers,
                         const std::vector<std::int64_t>& limits, const std::atomic<bool>* interrupted) {
  return Composer(space, layers, limits, interrupted).run();
}

}  // namespace dse::explore
