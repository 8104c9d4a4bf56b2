// Which buffers are alive while a program's tasks run, and which of them an access lies in.
#pragma once
#include <cstdint>
#include <vector>

#include "program/program.h"

namespace dse::plan::check_detail {

class LiveBuffers {
 public:
  explicit LiveBuffers(const program::Program& program);

  /// The next section begins.
  void enter_next();
  int section() const { return section_; }
  /// The section's next task begins; Waits are none.
  void next_task() { ++ordinal_; }

  /// Every byte of an access lies in a buffer that is alive in this section, at whatever time.
  bool covered(const program::Access& a) const;
  /// The buffer alive in this section that an access lies in; -1 = none.
  int buffer_at(const program::Access& a);
  /// It lies in constants, a port or a preload.
  bool in_given_range(const program::Access& a) const;

  /// Buffers of a group hand the same bytes to each other: the smallest index of them.
  int group(int buffer) const { return groups_[static_cast<std::size_t>(buffer)]; }
  /// The group of the tensor buffer that holds a port's bytes at the beginning, at the end; kNoOwner: none does.
  int first_owner(const program::Port& port) const { return owner_in(port, 0, false); }
  int last_owner(const program::Port& port) const {
    return owner_in(port, static_cast<int>(program_.sections.size()) - 1, true);
  }

 private:
  bool contains(int buffer, const program::Access& a) const;
  /// The buffer has the bytes of this access in use while the current task is under way.
  bool uses(int buffer, const program::Access& a);
  /// In sections where buffers take turns with the same bytes.
  int windowed_at(const program::Access& a);
  /// The buffer has all of these bytes in use when the section begins (`at_end`: ends).
  bool at_edge(const program::Buffer& b, const program::Port& port, int section, bool at_end) const;
  int owner_in(const program::Port& port, int section, bool at_end) const;

  const program::Program& program_;
  std::vector<int> groups_;
  std::vector<std::vector<int>> buffers_;  // per arena: alive in this section, by offset
  /// The buffer that the last access lay in: accesses that begin in [begin, next) and end by `end` do too.
  struct {
    int arena = -1, buffer = -1;
    std::int64_t begin = 0, end = 0, next = 0;
  } last_;
  int section_ = -1;
  int ordinal_ = -1;                 // of the current task in its section, Waits not counted
  bool windowed_ = false;            // buffers have windows in this section
  std::vector<std::size_t> window_;  // per buffer: where its windows of this section, of this task, are
};

}  // namespace dse::plan::check_detail
