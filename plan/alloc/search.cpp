#include "plan/alloc/search.h"

#include <algorithm>
#include <deque>

#include "plan/alloc/failures.h"

namespace dse::plan::alloc {
namespace {

constexpr std::int64_t kNever = INT64_MAX / 4;
constexpr std::int64_t kAsk = 1024;          // nodes between two questions whether to stop
constexpr std::int64_t kWorkPerNode = 2500;  // buffers times their sections, from which a placement counts more than
                                             // once: two million then take a few seconds, whatever the problem

/// The last placement before a group of open buffers: those that follow lie above it, or at the same offset with a
/// later rank, so that placements of equal offset come in one order only.
using Last = Failures::Last;

}  // namespace

class Search::State {
 public:
  State(const Model& m, const std::vector<int>& order, std::int64_t height) : m_(m), order_(order), height_(height) {
    const int n = m.count();
    rank_.assign(n, -1);
    for (int k = 0; k < static_cast<int>(order.size()); ++k) rank_[order[k]] = k;
    low_.assign(n, 0);
    reach_above_.assign(n, 1);
    open_.assign(n, 0);
    highest_.assign(n, 0);
    offset_.assign(n, 0);
    total_.assign(m.sections, 0);
    floor_.assign(m.sections, 0);
    reach_.assign(m.sections + 1, 0);
    part_.assign(m.sections, 0);
    fixed_.resize(n);
    fixed_in_.resize(m.sections);
    take_in();
    std::int64_t work = m.count();
    for (const auto& runs : m.runs)
      for (const Run& r : runs) work += r.end - r.first;
    cost_ = 1 + work / kWorkPerNode;
  }

  Answer run(std::int64_t nodes, Budget& budget) {
    if (height_ < m_.floor) return Answer::none;
    if (order_.size() > static_cast<std::size_t>(kMost)) return Answer::unknown;
    budget_ = &budget;
    left_ = std::min(nodes, budget.nodes);
    tried_ = 0, aborted_ = false;
    const bool found = place_all(order_, {-1, -1}, 0);
    if (!found) take_back(0);
    tried_ = std::min(tried_, left_);
    budget.nodes -= tried_, budget.used += tried_;
    return found ? Answer::found : aborted_ ? Answer::unknown : Answer::none;
  }
  Placement result() const {
    Placement p{offset_, 0};
    for (int i = 0; i < m_.count(); ++i)
      if (m_.active[i]) p.height = std::max(p.height, m_.end(i, offset_[i]));
    return p;
  }

 private:
  struct Frame {
    std::vector<std::vector<int>> groups;
    std::vector<std::pair<std::size_t, int>> by_size;
    std::vector<std::pair<std::int64_t, int>> candidates;  // lowest place, rank
    std::vector<int> rest;
  };

  void take_in() {
    for (int i = 0; i < m_.count(); ++i) {
      if (!m_.active[i]) continue;
      if (m_.fixed[i] >= 0) {
        offset_[i] = m_.fixed[i];
        for (const Run& r : m_.runs[i])
          for (int s = r.first; s < r.end; ++s) fixed_in_[s].push_back({m_.fixed[i] + r.low, m_.fixed[i] + r.high});
        continue;
      }
      open_[i] = 1;
      for (const Run& r : m_.runs[i])
        for (int s = r.first; s < r.end; ++s) total_[s] += r.size();
      for (const Neighbour& nb : m_.neighbours[i])
        if (m_.fixed[nb.buffer] >= 0)
          fixed_[i].push_back({m_.fixed[nb.buffer] - nb.above, m_.fixed[nb.buffer] + nb.below});
        else
          reach_above_[i] = std::max(reach_above_[i], nb.above + m_.point[nb.buffer] - m_.point[i]);
      std::sort(fixed_[i].begin(), fixed_[i].end());
    }
    for (auto& ranges : fixed_in_) std::sort(ranges.begin(), ranges.end());
    for (const int i : order_) {
      low_[i] = lowest(i, m_.point[i]);
      highest_[i] = height_ < m_.bytes[i] ? -1 : (height_ - m_.bytes[i]) / m_.unit + m_.point[i];
    }
  }

  /// The lowest place >= at that the alignment and the fixed buffers allow.
  std::int64_t lowest(int i, std::int64_t place) const {
    auto at = aligned(std::max<std::int64_t>(0, place - m_.point[i]), m_.alignment[i]);
    for (const auto& [from, to] : fixed_[i]) {
      if (at <= from) break;
      if (at < to) at = aligned(to, m_.alignment[i]);
    }
    return at + m_.point[i];
  }

  /// Units of section s that fixed buffers take at or above `at`.
  std::int64_t fixed_above(int s, std::int64_t at) const {
    std::int64_t sum = 0;
    for (const auto& [from, to] : fixed_in_[s]) {
      const auto begin = std::max(from, at);
      if (to > begin) sum += to - begin, at = to;
    }
    return sum;
  }

  bool missed(int i, const Last& last) const {
    return low_[i] < last.offset || (low_[i] == last.offset && rank_[i] < last.rank);
  }

  /// Where buffer i can lie at the lowest now. One that has missed its place rests on an open one, if at all.
  std::int64_t lowest_now(int i, const Last& last) const {
    if (!missed(i, last)) return low_[i];
    std::int64_t at = kNever;
    for (const Neighbour& nb : m_.neighbours[i])
      if (open_[nb.buffer])
        at = std::min(at, std::max(low_[nb.buffer], last.offset) + nb.below + m_.point[i] - m_.point[nb.buffer]);
    return at == kNever ? kNever : lowest(i, at);
  }

  /// False: the group cannot be placed, because some section has no room for its open buffers.
  bool fits(const std::vector<int>& group, const Last& last) {
    int begin = m_.sections, end = 0;
    for (const int i : group) {
      begin = std::min(begin, m_.runs[i].front().first);
      end = std::max(end, m_.runs[i].back().end);
    }
    std::fill(floor_.begin() + begin, floor_.begin() + end, kNever);
    for (const int i : group) {
      const auto at = lowest_now(i, last);
      if (at > highest_[i]) return false;
      for (const Run& r : m_.runs[i])
        for (int s = r.first; s < r.end; ++s) floor_[s] = std::min(floor_[s], at - m_.point[i] + r.low);
    }
    for (int s = begin; s < end; ++s) {
      if (total_[s] == 0) continue;
      auto room = (height_ + m_.spare[s]) / m_.unit - floor_[s] - total_[s];
      if (!fixed_in_[s].empty()) room -= fixed_above(s, floor_[s]);
      if (room < 0) return false;
    }
    return true;
  }

  /// Splits open buffers into groups that share no section.
  void split(const std::vector<int>& open, std::vector<std::vector<int>>& groups) {
    int begin = m_.sections, end = 0;
    for (const int i : open) {
      begin = std::min(begin, m_.runs[i].front().first);
      end = std::max(end, m_.runs[i].back().end);
    }
    std::fill(reach_.begin() + begin, reach_.begin() + end, 0);
    for (const int i : open) {
      int& reach = reach_[m_.runs[i].front().first];
      reach = std::max(reach, m_.runs[i].back().end);
    }
    int parts = 0, until = begin;
    for (int s = begin; s < end; ++s) {
      if (s >= until && reach_[s] > 0) ++parts;
      until = std::max(until, reach_[s]);
      part_[s] = parts - 1;
    }
    if (static_cast<int>(groups.size()) < parts) groups.resize(parts);
    for (auto& g : groups) g.clear();
    for (const int i : open) groups[part_[m_.runs[i].front().first]].push_back(i);
  }

  /// Places all open buffers of the list, group by group. False: that cannot be done, or the search is aborted.
  bool place_all(const std::vector<int>& open, const Last& last, std::size_t depth) {
    if (open.empty()) return true;
    if (frames_.size() <= depth) frames_.resize(depth + 1);
    Frame& f = frames_[depth];
    split(open, f.groups);
    f.by_size.clear();
    for (int g = 0; g < static_cast<int>(f.groups.size()); ++g) {
      if (f.groups[g].empty()) continue;
      if (!fits(f.groups[g], last)) return false;
      f.by_size.push_back({f.groups[g].size(), g});
    }
    std::sort(f.by_size.begin(), f.by_size.end());  // small ones fail soonest
    for (const auto& entry : f.by_size)
      if (!place_group(f.groups[entry.second], last, depth)) return false;
    return true;
  }

  bool place_group(const std::vector<int>& group, const Last& last, std::size_t depth) {
    const auto key = Failures::key(group, low_);
    if (failures_.known(key, last)) return false;
    std::int64_t ceiling = kNever;
    for (const int i : group) ceiling = std::min(ceiling, low_[i] + reach_above_[i]);
    Frame& f = frames_[depth];
    f.candidates.clear();
    for (const int i : group)
      if (low_[i] < ceiling && !missed(i, last)) f.candidates.push_back({low_[i], rank_[i]});
    std::sort(f.candidates.begin(), f.candidates.end());
    for (const auto& [low, rank] : f.candidates) {
      if (tried_ >= left_ || (tried_ / kAsk != (tried_ + cost_) / kAsk && budget_->ask())) aborted_ = true;
      if (aborted_) return false;
      tried_ += cost_;
      const int i = order_[rank];
      const auto mark = trail_.size();
      put(i);
      f.rest.clear();
      for (const int j : group)
        if (j != i) f.rest.push_back(j);
      if (place_all(f.rest, {low, rank}, depth + 1)) return true;
      take_back(mark);
    }
    if (!aborted_) failures_.add(key, last);
    return false;
  }

  void put(int i) {
    const auto at = low_[i];
    offset_[i] = at - m_.point[i], open_[i] = 0;
    trail_.push_back({i, -1});
    for (const Run& r : m_.runs[i])
      for (int s = r.first; s < r.end; ++s) total_[s] -= r.size();
    for (const Neighbour& nb : m_.neighbours[i]) {
      const auto above = offset_[i] + nb.above + m_.point[nb.buffer];
      if (!open_[nb.buffer] || low_[nb.buffer] >= above) continue;
      trail_.push_back({nb.buffer, low_[nb.buffer]});
      low_[nb.buffer] = lowest(nb.buffer, above);
    }
  }

  void take_back(std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) {
      const auto& [i, low] = trail_.back();
      if (low >= 0) {
        low_[i] = low;
        continue;
      }
      open_[i] = 1;
      for (const Run& r : m_.runs[i])
        for (int s = r.first; s < r.end; ++s) total_[s] += r.size();
    }
  }

  const Model& m_;
  const std::vector<int>& order_;
  const std::int64_t height_;
  Budget* budget_ = nullptr;
  std::int64_t left_ = 0, tried_ = 0, cost_ = 1;
  bool aborted_ = false;
  std::vector<int> rank_;
  // The place of a buffer is that of its point (Model::point): offset + point.
  std::vector<std::int64_t> low_, offset_;  // lowest place of an open buffer; offset of the others
  std::vector<std::int64_t> reach_above_;   // who lies this far above a buffer does not rest on it
  std::vector<std::int64_t> highest_;       // place of a buffer that the height allows
  std::vector<char> open_;
  std::vector<std::int64_t> total_, floor_;  // per section: units still open; lowest one that any of them can have
  std::vector<int> reach_, part_;
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> fixed_, fixed_in_;
  std::vector<std::pair<int, std::int64_t>> trail_;  // a buffer and its lowest place before; -1 = it was placed
  std::deque<Frame> frames_;                         // by depth; stay where they are while deeper ones are added
  Failures failures_;
};

Search::Search(const Model& model, const std::vector<int>& order, std::int64_t height)
    : state_(std::make_unique<State>(model, order, height)) {}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;

Answer Search::run(std::int64_t nodes, Budget& budget) { return state_->run(nodes, budget); }
Placement Search::result() const { return state_->result(); }

}  // namespace dse::plan::alloc
