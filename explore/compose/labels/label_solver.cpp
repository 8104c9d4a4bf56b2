#include "explore/compose/labels/label_solver.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/diagnostics.h"
#include "explore/compose/labels/label_ends.h"
#include "explore/compose/labels/label_options.h"
#include "explore/compose/labels/spread.h"
#include "explore/compose/labels/unbeaten.h"

namespace dse::explore {
namespace {

/// With D label sums.
template <int D>
class Solver final : public LabelSolver {
 public:
  explicit Solver(const Problem& problem)
      : problem_(problem), graph_(*problem.graph), options_(problem), ends_(problem, options_) {
    layers_.resize(graph_.sections.size() + 1);
  }

  bool solve(const MemoryVector& low, const MemoryVector& cap, const Incumbents& incumbents) override {
    found_.clear();
    options_.fit(cap);
    const auto before = ends_.steps();
    ends_.find(low, incumbents);
    steps_ += ends_.steps() - before;
    layers_[0].labels.assign(1, {});
    layers_[0].begin = {0, 1};
    held_ = 1;
    if (!ends_.open(Sums{}, 0, 0)) return true;
    for (std::size_t s = 0; s < options_.sections(); ++s) {
      if (problem_.stop && problem_.stop()) return false;
      if (!step(s)) return false;
      ends_.leave(s + 1);
      labels_ += static_cast<std::int64_t>(layers_[s + 1].labels.size());
      if (layers_[s + 1].labels.empty()) return true;
    }
    for (const auto& l : layers_.back().labels)
      found_.push_back({std::vector<std::int64_t>(l.sums.begin(), l.sums.end()), l.peak});
    return true;
  }

  std::vector<Pick> picks(std::size_t index) const override {
    std::vector<Pick> out(options_.sections());
    auto i = static_cast<int>(index);
    for (auto s = options_.sections(); s-- > 0;) {
      const auto& l = layers_[s + 1].labels[i];
      out[s] = {l.edge, options_.at(s, l.edge, l.option).entry};
      i = l.previous;
    }
    return out;
  }

 private:
  using Sums = std::array<std::int64_t, D>;
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

  /// Between two questions whether to stop: a thousandth of a second to a hundredth.
  static constexpr std::int64_t kStepsAtOnce = 1 << 20;

  /// @returns false: stopped.
  bool step(std::size_t s) {
    const auto& from = layers_[s];
    auto& to = layers_[s + 1];
    to.labels.clear();
    to.begin.assign(1, 0);
    std::size_t k = 0;
    for (int state = 0; state < graph_.states[s + 1]; ++state) {
      unbeaten_.clear();
      for (; k < options_.edges(s) && graph_.sections[s][k].to == state; ++k) {
        const int source = graph_.sections[s][k].from, first = from.begin[source], end = from.begin[source + 1];
        for (const int number : options_.fitting(s, k)) {
          const auto& o = options_.at(s, static_cast<int>(k), number);
          candidates_.clear(), steps_ += end - first;
          if (steps_ - asked_ > kStepsAtOnce) {
            asked_ = steps_;
            if (problem_.stop && problem_.stop()) return false;
          }
          for (int i = first; i < end; ++i) {
            Step l;
            for (int d = 0; d < D; ++d) l.sums[d] = from.labels[i].sums[d] + o.sums[d];
            if (!ends_.open(l.sums, s + 1, state)) continue;
            l.previous = i, l.edge = static_cast<int>(k), l.option = number;
            candidates_.push_back(l);
          }
          unbeaten_.add(candidates_);
        }
      }
      thin(s, to.labels);
      to.begin.push_back(static_cast<int>(to.labels.size()));
    }
    held_ += to.labels.size();
    return true;
  }

  /// Labels that a state may have beside `more` of its section: an eighth of the room that is left, so that those
  /// behind it have some, too.
  std::size_t most_labels(std::size_t more) const {
    const auto all = held_ + more, room = problem_.all_labels > all ? problem_.all_labels - all : 0;
    return std::min(problem_.max_labels, std::max(kFewLabels, room / 8));
  }

  /// Appends what was gathered, as far as no other beats it, to the labels after section `s`.
  void thin(std::size_t s, std::vector<Label>& out) {
    const auto first = out.size();
    unbeaten_.each([&](const Step& step) {
      auto& l = out.emplace_back();
      static_cast<Step&>(l) = step;
      const auto& local = options_.at(s, l.edge, l.option).local;
      const auto& live = graph_.sections[s][l.edge].live;
      l.peak = layers_[s].labels[l.previous].peak;
      for (std::size_t m = 0; m < graph_.memories.size(); ++m) l.peak[m] = std::max(l.peak[m], live[m] + local[m]);
    });
    const auto most = most_labels(first);
    if (out.size() - first <= most) return;
    cut_ = true;
    // One label stays of each group of neighbours: merged, with the least of their sums and peaks, which is no worse
    // than any of them.
    std::vector<Label> kept;
    spread<D>(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), most, [&](auto from, auto to) {
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
  LabelOptions<D> options_;
  LabelEnds<D> ends_;
  std::vector<Layer> layers_;
  std::vector<Step> candidates_;
  Unbeaten<D, Step> unbeaten_;
  std::size_t held_ = 0;    // labels, of finished sections
  std::int64_t asked_ = 0;  // the steps when it was last asked whether to stop
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
