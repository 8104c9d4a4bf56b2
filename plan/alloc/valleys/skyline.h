// How far up each section is filled, and what is still to be placed above.
#pragma once
#include <utility>
#include <vector>

#include "plan/alloc/valleys/blocks.h"

namespace dse::plan::alloc {

/// Open buffers lie at or above the line of every section in which they are alive. Sections [first, end), heights in
/// units.
class Skyline {
 public:
  /// Whether every free buffer takes the same units in all of its sections, which follow each other, and may lie at any
  /// unit; none is fixed.
  static bool suits(const Model& model);

  /// `blocks`: all active buffers; those to try first in front.
  Skyline(const Model& model, const std::vector<Block>& blocks, std::int64_t height);

  /// Places a buffer on the line, which must be level below it. It rests where the line is not hollow.
  void put(int buffer);
  /// Gives up the units of a section up to `to`; the line is hollow there.
  void raise(int section, std::int64_t to);
  std::size_t mark() const { return trail_.size(); }
  void take_back(std::size_t mark);

  /// Whether a buffer can be placed at this height under the whole height, and is the first among its equals: those
  /// with the same life and size change places freely.
  bool may_lie(int i, std::int64_t at) const {
    return open[i] && at <= highest_[i] && (equal_before_[i] < 0 || !open[equal_before_[i]]);
  }

  // Per buffer; `offset` only of placed ones.
  std::vector<int> first, end;
  std::vector<std::int64_t> size, offset;
  std::vector<char> open;
  // Per section: open buffers alive there, the line, units to spare, and whether nothing is known to lie below the
  // line.
  std::vector<std::vector<int>> begins;  // buffers that begin there, those to try first in front
  std::vector<int> alive;
  std::vector<std::int64_t> line, spare;
  std::vector<char> hollow;
  std::vector<int> crossing;  // per border, which has the number of the section after it: open buffers on both sides

 private:
  struct Change {
    int section;  // -1 - buffer: it was placed
    std::int64_t line, spare;
    char hollow;
  };
  std::vector<std::int64_t> highest_;  // offset that the height allows
  std::vector<int> equal_before_;
  std::vector<Change> trail_;
};

}  // namespace dse::plan::alloc
