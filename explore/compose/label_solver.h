// Dynamic programming over the layers under one cap per on-chip memory: the Pareto-optimal sums of costs and resident
// bytes.
#pragma once
#include <functional>
#include <memory>

#include "explore/compose/incumbents.h"
#include "explore/compose/section_graph.h"

namespace dse::explore {

/// What a label adds up: a cost, or the bytes that stay resident in one memory.
struct LabelSum {
  int cost = -1;    // a Cost, or -1
  int memory = -1;  // index into SectionGraph::memories, or -1
};

/// Sum of some memories' peaks and of some label sums: an objective or the left side of a limit.
struct LinearForm {
  std::vector<int> peaks;  // indices into SectionGraph::memories
  std::vector<int> sums;   // indices into Problem::sums
  std::int64_t limit = kUnlimited;
};

struct Problem {
  const SectionGraph* graph = nullptr;
  std::vector<LabelSum> sums;  // at least one
  std::vector<LinearForm> objectives, limits;
  std::size_t max_labels = 20000;  // per state
  bool merge = false;              // beyond max_labels, labels become their least values instead of being dropped
  std::size_t tails = 1;           // per state: groups of ways to the end that a label is judged by
  std::function<bool()> stop;      // asked now and then
};

/// The value of a form for peaks and label sums.
std::int64_t value_of(const LinearForm& form, const MemoryVector& peaks, const std::vector<std::int64_t>& sums);

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

  std::int64_t labels() const { return labels_; }
  bool cut() const { return cut_; }  // labels were dropped, or merged, for being too many

  static std::unique_ptr<LabelSolver> make(const Problem& problem);

 protected:
  std::vector<Found> found_;
  std::int64_t labels_ = 0;
  bool cut_ = false;
};

}  // namespace dse::explore
