#include "explore/label_solver.h"

#include <algorithm>
#include <map>

#include "base/diagnostics.h"

namespace dse::explore {

std::int64_t value_of(const LinearForm& form, const MemoryVector& peaks, const std::vector<std::int64_t>& sums) {
  std::int64_t v = 0;
  for (const int m : form.peaks) v += peaks[m];
  for (const int d : form.sums) v += sums[d];
  return v;
}

namespace {

/// With D label sums.
template <int D>
class Solver final : public LabelSolver {
 public:
  explicit Solver(const Problem& problem) : problem_(problem), graph_(*problem.graph) {
    for (const auto& section : graph_.sections) {
      auto& list = edges_.emplace_back();
      for (const auto& e : section) {
        auto& edge = list.emplace_back();
        for (const auto& o : e.options) edge.all.push_back({sums_of(o), o.need, o.entry});
        // Sums in ascending order: what beats an option stands before it.
        std::stable_sort(edge.all.begin(), edge.all.end(),
                         [](const Option& a, const Option& b) { return a.sums < b.sums; });
      }
    }
    layers_.resize(graph_.sections.size() + 1);
  }

  bool solve(const MemoryVector& low, const MemoryVector& cap, const Incumbents& incumbents) override {
    found_.clear();
    fit(cap);
    set_bases(low);
    layers_[0].labels.assign(1, {});
    layers_[0].begin = {0, 1};
    std::array<std::int64_t, kMaxObjectives> bound{};
    if (!open(Sums{}, 0, 0, incumbents, bound)) return true;
    for (std::size_t s = 0; s < edges_.size(); ++s) {
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
    std::vector<Pick> out(edges_.size());
    auto i = static_cast<int>(index);
    for (auto s = edges_.size(); s-- > 0;) {
      const auto& l = layers_[s + 1].labels[i];
      out[s] = {l.edge, edges_[s][l.edge].all[l.option].entry};
      i = l.previous;
    }
    return out;
  }

 private:
  static constexpr int kMaxObjectives = 8;
  using Sums = std::array<std::int64_t, D>;
  struct Option {
    Sums sums{};
    MemoryVector need{};
    int entry = 0;
  };
  struct Edge {
    std::vector<Option> all;
    std::vector<int> fitting;  // under the caps in hand, none beaten by another; indices into `all`
  };
  struct Label {
    Sums sums{};
    int previous = -1, edge = -1, option = -1;
    MemoryVector peak{};
  };
  struct Layer {
    std::vector<Label> labels;  // by state
    std::vector<int> begin;     // first label of each state, and the end
  };
  struct Form {
    std::int64_t base = 0, limit = 0;
    std::vector<int> sums;
  };

  Sums sums_of(const SectionOption& o) const {
    Sums v{};
    for (int d = 0; d < D; ++d) {
      const auto& sum = problem_.sums[d];
      v[d] = sum.cost >= 0 ? o.costs[sum.cost] : o.resident[sum.memory];
    }
    return v;
  }
  static bool no_more(const Sums& a, const Sums& b) {
    for (int d = 0; d < D; ++d)
      if (a[d] > b[d]) return false;
    return true;
  }

  /// Chooses the options under the caps, and from them the least that every sum still grows by from each state.
  void fit(const MemoryVector& cap) {
    const auto memories = graph_.memories.size();
    rest_.resize(edges_.size() + 1);
    reaches_.resize(edges_.size() + 1);
    rest_.back().assign(graph_.states.back(), Sums{});
    reaches_.back().assign(graph_.states.back(), true);
    for (auto s = edges_.size(); s-- > 0;) {
      Sums none;
      none.fill(kUnlimited);
      rest_[s].assign(graph_.states[s], none);
      reaches_[s].assign(graph_.states[s], false);
      for (std::size_t k = 0; k < edges_[s].size(); ++k) {
        auto& e = edges_[s][k];
        const auto& ends = graph_.sections[s][k];
        e.fitting.clear();
        if (!reaches_[s + 1][ends.to]) continue;
        for (std::size_t i = 0; i < e.all.size(); ++i) {
          bool fits = true;
          for (std::size_t m = 0; m < memories; ++m) fits &= e.all[i].need[m] <= cap[m];
          if (fits && std::none_of(e.fitting.begin(), e.fitting.end(),
                                   [&](int f) { return no_more(e.all[f].sums, e.all[i].sums); }))
            e.fitting.push_back(static_cast<int>(i));
        }
        for (const int i : e.fitting) {
          reaches_[s][ends.from] = true;
          for (int d = 0; d < D; ++d)
            rest_[s][ends.from][d] = std::min(rest_[s][ends.from][d], e.all[i].sums[d] + rest_[s + 1][ends.to][d]);
        }
      }
    }
  }

  void set_bases(const MemoryVector& low) {
    const auto set = [&](const std::vector<LinearForm>& from, std::vector<Form>& to) {
      to.clear();
      for (const auto& f : from) {
        Form& form = to.emplace_back();
        for (const int m : f.peaks) form.base += low[m];
        form.limit = f.limit, form.sums = f.sums;
      }
    };
    set(problem_.objectives, objectives_);
    set(problem_.limits, limits_);
  }

  /// Whether what starts with these sums at this state can end within the limits and unbeaten. `values`: room for the
  /// objectives.
  bool open(const Sums& sums, std::size_t section, int state, const Incumbents& incumbents,
            std::array<std::int64_t, kMaxObjectives>& values) const {
    if (!reaches_[section][state]) return false;
    Sums least;
    for (int d = 0; d < D; ++d) least[d] = sums[d] + rest_[section][state][d];
    for (const auto& f : limits_) {
      auto v = f.base;
      for (const int d : f.sums) v += least[d];
      if (v > f.limit) return false;
    }
    for (std::size_t j = 0; j < objectives_.size(); ++j) {
      values[j] = objectives_[j].base;
      for (const int d : objectives_[j].sums) values[j] += least[d];
    }
    return !incumbents.surely_beaten(values.data());
  }

  void step(std::size_t s, const Incumbents& incumbents) {
    const auto& from = layers_[s];
    auto& to = layers_[s + 1];
    to.labels.clear();
    to.begin.assign(1, 0);
    std::array<std::int64_t, kMaxObjectives> values{};
    std::size_t k = 0;
    for (int state = 0; state < graph_.states[s + 1]; ++state) {
      candidates_.clear();
      for (; k < edges_[s].size() && graph_.sections[s][k].to == state; ++k) {
        const int source = graph_.sections[s][k].from;
        for (const int option : edges_[s][k].fitting) {
          const auto& o = edges_[s][k].all[option];
          for (int i = from.begin[source]; i < from.begin[source + 1]; ++i) {
            Label l;
            for (int d = 0; d < D; ++d) l.sums[d] = from.labels[i].sums[d] + o.sums[d];
            if (!open(l.sums, s + 1, state, incumbents, values)) continue;
            l.previous = i, l.edge = static_cast<int>(k), l.option = option;
            candidates_.push_back(l);
          }
        }
      }
      thin(s, to.labels);
      to.begin.push_back(static_cast<int>(to.labels.size()));
    }
  }

  /// Appends the candidates that no other beats.
  void thin(std::size_t s, std::vector<Label>& out) {
    std::sort(candidates_.begin(), candidates_.end(), [](const Label& a, const Label& b) {
      return a.sums != b.sums ? a.sums < b.sums
                              : std::tie(a.edge, a.option, a.previous) < std::tie(b.edge, b.option, b.previous);
    });
    const auto first = out.size();
    const auto keep = [&](const Label& l) {
      out.push_back(l);
      auto& peak = out.back().peak;
      const auto& need = edges_[s][l.edge].all[l.option].need;
      peak = layers_[s].labels[l.previous].peak;
      for (std::size_t m = 0; m < graph_.memories.size(); ++m) peak[m] = std::max(peak[m], need[m]);
    };
    if constexpr (D == 1) {
      if (!candidates_.empty()) keep(candidates_.front());
    } else if constexpr (D == 2) {
      for (const auto& l : candidates_)
        if (out.size() == first || l.sums[1] < out.back().sums[1]) keep(l);
    } else if constexpr (D == 3) {
      stairs_.clear();  // second sum -> least third sum with at most that; the first is no less than theirs
      for (const auto& l : candidates_) {
        auto it = stairs_.upper_bound(l.sums[1]);
        if (it != stairs_.begin() && std::prev(it)->second <= l.sums[2]) continue;
        auto after = stairs_.lower_bound(l.sums[1]);
        while (after != stairs_.end() && after->second >= l.sums[2]) after = stairs_.erase(after);
        stairs_[l.sums[1]] = l.sums[2];
        keep(l);
      }
    } else {
      for (const auto& l : candidates_)
        if (std::none_of(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                         [&](const Label& k) { return no_more(k.sums, l.sums); }))
          keep(l);
    }
    if (out.size() - first > problem_.max_labels) {
      cut_ = true;
      if (problem_.merge)
        merge(out, first);
      else
        out.resize(first + problem_.max_labels);
    }
  }

  /// Neighbours become one label with the least of their sums and peaks, which is no worse than any of them.
  void merge(std::vector<Label>& labels, std::size_t first) const {
    const auto count = labels.size() - first, room = problem_.max_labels;
    for (std::size_t r = 0; r < room; ++r) {
      const auto begin = first + r * count / room, end = first + (r + 1) * count / room;
      Label least = labels[begin];
      for (auto i = begin + 1; i < end; ++i) {
        for (int d = 0; d < D; ++d) least.sums[d] = std::min(least.sums[d], labels[i].sums[d]);
        for (int m = 0; m < kMaxCaps; ++m) least.peak[m] = std::min(least.peak[m], labels[i].peak[m]);
      }
      labels[first + r] = least;
    }
    labels.resize(first + room);
  }

  const Problem& problem_;
  const SectionGraph& graph_;
  std::vector<std::vector<Edge>> edges_;  // per section
  std::vector<std::vector<Sums>> rest_;   // per section and state
  std::vector<std::vector<char>> reaches_;
  std::vector<Form> objectives_, limits_;
  std::vector<Layer> layers_;
  std::vector<Label> candidates_;
  std::map<std::int64_t, std::int64_t> stairs_;
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
