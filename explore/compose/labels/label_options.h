// The options of a section graph as a label solver adds them up, and those of them that fit under caps.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "explore/compose/labels/problem.h"
#include "explore/compose/labels/unbeaten.h"

namespace dse::explore {

template <int D>
struct LabelOption {
  std::array<std::int64_t, D> sums{};
  MemoryVector local{};
  int entry = 0;  // of the graph's list
};

template <int D>
class LabelOptions {
 public:
  explicit LabelOptions(const Problem& problem) : graph_(*problem.graph) {
    for (const auto& options : graph_.options) {
      auto& all = options_.emplace_back();
      for (const auto& o : options) all.push_back({sums_of(problem, o), o.local, static_cast<int>(all.size())});
      // Sums in ascending order: what beats an option stands before it.
      std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.sums < b.sums; });
    }
    for (const auto& section : graph_.sections) fitting_.emplace_back(section.size());
  }

  std::size_t sections() const { return fitting_.size(); }
  const LabelOption<D>& at(std::size_t section, int edge, int number) const {
    return options_[static_cast<std::size_t>(graph_.sections[section][edge].options)][number];
  }
  /// Of an edge: the numbers of its options under the caps in hand, none beaten by another.
  const std::vector<int>& fitting(std::size_t section, std::size_t edge) const { return fitting_[section][edge]; }
  std::size_t edges(std::size_t section) const { return fitting_[section].size(); }
  /// From this state there is a way to the end.
  bool reaches(std::size_t section, int state) const { return reaches_[section][state]; }

  void fit(const MemoryVector& cap) {
    reaches_.resize(sections() + 1);
    reaches_.back().assign(graph_.states.back(), true);
    for (auto s = sections(); s-- > 0;) {
      reaches_[s].assign(graph_.states[s], false);
      for (std::size_t k = 0; k < fitting_[s].size(); ++k) {
        const auto& edge = graph_.sections[s][k];
        fitting_[s][k].clear();
        if (!reaches_[s + 1][edge.to]) continue;
        choose(edge, cap, fitting_[s][k]);
        if (!fitting_[s][k].empty()) reaches_[s][edge.from] = true;
      }
    }
  }

 private:
  static std::array<std::int64_t, D> sums_of(const Problem& problem, const SectionOption& o) {
    std::array<std::int64_t, D> v{};
    for (int d = 0; d < D; ++d) {
      const auto& sum = problem.sums[d];
      v[d] = sum.cost >= 0 ? o.costs[sum.cost] : o.resident[sum.memory];
    }
    return v;
  }

  void choose(const SectionEdge& edge, const MemoryVector& cap, std::vector<int>& out) const {
    const auto& all = options_[static_cast<std::size_t>(edge.options)];
    auto least = kUnlimited;  // with two sums: the second of those that are in
    const auto beaten = [&](const LabelOption<D>& o) {
      if constexpr (D <= 2) return !(o.sums[D - 1] < least) && (D == 2 || !out.empty());
      return std::any_of(out.begin(), out.end(), [&](int f) { return no_more<D>(all[f].sums, o.sums); });
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool fits = true;
      for (std::size_t m = 0; m < graph_.memories.size(); ++m) fits &= edge.live[m] + all[i].local[m] <= cap[m];
      if (!fits || beaten(all[i])) continue;
      out.push_back(static_cast<int>(i)), least = all[i].sums[D - 1];
    }
  }

  const SectionGraph& graph_;
  std::vector<std::vector<LabelOption<D>>> options_;    // as in the graph
  std::vector<std::vector<std::vector<int>>> fitting_;  // per section and edge
  std::vector<std::vector<char>> reaches_;              // per section and state
};

}  // namespace dse::explore
