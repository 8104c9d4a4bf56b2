// The parent's side of one worker process of explore/pool: its start, its end, and what it says in between.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "explore/workers/pool_worker.h"

namespace dse::explore {

struct UnmapSlot {
  void operator()(WorkerSlot* slot) const;
};

/// What the parent knows of one worker process. At most one process at a time; may be started again after its end.
class WorkerProcess {
 public:
  WorkerProcess() = default;
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  /// Forks. `in_child` runs first there, to let go of what belongs to others.
  /// @throws std::runtime_error when the system gives no process, socket or memory.
  void start(const std::function<std::string(std::int64_t, Post&)>& work, const std::function<void()>& in_child);
  bool runs() const { return pid_ > 0; }
  /// The parent's end of its socket; -1 without a process.
  int descriptor() const { return fd_; }
  void close_descriptor();
  void hand_out(std::int64_t item) const;
  /// Appends to `inbox` what one read of the socket gives, without waiting. Returns the number of bytes, 0 at the end
  /// of the stream, -1 for nothing now.
  ssize_t receive();
  /// SIGKILL, without waiting for the end.
  void kill() const;
  /// Has the process ended by itself, whatever still keeps its socket open?
  bool has_ended() const;
  /// Ends the process if it has not ended by itself, completes `inbox` with all that it left, and returns how it ended,
  /// as Lost::how has it.
  std::string end();

  bool begun(std::int64_t item) const { return slot_ && slot_->item.load() == item; }
  std::int64_t mark() const { return slot_->mark.load(); }
  /// Grows with each sign of life.
  std::uint64_t signs() const { return slot_->signs.load(std::memory_order_relaxed); }

  std::string inbox;  ///< received and not yet taken by the owner

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  std::uint64_t received_ = 0;  // bytes of its stream
  std::unique_ptr<WorkerSlot, UnmapSlot> slot_;
};

}  // namespace dse::explore
