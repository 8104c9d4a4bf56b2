#include "explore/compose/label_solver.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/diagnostics.h"
#include "explore/compose/spread.h"
#include "explore/compose/unbeaten.h"

namespace dse::explore {
namespace {

/// With D label sums.
template <int D>
class Solver final : public LabelSolver {
 public:
  explicit Solver(const Problem& problem) : problem_(problem), graph_(*problem.graph) {
    for (const auto& options : graph_.options) {
      auto& all = options_.emplace_back();
      for (const auto& o : options) all.push_back({sums_of(o), o.local, static_cast<int>(all.size())});
      // Sums in ascending order: what beats an option stands before it.
      std::stable_sort(all.begin(), all.end(), [](const Option& a, const Option& b) { return a.sums < b.sums; });
    }
    for (const auto& section : graph_.sections) fitting_.emplace_back(section.size());
    layers_.resize(graph_.sections.size() + 1);
  }

  bool solve(const MemoryVector& low, const MemoryVector& cap, const Incumbents& incumbents) override {
    found_.clear(), fit(cap);
    find_tails();
    set_bases(low);
    layers_[0].labels.assign(1, {});
    layers_[0].begin = {0, 1};
    if (!open(Sums{}, 0, 0, incumbents)) return true;
    for (std::size_t s = 0; s < fitting_.size(); ++s) {
      if (problem_.stop && problem_.stop()) return false;
      step(s, incumbents);
      labels_ += static_cast<std::int64_t>(layers_[s + 1].labels.size());
      if (layers_[s + 1].labels.empty()) return true;
    }
    for (const auto& l : layers_.back().labels)
      found_.push_back({std::vector<std::int64_t>(l.sums.begin(), l.sums.end()), l.peak});
    return true;
  }

  std::vector<Pick> picks(std::size_t index) const override {
    std::vector<Pick> out(fitting_.size());
    auto i = static_cast<int>(index);
    for (auto s = fitting_.size(); s-- > 0;) {
      const auto& l = layers_[s + 1].labels[i];
      out[s] = {l.edge, option(s, l.edge, l.option).entry};
      i = l.previous;
    }
    return out;
  }

 private:
  static constexpr int kMaxObjectives = 8;
  using Sums = std::array<std::int64_t, D>;
  struct Option {
    Sums sums{};
    MemoryVector local{};
    int entry = 0;  // of the graph's list
  };
  struct Step {
    Sums sums{};
    int previous = -1, edge = -1, option = -1;
    bool operator<(const Step& o) const {
      for (int d = 0; d < D; ++d)
        if (sums[d] != o.sums[d]) return sums[d] < o.sums[d];
      return std::tie(edge, option, previous) < std::tie(o.edge, o.option, o.previous);
    }
  };
  struct Label : Step {
    MemoryVector peak{};
  };
  struct Layer {
    std::vector<Label> labels;  // by state
    std::vector<int> begin;     // first label of each state, and the end
  };
  struct Form {
    std::int64_t base = 0, limit = 0;
    Sums counts{};  // 1: this sum is part of it
  };

  Sums sums_of(const SectionOption& o) const {
    Sums v{};
    for (int d = 0; d < D; ++d) {
      const auto& sum = problem_.sums[d];
      v[d] = sum.cost >= 0 ? o.costs[sum.cost] : o.resident[sum.memory];
    }
    return v;
  }

  const Option& option(std::size_t s, int edge, int number) const {
    return options_[static_cast<std::size_t>(graph_.sections[s][edge].options)][number];
  }

  /// Chooses the options under the caps, and from them the least that every sum still grows by from each state.
  void fit(const MemoryVector& cap) {
    const auto memories = graph_.memories.size();
    rest_.resize(fitting_.size() + 1);
    reaches_.resize(fitting_.size() + 1);
    rest_.back().assign(graph_.states.back(), Sums{});
    reaches_.back().assign(graph_.states.back(), true);
    for (auto s = fitting_.size(); s-- > 0;) {
      Sums none;
      none.fill(kUnlimited);
      rest_[s].assign(graph_.states[s], none);
      reaches_[s].assign(graph_.states[s], false);
      for (std::size_t k = 0; k < fitting_[s].size(); ++k) {
        auto& fitting = fitting_[s][k];
        const auto& ends = graph_.sections[s][k];
        const auto& all = options_[static_cast<std::size_t>(ends.options)];
        fitting.clear();
        if (!reaches_[s + 1][ends.to]) continue;
        for (std::size_t i = 0; i < all.size(); ++i) {
          bool fits = true;
          for (std::size_t m = 0; m < memories; ++m) fits &= ends.live[m] + all[i].local[m] <= cap[m];
          if (fits &&
              std::none_of(fitting.begin(), fitting.end(), [&](int f) { return no_more<D>(all[f].sums, all[i].sums); }))
            fitting.push_back(static_cast<int>(i));
        }
        for (const int i : fitting) {
          reaches_[s][ends.from] = true;
          for (int d = 0; d < D; ++d)
            rest_[s][ends.from][d] = std::min(rest_[s][ends.from][d], all[i].sums[d] + rest_[s + 1][ends.to][d]);
        }
      }
    }
  }

  /// The sums of all ways from each state to the end, as the least values of groups of them.
  void find_tails() {
    if (problem_.tails < 2) return;
    tails_.resize(fitting_.size() + 1);
    tails_.back().assign(graph_.states.back(), {Sums{}});
    std::vector<std::vector<int>> leaving;  // edges, per state
    for (auto s = fitting_.size(); s-- > 0;) {
      tails_[s].assign(graph_.states[s], {});
      leaving.assign(graph_.states[s], {});
      for (std::size_t k = 0; k < fitting_[s].size(); ++k)
        leaving[graph_.sections[s][k].from].push_back(static_cast<int>(k));
      for (int state = 0; state < graph_.states[s]; ++state) {
        candidates_.clear();
        for (const int k : leaving[state])
          for (const int i : fitting_[s][k])
            for (const auto& tail : tails_[s + 1][graph_.sections[s][k].to]) {
              auto& step = candidates_.emplace_back();
              for (int d = 0; d < D; ++d) step.sums[d] = tail[d] + option(s, k, i).sums[d];
            }
        steps_ += static_cast<std::int64_t>(candidates_.size());
        std::vector<Step> kept;
        unbeaten_.each(candidates_, [&](const Step& step) { kept.push_back(step); });
        if (kept.empty()) continue;
        spread<D>(kept.begin(), kept.end(), std::min(problem_.tails, kept.size()), [&](auto from, auto to) {
          Sums least = from->sums;
          for (auto it = from; it != to; ++it)
            for (int d = 0; d < D; ++d) least[d] = std::min(least[d], it->sums[d]);
          tails_[s][state].push_back(least);
        });
      }
    }
  }

  void set_bases(const MemoryVector& low) {
    objectives_.clear(), limits_.clear();
    const auto add = [&](const LinearForm& from, std::vector<Form>& to) {
      Form& form = to.emplace_back();
      form.limit = from.limit;
      for (const int m : from.peaks) form.base += low[m];
      for (const int d : from.sums) form.counts[d] += 1;
    };
    for (const auto& f : problem_.objectives) add(f, objectives_);
    for (const auto& f : problem_.limits) add(f, limits_);
  }

  /// Whether what starts with these sums at this state can end within the limits and unbeaten.
  bool open(const Sums& sums, std::size_t section, int state, const Incumbents& incumbents) {
    if (!reaches_[section][state] || !ends_open(sums, rest_[section][state], incumbents)) return false;
    if (problem_.tails < 2) return true;
    auto& tails = tails_[section][state];
    for (std::size_t i = 0; i < tails.size(); ++i)
      if (ends_open(sums, tails[i], incumbents)) {
        if (i > 0) std::swap(tails[i], tails[i / 2]);  // what helps one label often helps the next
        return true;
      }
    return false;
  }
  bool ends_open(const Sums& sums, const Sums& rest, const Incumbents& incumbents) const {
    const auto value = [&](const Form& f) {
      auto v = f.base;
      for (int d = 0; d < D; ++d) v += f.counts[d] * (sums[d] + rest[d]);
      return v;
    };
    for (const auto& f : limits_)
      if (value(f) > f.limit) return false;
    std::array<std::int64_t, kMaxObjectives> values{};
    for (std::size_t j = 0; j < objectives_.size(); ++j) values[j] = value(objectives_[j]);
    return !incumbents.surely_beaten(values.data());
  }

  void step(std::size_t s, const Incumbents& incumbents) {
    const auto& from = layers_[s];
    auto& to = layers_[s + 1];
    to.labels.clear();
    to.begin.assign(1, 0);
    std::size_t k = 0;
    for (int state = 0; state < graph_.states[s + 1]; ++state) {
      unbeaten_.clear();
      for (; k < fitting_[s].size() && graph_.sections[s][k].to == state; ++k) {
        const int source = graph_.sections[s][k].from, first = from.begin[source], end = from.begin[source + 1];
        for (const int number : fitting_[s][k]) {
          const auto& o = option(s, static_cast<int>(k), number);
          candidates_.clear(), steps_ += end - first;
          for (int i = first; i < end; ++i) {
            Step l;
            for (int d = 0; d < D; ++d) l.sums[d] = from.labels[i].sums[d] + o.sums[d];
            if (!open(l.sums, s + 1, state, incumbents)) continue;
            l.previous = i, l.edge = static_cast<int>(k), l.option = number;
            candidates_.push_back(l);
          }
          unbeaten_.add(candidates_);
        }
      }
      thin(s, to.labels);
      to.begin.push_back(static_cast<int>(to.labels.size()));
    }
  }

  /// Appends what was gathered, as far as no other beats it, to the labels after section `s`.
  void thin(std::size_t s, std::vector<Label>& out) {
    const auto first = out.size();
    unbeaten_.each([&](const Step& step) {
      auto& l = out.emplace_back();
      static_cast<Step&>(l) = step;
      const auto& local = option(s, l.edge, l.option).local;
      const auto& live = graph_.sections[s][l.edge].live;
      l.peak = layers_[s].labels[l.previous].peak;
      for (std::size_t m = 0; m < graph_.memories.size(); ++m) l.peak[m] = std::max(l.peak[m], live[m] + local[m]);
    });
    if (out.size() - first <= problem_.max_labels) return;
    cut_ = true;
    // One label stays of each group of neighbours: merged, with the least of their sums and peaks, which is no worse
    // than any of them.
    std::vector<Label> kept;
    spread<D>(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), problem_.max_labels,
              [&](auto from, auto to) {
                Label l = *std::min_element(from, to);
                for (auto it = from; it != to && problem_.merge; ++it) {
                  for (int d = 0; d < D; ++d) l.sums[d] = std::min(l.sums[d], it->sums[d]);
                  for (int m = 0; m < kMaxCaps; ++m) l.peak[m] = std::min(l.peak[m], it->peak[m]);
                }
                kept.push_back(l);
              });
    std::sort(kept.begin(), kept.end());
    out.resize(first);
    out.insert(out.end(), kept.begin(), kept.end());
  }

  const Problem& problem_;
  const SectionGraph& graph_;
  std::vector<std::vector<Option>> options_;            // as in the graph
  std::vector<std::vector<std::vector<int>>> fitting_;  // per section and edge: under the caps in hand, none beaten by
                                                        // another; indices into its options
  std::vector<std::vector<Sums>> rest_;                 // per section and state
  std::vector<std::vector<char>> reaches_;
  std::vector<std::vector<std::vector<Sums>>> tails_;
  std::vector<Form> objectives_, limits_;
  std::vector<Layer> layers_;
  std::vector<Step> candidates_;
  Unbeaten<D, Step> unbeaten_;
};

}  // namespace

std::unique_ptr<LabelSolver> LabelSolver::make(const Problem& problem) {
  switch (problem.sums.size()) {
    case 1:
      return std::make_unique<Solver<1>>(problem);
    case 2:
      return std::make_unique<Solver<2>>(problem);
    case 3:
      return std::make_unique<Solver<3>>(problem);
    case 4:
      return std::make_unique<Solver<4>>(problem);
    case 5:
      return std::make_unique<Solver<5>>(problem);
    case 6:
      return std::make_unique<Solver<6>>(problem);
    case 7:
      return std::make_unique<Solver<7>>(problem);
    default:
      throw InvariantError("a composition adds up one to seven sums");
  }
}

}  // namespace dse::explore
