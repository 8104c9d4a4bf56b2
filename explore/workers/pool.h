// Worker processes. Results come back by item number, so they do not depend on how many workers there are; a worker
// that crashes or hangs costs the item that it had in hand and nothing else.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explore/workers/post.h"

namespace dse::explore {

/// An item that a worker had in hand when it was lost.
struct Lost {
  std::int64_t item = 0;
  std::int64_t mark = -1;  ///< the last one of this item
  std::string how;  ///< "signal 11 (Segmentation fault)", "exit code 3", "no sign of life for 60 s", "error: <what>",
                    ///< "out of memory"
  bool hung = false;
  bool exhausted = false;  ///< there was no memory for it: PoolOptions::memory, or the system's
  int times = 1;           ///< losses of this item at this mark so far, this one included
};

/// What to do with a lost item. `again`: the whole of it once more, in a worker that is forked now and therefore sees
/// what the parent has learnt. `give_up`: its result stays empty.
enum class AfterLoss { again, give_up };

/// What becomes of items that are under way when the whole is interrupted: finished, because their results are kept, or
/// given up at once (the messages sent so far arrive).
enum class WhenInterrupted { finish, abandon };

struct PoolOptions {
  int jobs = 1;             ///< workers, at least one
  double hang_seconds = 0;  ///< an item in hand without a sign of life for so long is lost; 0: waits for ever
  const std::atomic<bool>* interrupted = nullptr;  ///< looked at ten times a second
  WhenInterrupted when = WhenInterrupted::finish;
  std::optional<std::chrono::steady_clock::time_point> deadline;  ///< no item begins after it; those begun are finished
  std::optional<std::chrono::steady_clock::time_point> end;  ///< items under way then are given up, as if interrupted
  std::int64_t memory = 0;  ///< bytes that a worker may take beyond what it starts with; 0: any number
};

/// All called in the parent, one at a time. What they throw ends the workers and reaches the caller.
struct PoolEvents {
  std::function<void(std::int64_t item, const std::string& message)> on_message;
  std::function<void(std::int64_t item, const std::string& result)> on_done;
  std::function<AfterLoss(const Lost&)> on_lost;  ///< without it a loss throws std::runtime_error
  bool forget = false;  ///< what on_done was given is not kept: large results are returned as empty ones
};

/// Runs work(i, post) for i in [0, items) in `jobs` forked processes and returns the bytes each produced. A worker sees
/// the parent's memory as it was when it was forked: at the call, or after a loss. Items begin in order. A worker is
/// lost when a signal or exit() ends it, when `work` throws, or when it gives no sign of life; one that dies with
/// nothing in hand is replaced silently. Empty (nullopt) are the results of items given up, and of those that an
/// interruption or the deadline kept from beginning (or, with WhenInterrupted::abandon, from ending; takes about 0.1
/// s). No process and no descriptor outlives the call.
/// @throws std::runtime_error (std::bad_alloc: there was no memory) when an item is lost and there is no on_lost, and
/// when the system gives no more processes.
std::vector<std::optional<std::string>> fork_map(std::int64_t items, const PoolOptions& options,
                                                 const std::function<std::string(std::int64_t, Post&)>& work,
                                                 const PoolEvents& events = {});

}  // namespace dse::explore
