// Exact search for low layouts, after MiniMalloc (Moffitt, ASPLOS 2023): blocks are placed in order of their offsets,
// each as low as those before it allow ("canonical"); every layout can be pushed down into a canonical one that is no
// higher.
#include <algorithm>
#include <numeric>

#include "plan/arena_problem.h"

namespace dse::plan::arena {
namespace {

class Search {
 public:
  Search(const Problem& p, Solution& best, std::int64_t& nodes) : p_(p), best_(best), nodes_(nodes) {
    const int n = static_cast<int>(p.items.size());
    offset_.assign(n, 0);
    low_.assign(n, 0);
    for (int i = 0; i < n; ++i) {
      if (p.items[i].fixed >= 0)
        offset_[i] = p.items[i].fixed, fixed_.push_back(i);
      else
        open_.push_back(i);
    }
    make_slices();
    for (int i : open_) low_[i] = above_fixed(i, 0);
  }

  /// Depth first, trying blocks by `key` (largest first) among those that may come next. Up to `budget` nodes.
  /// @returns true when the whole tree was seen or the goal was reached.
  bool run(const std::vector<std::int64_t>& key, std::int64_t budget) {
    std::stable_sort(open_.begin(), open_.end(), [&](int a, int b) { return key[a] > key[b]; });
    left_ = std::min(budget, nodes_);
    nodes_ -= left_;
    complete_ = true;
    std::vector<int> open = open_;
    descend(open, 0);
    nodes_ += left_;
    return complete_ || best_.height <= p_.goal;
  }

 private:
  /// Steps at which the set of live items is maximal: after a start, before the next end.
  void make_slices() {
    std::vector<int> starts;
    for (const Item& i : p_.items) starts.push_back(i.first);
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    std::vector<int> steps;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const bool last = k + 1 == starts.size();
      if (last || std::any_of(p_.items.begin(), p_.items.end(), [&](const Item& i) {
            return i.first <= starts[k] && i.last >= starts[k] && i.last < starts[k + 1];
          }))
        steps.push_back(starts[k]);
    }
    slices_ = steps.size();
    first_slice_.resize(p_.items.size());
    end_slice_.resize(p_.items.size());
    for (std::size_t i = 0; i < p_.items.size(); ++i) {
      first_slice_[i] = std::lower_bound(steps.begin(), steps.end(), p_.items[i].first) - steps.begin();
      end_slice_[i] = std::upper_bound(steps.begin(), steps.end(), p_.items[i].last) - steps.begin();
    }
    need_.resize(slices_);
    lowest_.resize(slices_);
  }

  /// Lowest offset >= at where item i meets no fixed item.
  std::int64_t above_fixed(int i, std::int64_t at) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (int f : fixed_) {
        const Item& o = p_.items[f];
        if (o.first > p_.items[i].last || p_.items[i].first > o.last) continue;
        if (at < o.fixed + o.size && o.fixed < at + p_.items[i].size) at = o.fixed + o.size, moved = true;
      }
    }
    return at;
  }

  /// False when some slice cannot hold its open items between the lowest place of any of them and the limit.
  bool fits(const std::vector<int>& open, std::int64_t from, std::int64_t limit) {
    std::fill(need_.begin(), need_.end(), 0);
    std::fill(lowest_.begin(), lowest_.end(), limit);
    for (int i : open) {
      const std::int64_t low = std::max(low_[i], from);
      if (low + p_.items[i].size > limit) return false;
      for (auto s = first_slice_[i]; s < end_slice_[i]; ++s)
        need_[s] += p_.items[i].size, lowest_[s] = std::min(lowest_[s], low);
    }
    for (std::size_t s = 0; s < slices_; ++s)
      if (need_[s] > 0 && lowest_[s] + need_[s] > limit) return false;
    return true;
  }

  void finish() {
    best_.offsets = offset_;
    best_.height = 0;
    for (std::size_t i = 0; i < p_.items.size(); ++i)
      best_.height = std::max(best_.height, offset_[i] + p_.items[i].size);
  }

  /// Places one of `open` at an offset >= from.
  void descend(std::vector<int>& open, std::int64_t from) {
    if (open.empty()) return finish();
    if (left_ == 0) {
      complete_ = false;
      return;
    }
    --left_;
    if (!fits(open, from, best_.height - 1)) return;
    // A block that would start at or above the end of another open one is not canonical: that other one could move
    // below it.
    std::int64_t ceiling = best_.height;
    for (int i : open) ceiling = std::min(ceiling, low_[i] + p_.items[i].size);
    std::vector<int> candidates;
    for (int i : open)
      if (low_[i] >= from && low_[i] < ceiling) candidates.push_back(i);
    std::vector<std::int64_t> saved;
    std::vector<int> rest;
    for (int i : candidates) {
      const std::int64_t at = low_[i], end = at + p_.items[i].size;
      if (end >= best_.height) continue;
      saved.clear();
      rest.clear();
      for (int j : open) {
        saved.push_back(low_[j]);
        if (j == i) continue;
        rest.push_back(j);
        if (p_.items[j].first <= p_.items[i].last && p_.items[i].first <= p_.items[j].last && low_[j] < end)
          low_[j] = above_fixed(j, end);
      }
      offset_[i] = at;
      descend(rest, at);
      for (std::size_t k = 0; k < open.size(); ++k) low_[open[k]] = saved[k];
      if (best_.height <= p_.goal) return;
      if (left_ == 0) {
        complete_ = false;
        return;
      }
    }
  }

  const Problem& p_;
  Solution& best_;
  std::int64_t& nodes_;
  std::int64_t left_ = 0;
  bool complete_ = true;
  std::vector<std::int64_t> offset_, low_;  // of placed items; lowest possible offset of open ones
  std::vector<int> open_, fixed_;
  std::size_t slices_ = 0;
  std::vector<std::size_t> first_slice_, end_slice_;
  std::vector<std::int64_t> need_, lowest_;
};

}  // namespace

bool search_exactly(const Problem& p, Solution& best, std::int64_t& nodes) {
  const std::size_t n = p.items.size();
  std::vector<std::vector<std::int64_t>> keys(3, std::vector<std::int64_t>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t life = std::int64_t{p.items[i].last} - p.items[i].first + 1;
    std::int64_t contention = p.items[i].size;
    for (int j : p.overlap[i]) contention += p.items[j].size;
    keys[0][i] = contention;
    keys[1][i] = p.items[i].size * life;
    keys[2][i] = life;
  }
  // The goal at once: the tightest limit prunes most. Then anything lower than the best so far.
  Solution at_goal{{}, p.goal + 1};
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const bool complete = Search(p, at_goal, nodes).run(keys[k], nodes / 6);
    if (at_goal.height <= p.goal) {
      best = at_goal;
      return true;
    }
    if (complete) break;  // there is no layout at the goal
  }
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (Search(p, best, nodes).run(keys[k], nodes / static_cast<std::int64_t>(keys.size() - k))) return true;
  return best.height <= p.floor;
}

}  // namespace dse::plan::arena
