// From which height on buffers can lie across a border between two sections.
#pragma once
#include "plan/alloc/valleys/skyline.h"

namespace dse::plan::alloc {

/// Where nothing can be spared on either side of a border, the buffers that end at it and those that begin at it
/// belong together: below the lowest one that lies across it, some of the first fill the one side as high as some of
/// the second fill the other.
class Borders {
 public:
  explicit Borders(const Skyline& skyline);

  /// The lowest offset, as far as this tells it, of an open buffer that lies across the border, between two sections
  /// with open buffers. At least the line of both.
  std::int64_t across(int border);
  /// What finding that out has cost so far, in sums.
  std::int64_t work() const { return work_; }
  /// All that end there, open or not.
  const std::vector<int>& ends(int border) const { return ends_[border]; }

 private:
  struct Known {
    std::uint64_t key = 0;
    std::int64_t height = 0;
  };
  static constexpr std::size_t kKnown = std::size_t{1} << 14;

  std::int64_t meeting(int border);

  const Skyline& sky_;
  std::int64_t work_ = 0;
  std::vector<std::vector<int>> ends_;  // per border
  std::vector<Known> known_;
  Sums left_, right_;
};

}  // namespace dse::plan::alloc
