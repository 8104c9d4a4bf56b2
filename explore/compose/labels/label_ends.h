// How partial plans may still end: whether one with these sums can become a plan that keeps the limits and that nothing
// in hand beats.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "explore/compose/labels/incumbents.h"
#include "explore/compose/labels/label_options.h"
#include "explore/compose/labels/spread.h"

namespace dse::explore {

template <int D>
class LabelEnds {
 public:
  using Sums = std::array<std::int64_t, D>;

  LabelEnds(const Problem& problem, const LabelOptions<D>& options)
      : problem_(problem), graph_(*problem.graph), options_(options) {}

  /// For the options that fit now, peaks of at least `low`, and these plans in hand, which must outlive what is asked.
  void find(const MemoryVector& low, const Incumbents& incumbents) {
    incumbents_ = &incumbents;
    set_forms(low);
    find_tails();
    find_cells();
  }

  /// Whether what starts with these sums at this state can end within the limits and unbeaten.
  bool open(const Sums& sums, std::size_t section, int state) {
    if (!options_.reaches(section, state)) return false;
    auto& ends = ends_[section][static_cast<std::size_t>(state)];
    if constexpr (D == 2)
      if (by_cells_) return within_limits(sums, ends.least) && sums[0] < most_at(ends, sums[1]);
    if (!ends_open(sums, ends.least)) return false;
    auto& tails = ends.tails;
    for (std::size_t i = 0; i < tails.size(); ++i)
      if (ends_open(sums, tails[i])) {
        if (i > 0) std::swap(tails[i], tails[i / 2]);  // what helps one label often helps the next
        return true;
      }
    return tails.empty();
  }

  /// Nothing more is asked about this section before the next find().
  void leave(std::size_t section) {
    for (auto& ends : ends_[section])
      if (!ends.most.empty()) spare_.push_back(std::move(ends.most)), ends.most.clear();
  }

  /// Ways that were looked at.
  std::int64_t steps() const { return steps_; }

 private:
  static constexpr int kMaxObjectives = 8;
  static constexpr std::int64_t kCells = 512;
  static constexpr std::int64_t kUnknown = -1;

  struct Form {
    std::int64_t base = 0, limit = 0;
    Sums counts{};  // 1: this sum is part of it
    std::int64_t of(const Sums& sums, const Sums& rest) const {
      auto v = base;
      for (int d = 0; d < D; ++d) v += counts[d] * (sums[d] + rest[d]);
      return v;
    }
  };
  /// From one state on.
  struct Ends {
    Sums least{};             // what every sum still grows by
    std::vector<Sums> tails;  // the sums of all ways to the end, as the least values of groups of them; may be empty
    std::vector<std::int64_t> most;  // with two sums, by cell of the second: below it the first is open; kUnknown
  };
  struct Way {
    Sums sums{};
    bool operator<(const Way& o) const { return sums < o.sums; }
  };

  void set_forms(const MemoryVector& low) {
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

  void find_tails() {
    const auto n = options_.sections();
    ends_.resize(n + 1);
    ends_[n].assign(static_cast<std::size_t>(graph_.states[n]), {Sums{}, {Sums{}}, {}});
    for (auto s = n; s-- > 0;) {
      Sums none;
      none.fill(kUnlimited);
      ends_[s].assign(static_cast<std::size_t>(graph_.states[s]), {none, {}, {}});
      leaving_.resize(std::max(leaving_.size(), ends_[s].size()));
      for (std::size_t state = 0; state < ends_[s].size(); ++state) leaving_[state].clear();
      for (std::size_t k = 0; k < options_.edges(s); ++k)
        if (!options_.fitting(s, k).empty()) leaving_[graph_.sections[s][k].from].push_back(static_cast<int>(k));
      for (std::size_t state = 0; state < ends_[s].size(); ++state) find_tails(s, state);
    }
  }

  void find_tails(std::size_t s, std::size_t state) {
    auto& ends = ends_[s][state];
    unbeaten_.clear();
    for (const int k : leaving_[state]) {
      const auto& after = ends_[s + 1][static_cast<std::size_t>(graph_.sections[s][k].to)];
      for (const int i : options_.fitting(s, static_cast<std::size_t>(k))) {
        const auto& sums = options_.at(s, k, i).sums;
        for (int d = 0; d < D; ++d) ends.least[d] = std::min(ends.least[d], sums[d] + after.least[d]);
        if (problem_.tails < 2) continue;
        ways_.clear(), steps_ += static_cast<std::int64_t>(after.tails.size());
        for (const auto& tail : after.tails) {
          auto& way = ways_.emplace_back();
          for (int d = 0; d < D; ++d) way.sums[d] = tail[d] + sums[d];
        }
        unbeaten_.add(ways_);
      }
    }
    kept_.clear();
    unbeaten_.each([&](const Way& way) { kept_.push_back(way); });
    if (kept_.empty()) return;
    spread<D>(kept_.begin(), kept_.end(), std::min(problem_.tails, kept_.size()), [&](auto from, auto to) {
      Sums least = from->sums;
      for (auto it = from; it != to; ++it)
        for (int d = 0; d < D; ++d) least[d] = std::min(least[d], it->sums[d]);
      ends.tails.push_back(least);
    });
    // In ascending order, as the next section wants them; groups lie apart, so that none beats another.
    std::sort(ends.tails.begin(), ends.tails.end());
  }

  bool within_limits(const Sums& sums, const Sums& rest) const {
    return std::none_of(limits_.begin(), limits_.end(), [&](const Form& f) { return f.of(sums, rest) > f.limit; });
  }

  bool ends_open(const Sums& sums, const Sums& rest) const {
    if (!within_limits(sums, rest)) return false;
    std::array<std::int64_t, kMaxObjectives> values{};
    for (std::size_t j = 0; j < objectives_.size(); ++j) values[j] = objectives_[j].of(sums, rest);
    return !incumbents_->surely_beaten(values.data());
  }

  /// With two sums, and two objectives of which the first one counts the second sum at most and the second one the
  /// first: which first sums are open follows from the second sum. That is remembered by cells, ranges of it, for their
  /// lower ends: what lies between is judged too well, never too badly.
  void find_cells() {
    by_cells_ = false;
    if constexpr (D == 2) {
      if (problem_.tails < 2 || objectives_.size() != 2 || incumbents_->empty()) return;
      by_cells_ = objectives_[0].counts[0] == 0 && objectives_[1].counts == Sums{1, 0};
      if (!by_cells_) return;
      width_ = std::max<std::int64_t>(0, incumbents_->last_first() - objectives_[0].base) / kCells + 1;
      beats_.clear();
      for (std::int64_t k = 0; k < kCells; ++k)
        beats_.push_back(incumbents_->second_at_most(objectives_[0].base + objectives_[0].counts[1] * k * width_));
    }
  }

  std::int64_t cell_of(std::int64_t second) const { return std::min(second / width_, kCells - 1); }

  /// Every label of this second sum is closed whose first sum is not below.
  std::int64_t most_at(Ends& ends, std::int64_t second) {
    if (ends.most.empty()) {
      if (!spare_.empty()) ends.most = std::move(spare_.back()), spare_.pop_back();
      ends.most.assign(kCells, kUnknown);
    }
    const auto cell = cell_of(second);
    auto& most = ends.most[static_cast<std::size_t>(cell)];
    if (most != kUnknown) return most;
    most = 0;
    for (const auto& tail : ends.tails) {
      const auto beats = beats_[static_cast<std::size_t>(std::min(cell + cell_of(tail[1]), kCells - 1))];
      most = std::max(most, beats < kUnlimited ? beats - objectives_[1].base - tail[0] : kUnlimited);
    }
    return most;
  }

  const Problem& problem_;
  const SectionGraph& graph_;
  const LabelOptions<D>& options_;
  const Incumbents* incumbents_ = nullptr;
  std::vector<Form> objectives_, limits_;
  std::vector<std::vector<Ends>> ends_;    // per section and state
  std::vector<std::vector<int>> leaving_;  // edges, per state
  std::vector<std::int64_t> beats_;  // by cell: the least second value of plans in hand that are no larger in the first
  std::vector<std::vector<std::int64_t>> spare_;  // Ends::most that nobody needs
  std::vector<Way> ways_, kept_;
  Unbeaten<D, Way> unbeaten_;
  std::int64_t steps_ = 0, width_ = 1;
  bool by_cells_ = false;
};

}  // namespace dse::explore
