// Blocks that belong together as their sizes let one guess.
#pragma once
#include <array>

#include "plan/alloc/valleys/gluing.h"

namespace dse::plan::alloc {

/// Finds blocks that match at a border: some that end and some that begin there have the same sum, or five fit around
/// each other.
class Guesses {
 public:
  /// Only such whose odds to match by chance are less than 1 to `odds`. The gluing must outlive it.
  Guesses(Gluing& gluing, std::int64_t odds) : g_(gluing), least_odds_(odds), sides_(gluing.borders()) {}

  /// Puts the next ones together: what is least likely to match by chance comes first. False: there are none.
  bool next();

 private:
  /// Blocks of one life that may have been one.
  struct Stack {
    Gluing::List blocks;
    std::int64_t size = 0;
  };
  static constexpr std::size_t kAllSubsets = 8;    // of so many blocks of one life
  static constexpr std::size_t kSomeSubsets = 24;  // up to three of so many
  static constexpr std::size_t kCounts = kAllSubsets + 2;
  /// By the number of blocks; the last are all of their life, where these are many.
  using Stacks = std::array<std::vector<Stack>, kCounts>;

  /// Stacks that may belong together: two beside each other, or five around one.
  struct Match {
    double odds = 0;  // that they are equal by chance
    std::size_t count = 0;
    std::vector<Gluing::List> stacks;
  };
  /// What is known of a border.
  struct Sides {
    Gluing::List ends, begins;
    std::vector<std::pair<int, std::int64_t>> shapes;  // their other ends and sizes
    Stacks left, right;
    std::vector<Match> matches;
  };

  void add_stack(const Gluing::List& list, Stacks& out) const;
  void add_stacks(const Gluing::List& all, Stacks& out) const;
  Stacks stacks_of(const Gluing::List& list) const;
  void refresh(int border);
  void keep(std::vector<Match>& to, Match m) const;
  void wheels(int border);
  bool around(int left, int below, int above, int right) const;
  std::int64_t size(int b) const { return g_.block(b).size; }
  const Match* best() const;

  Gluing& g_;
  const std::int64_t least_odds_;
  std::vector<Sides> sides_;
  std::vector<Match> wheels_;
};

}  // namespace dse::plan::alloc
