// Which tasks of a program are ordered: vector clocks over its queues.
#pragma once
#include <cstdint>
#include <vector>

#include "program/program.h"

namespace dse::plan::check_detail {

/// What findings say about a task; tasks are numbered in issue order.
struct TaskNote {
  std::int32_t section, tile, queue, sequence;
  const program::TaskTemplate* task;
};

/// Clocks of all tasks issued so far. A clock counts, per queue, the tasks that are surely complete.
class HappensBefore {
 public:
  explicit HappensBefore(const program::Program& program);

  /// False when `t` waits for something that is not issued yet: then nothing is recorded.
  bool well_founded(const program::TaskInstance& t) const;
  /// Records a task (not a Wait). @returns its number.
  std::int32_t issue(const program::TaskInstance& t);
  /// Control waits for the completions of `t`.
  void wait(const program::TaskInstance& t);

  /// Whether task `earlier` is complete whenever task `later` starts.
  bool ordered(std::int32_t earlier, std::int32_t later) const {
    const TaskNote& e = notes_[static_cast<std::size_t>(earlier)];
    return starts_[static_cast<std::size_t>(later) * queues_ + static_cast<std::size_t>(e.queue)] >= e.sequence;
  }
  /// A task that may still be running now that control is here; -1 = none.
  std::int32_t in_flight() const;
  const TaskNote& note(std::int32_t task) const { return notes_[static_cast<std::size_t>(task)]; }

 private:
  void join(std::int32_t* clock, program::Completion c) const;

  std::size_t queues_;
  std::vector<TaskNote> notes_;
  std::vector<std::int32_t> starts_;                 // clock at each task's start, `queues_` entries each
  std::vector<std::vector<std::int32_t>> by_queue_;  // task numbers
  std::vector<std::int32_t> control_;
};

}  // namespace dse::plan::check_detail
