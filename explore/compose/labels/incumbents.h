// The plans in hand during a composition, by the values of their objectives: which of them are Pareto-optimal so far.
#pragma once
#include <cstdint>
#include <vector>

namespace dse::explore {

/// One (section) choice of a plan.
struct Pick {
  int edge = 0, entry = 0;
};

struct Incumbent {
  std::vector<std::int64_t> values;  // per objective, least is best
  std::vector<Pick> picks;           // per section; empty for bounds
};

class Incumbents {
 public:
  explicit Incumbents(int objectives) : objectives_(objectives) {}

  /// Some incumbent is at most `values` in every objective.
  bool beaten(const std::int64_t* values) const { return beaten(values, all_.size()); }
  /// The same, but with many objectives it may overlook an incumbent: for tests that only save work.
  bool surely_beaten(const std::int64_t* values) const { return beaten(values, 128); }
  /// With two objectives: the least second value of those whose first is at most this; kUnlimited where there is none.
  std::int64_t second_at_most(std::int64_t first) const;
  /// The largest first value. Not of none.
  std::int64_t last_first() const { return first_.back(); }
  /// Adds what no incumbent beats and drops those that it beats. @returns the dropped.
  std::vector<Incumbent> insert(Incumbent incumbent);

  bool empty() const { return all_.empty(); }
  /// In ascending order of values.
  std::vector<Incumbent> sorted() const;

 private:
  bool beaten(const std::int64_t* values, std::size_t effort) const;
  /// With two objectives: the last incumbent whose first value is at most this, or -1.
  std::ptrdiff_t last_at_most(std::int64_t first) const;

  int objectives_;
  mutable std::vector<Incumbent> all_;        // one or two objectives: by values; more: those that beat much come first
  std::vector<std::int64_t> first_, second_;  // one or two objectives: of all_, side by side for the search
  mutable std::ptrdiff_t last_ = 0;           // where last_at_most() ended
};

}  // namespace dse::explore
