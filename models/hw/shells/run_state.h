// What the blocks of one run share: the origin of its time, the scoreboard of completed tasks and the log of all tasks.
#pragma once
#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <systemc>
#include <vector>

#include "models/hw/clocking.h"
#include "models/hw/ports/arbiter.h"
#include "program/program.h"

namespace dse::hw {

/// One task as it ran. `cost` parts are kept because the account needs them when the task itself is gone.
struct TaskEntry {
  const program::TaskTemplate* task;
  std::int32_t section, tile;  // section counts through all jobs
  std::int16_t queue, job;
  bool compute;           // arithmetic, not a copy
  std::int32_t ready_by;  // entry whose end made it ready; -1 = none
  Tick issued, ready, start, end, fixed, busy;
};

/// Control stood at a Wait from `from` until `until`, and went on at `end`.
struct WaitEntry {
  std::int32_t section;
  Tick from, until, end;
};

/// A kernel of a command stream as it ran: from the end of what ended last before it, to its own.
struct StreamPart {
  std::int32_t entry;   // of the stream
  std::int32_t number;  // of the kernel (program::StreamPayload)
  Tick end, busy;       // busy: of that time its multipliers, or its output unit, worked
};

struct RunLog {
  std::vector<StreamPart> parts;  // by stream in order of their ends
  std::vector<TaskEntry> tasks;   // in issue order
  std::vector<WaitEntry> waits;
  std::array<std::vector<std::int32_t>, kMaxQueues> of_queue;                       // entries in order, over all jobs
  std::array<std::int64_t, kMaxMemories> read{}, written{};                         // bytes
  std::array<std::int64_t, kMaxMemories> read_accesses{}, write_accesses{};         // where they have an energy
  std::array<std::int64_t, kMaxQueues> macs{}, macs_int16{}, elements{}, cycles{};  // macs_int16: part of macs
  void clear() {
    tasks.clear(), waits.clear(), parts.clear();
    for (auto& q : of_queue) q.clear();
    read.fill(0), written.fill(0), read_accesses.fill(0), write_accesses.fill(0);
    macs.fill(0), macs_int16.fill(0), elements.fill(0), cycles.fill(0);
  }
};

/// Completed tasks per queue (within the current job), and who waits for the next completion there. Stands for the
/// event lines between engines.
class Scoreboard {
 public:
  void clear() { completed_.fill(0), waiting_.fill(0); }
  std::int32_t completed(int queue) const { return completed_[static_cast<std::size_t>(queue)]; }
  bool holds(const program::TaskInstance& t) const {
    for (int i = 0; i < t.after_count; ++i)
      if (completed(t.after[static_cast<std::size_t>(i)].queue) < t.after[static_cast<std::size_t>(i)].count)
        return false;
    return true;
  }
  /// Queues to wake when `queue` completes its next task.
  void await(int queue, int waiter) { waiting_[static_cast<std::size_t>(queue)] |= 1u << waiter; }
  std::uint32_t complete(int queue) {
    ++completed_[static_cast<std::size_t>(queue)];
    const std::uint32_t woken = waiting_[static_cast<std::size_t>(queue)];
    waiting_[static_cast<std::size_t>(queue)] = 0;
    return woken;
  }

 private:
  std::array<std::int32_t, kMaxQueues> completed_{};
  std::array<std::uint32_t, kMaxQueues> waiting_{};
};

struct RunState {
  std::uint64_t origin = 0;  // simulation time at which this run began
  Scoreboard scoreboard;
  RunLog log;
  std::array<std::int32_t, kMaxQueues> queue_origin{};  // tasks of earlier jobs per queue
  bool stopped = false;                                 // a failure was found: nothing more starts
  std::string refused;                                  // what an NPU stopped for: its stream is wrong
  std::exception_ptr error;                             // thrown inside a process: rethrown by the run
  /// Ticks since the run began, as of the process that runs now: each process calls enter() first.
  Tick now() const { return now_; }
  void enter() { now_ = static_cast<Tick>(sc_core::sc_time_stamp().value() - origin); }
  void fail(std::exception_ptr e) {
    if (!error) error = e;
    stopped = true;
  }

 private:
  Tick now_ = 0;
};

/// One tick is the kernel's resolution: exact for any clock.
inline sc_core::sc_time to_time(Tick t) {
  return t == 0 ? sc_core::sc_time() : sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t));
}

}  // namespace dse::hw
