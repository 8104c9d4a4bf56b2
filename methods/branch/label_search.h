// Search over labels: a beam, and best first until the best is proven.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "methods/branch/label.h"
#include "methods/branch/outcome.h"

namespace dse::plan::branch {

/// One search: over all orders, or over the places of one. Holds the best that was found so far, by whatever means.
class LabelSearch {
 public:
  LabelSearch(const Graph& graph, const Rules& rules, const Effort& effort);

  /// Only this order; it must outlive the search.
  void fix_order(const std::vector<int>& order) { order_ = &order; }
  /// Only these places, by node; they must outlive the search.
  void fix_places(const std::vector<Place>& places) { places_ = &places; }
  /// No order costs less (bytes).
  void set_floor(std::int64_t floor) { floor_ = floor; }
  /// Whatever costs at most this (bytes) ends the search.
  void set_enough(std::int64_t enough) { enough_ = enough; }
  /// The best of another search, if it is better.
  void offer(const LabelSearch& other);

  bool found() const { return found_; }
  bool enough() const { return found_ && best_cost_.first <= enough_; }

  /// Keeps the cheapest `width` states per step (0: 16 to 256, more for small graphs). What it finds is said to come
  /// from `origin`.
  void beam(int width, const std::string& origin);
  /// Best first. @returns the lower bound that it proves, in bytes.
  std::int64_t exact();
  /// What was found, with that bound. @throws InvariantError when its buffers do not cost what the search said.
  Outcome outcome(std::int64_t lower_bound) const;

 private:
  using Cost = std::pair<std::int64_t, std::int64_t>;
  static constexpr auto most = std::numeric_limits<std::int64_t>::max();
  class Queue;

  void expand(const Label& label, std::vector<Label>& out) const;
  /// The bound when nothing that is open costs less than `open`.
  std::int64_t lower(std::int64_t open) const;

  const Graph& graph_;
  Rules rules_;
  Effort effort_;
  Moves moves_;
  int count_;  // nodes
  const std::vector<int>* order_ = nullptr;
  const std::vector<Place>* places_ = nullptr;
  std::int64_t floor_ = 0, enough_ = -1;
  std::vector<Move> best_;
  Cost best_cost_{most, most};
  bool found_ = false;
  std::string origin_;
};

/// The candidate behind a chain of moves: its buffers, and what is alive.
Candidate candidate_of(const Graph& graph, const std::vector<Move>& moves, const Rules& rules);

}  // namespace dse::plan::branch
