// Of vectors of sums those that no other beats in every sum.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "explore/question/goal.h"

namespace dse::explore {

template <int D>
bool no_more(const std::array<std::int64_t, D>& a, const std::array<std::int64_t, D>& b) {
  for (int d = 0; d < D; ++d)
    if (a[d] > b[d]) return false;
  return true;
}

/// Elements have `sums`, an array of D values, and a strict order by them first. Keeps its memory from call to call.
template <int D, class Step>
class Unbeaten {
 public:
  void clear() { gathered_.clear(); }
  /// Gathers more candidates. With two sums they have to come in ascending order, and no earlier one may be larger by
  /// the order beyond the sums: staircases are merged faster than a list is sorted.
  void add(const std::vector<Step>& run) {
    if constexpr (D == 2)
      merge(run);
    else
      gathered_.insert(gathered_.end(), run.begin(), run.end());
  }
  /// As below, of what was gathered.
  template <class Keep>
  void each(const Keep& keep) {
    if constexpr (D == 2)
      for (const auto& c : gathered_) keep(c);
    else
      each(gathered_, keep);
  }
  /// Calls `keep` for the candidates that no other beats, in ascending order of sums; they are sorted.
  template <class Keep>
  void each(std::vector<Step>& candidates, const Keep& keep) {
    std::sort(candidates.begin(), candidates.end());
    if constexpr (D == 1) {
      if (!candidates.empty()) keep(candidates.front());
    } else if constexpr (D == 2) {
      auto least = kUnlimited;
      for (const auto& c : candidates)
        if (c.sums[1] < least) least = c.sums[1], keep(c);
    } else if constexpr (D == 3) {
      stairs_.clear();  // second sum -> least third sum with at most that; the first is no less than theirs
      for (const auto& c : candidates) {
        auto it = stairs_.upper_bound(c.sums[1]);
        if (it != stairs_.begin() && std::prev(it)->second <= c.sums[2]) continue;
        add_stair(stairs_, c.sums[1], c.sums[2]);
        keep(c);
      }
    } else if constexpr (D == 4) {
      if (candidates.size() > 500) return of_four(candidates, keep);  // few are compared faster one by one
      of_few(candidates, keep);
    } else {
      of_few(candidates, keep);
    }
  }

 private:
  using Sums = std::array<std::int64_t, D>;

  /// Four sums: candidates come with the first ascending; a prefix tree over the ranks of the second holds staircases
  /// of the other two.
  template <class Keep>
  void of_four(const std::vector<Step>& candidates, const Keep& keep) {
    std::vector<std::int64_t> ranks;
    for (const auto& c : candidates) ranks.push_back(c.sums[1]);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    std::vector<std::map<std::int64_t, std::int64_t>> tree(ranks.size() + 1);
    for (const auto& c : candidates) {
      const auto [x, y] = std::pair(c.sums[D - 2], c.sums[D - 1]);
      const auto rank =
          static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), c.sums[1]) - ranks.begin()) + 1;
      bool beaten = false;
      for (auto r = rank; r > 0 && !beaten; r &= r - 1) {
        const auto it = tree[r].upper_bound(x);
        beaten = it != tree[r].begin() && std::prev(it)->second <= y;
      }
      if (beaten) continue;
      for (auto r = rank; r < tree.size(); r += r & (~r + 1)) add_stair(tree[r], x, y);
      keep(c);
    }
  }
  /// x -> least y with at most that.
  static void add_stair(std::map<std::int64_t, std::int64_t>& stairs, std::int64_t x, std::int64_t y) {
    const auto it = stairs.upper_bound(x);
    if (it != stairs.begin() && std::prev(it)->second <= y) return;
    auto after = stairs.lower_bound(x);
    while (after != stairs.end() && after->second >= y) after = stairs.erase(after);
    stairs[x] = y;
  }

  template <class Keep>
  void of_few(const std::vector<Step>& candidates, const Keep& keep) {
    unbeaten_.clear();
    for (const auto& c : candidates)
      if (std::none_of(unbeaten_.begin(), unbeaten_.end(), [&](const Sums& k) { return no_more<D>(k, c.sums); }))
        unbeaten_.push_back(c.sums), keep(c);
  }

  /// Two ascending lists, the first a staircase: what is as good in both stays from there.
  void merge(const std::vector<Step>& run) {
    merged_.clear();
    auto least = kUnlimited;
    auto a = gathered_.begin();
    const auto take = [&](const Step& c) {
      if (c.sums[1] < least) least = c.sums[1], merged_.push_back(c);
    };
    for (const auto& c : run) {
      while (a != gathered_.end() && !(c.sums < a->sums)) take(*a++);
      take(c);
    }
    while (a != gathered_.end()) take(*a++);
    gathered_.swap(merged_);
  }

  std::vector<Step> gathered_, merged_;
  std::map<std::int64_t, std::int64_t> stairs_;
  std::vector<Sums> unbeaten_;
};

}  // namespace dse::explore
