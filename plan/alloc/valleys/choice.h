// Where the search in valleys goes on: at the place that leaves the fewest possibilities.
#pragma once
#include "plan/alloc/valleys/borders.h"
#include "plan/alloc/valleys/dead_ends.h"

namespace dse::plan::alloc {

/// A section and all that can be done about its lowest units.
struct Choice {
  int section = -1;
  std::vector<int> buffers;  // one of these lies there,
  std::int64_t raised = -1;  // or nothing does, and the section is empty up to here; -1 = that cannot be
  SectionRange reason;       // on which that depends
};

/// Finds choices. A valley is a level stretch of the line between higher sides; what is placed on its ground lies
/// between its sides. The ground is tiled by such buffers and by what may stay empty.
class Chooser {
 public:
  explicit Chooser(const Skyline& skyline);

  /// The narrowest choice in the sections [first, end), which open buffers connect with each other and with no others.
  /// False: there is no layout, because some valley cannot be filled.
  bool choose(int first, int end, Choice& choice);
  /// If the last call said false: why.
  const SectionRange& reason() const { return reason_; }
  /// What the last call has looked at, in buffers and sections.
  std::int64_t work() const { return work_ + borders_.work() - summed_; }

 private:
  struct Valley {
    int first, end;
    std::int64_t ground, side;  // what does not lie inside lies at or above the side; kNoSide = all lies inside
  };
  static constexpr std::int64_t kNoSide = INT64_MAX / 4;

  static constexpr std::int64_t kFirstWeight = 1 << 20, kFirstGain = 1 << 14, kMostGain = std::int64_t{1} << 40;
  static constexpr std::int64_t kScale = std::int64_t{1} << 48;  // weights stay below 2^47

  bool blame(const Valley& v);
  bool step_down(int border, int end);
  bool step_up(int border, int first);
  bool survey(const Valley& v);
  bool fill(const Valley& v);
  bool tile(const Valley& v);
  void count(const Valley& v);

  const Skyline& sky_;
  Borders borders_;
  std::int64_t work_ = 0, summed_ = 0;
  SectionRange reason_;
  Valley at_{};  // where the best choice so far is
  int section_ = -1;
  std::int64_t least_ = 0;
  std::int64_t gain_ = kFirstGain;
  std::vector<int> inside_;  // open buffers of a valley
  std::vector<int> tiles_;   // those that may lie on its ground
  // Per section or border.
  std::vector<std::int64_t> weight_;  // how much has failed there
  std::vector<std::int64_t> held_;    // sum of the sizes of those inside
  std::vector<std::int64_t> raised_;  // least line if nothing lies on the ground
  std::vector<std::int64_t> before_, after_;
  std::vector<int> firm_, number_;
  std::vector<char> from_left_, from_right_;
};

}  // namespace dse::plan::alloc
