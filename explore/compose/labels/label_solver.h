// Dynamic programming over the layers under one cap per on-chip memory: the Pareto-optimal sums of costs and resident
// bytes.
#pragma once
#include <memory>

#include "explore/compose/labels/incumbents.h"
#include "explore/compose/labels/problem.h"

namespace dse::explore {

class LabelSolver {
 public:
  virtual ~LabelSolver() = default;

  /// A way through the whole network.
  struct Found {
    std::vector<std::int64_t> sums;
    MemoryVector peak{};  // bytes, without what stays resident
  };

  /// All ways whose peaks are at most `cap`, except those that another beats in every sum, those that break a limit
  /// with peaks of at least `low`, and those that an incumbent beats at that. @returns false: stopped.
  virtual bool solve(const MemoryVector& low, const MemoryVector& cap, const Incumbents& incumbents) = 0;
  const std::vector<Found>& found() const { return found_; }
  /// The choices behind found()[index]; of merged labels those of one of them.
  virtual std::vector<Pick> picks(std::size_t index) const = 0;

  /// What a label takes, and a way that was found, in bytes, roughly.
  static constexpr std::int64_t kLabelBytes = 128;

  std::int64_t labels() const { return labels_; }
  /// Partial plans that were looked at, of which some became labels: what the search costs.
  std::int64_t steps() const { return steps_; }
  bool cut() const { return cut_; }  // labels were dropped, or merged, for being too many

  static std::unique_ptr<LabelSolver> make(const Problem& problem);

 protected:
  std::vector<Found> found_;
  std::int64_t labels_ = 0, steps_ = 0;
  bool cut_ = false;
};

}  // namespace dse::explore
