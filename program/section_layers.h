// Which layers a program's sections work for: the rows of every account.
#pragma once
#include <vector>

#include "program/program.h"

namespace dse::program {

/// What a section does for one operator of the network.
struct SectionLayer {
  int section = 0;
  int layer = 0;  // operator of the network
  bool operator==(const SectionLayer&) const = default;
};

/// Rows in order of section, then operator: one for a section of one layer, several for a section that runs layers by
/// phases or as one stream of an NPU. A program without sections counts as one.
class SectionLayers {
 public:
  explicit SectionLayers(const Program& program);
  const std::vector<SectionLayer>& rows() const { return rows_; }
  int sections() const { return static_cast<int>(first_.size()) - 1; }
  int first_row(int section) const { return first_[static_cast<std::size_t>(section)]; }
  int last_row(int section) const { return first_[static_cast<std::size_t>(section) + 1] - 1; }
  bool by_phases(int section) const { return first_row(section) != last_row(section); }
  /// The row of a task of this section.
  int row(int section, const TaskTemplate& task) const {
    const int first = first_row(section);
    return first == last_row(section) ? first : search(section, task);
  }

  /// The row of a layer that this section works for. @throws InvariantError when it does not.
  int row_of(int section, int layer) const;

 private:
  int search(int section, const TaskTemplate& task) const;
  int own_layer(int section) const;

  const Program* program_;
  std::vector<SectionLayer> rows_;
  std::vector<int> first_;  // row of each section, and the number of rows
};

}  // namespace dse::program
