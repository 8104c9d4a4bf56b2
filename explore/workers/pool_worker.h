// The worker's side of explore/pool, and what it shares with its parent.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "explore/workers/post.h"

namespace dse::explore {

/// `exhausted`: there was no memory for an item.
enum class FrameKind : std::int32_t { message, done, failed, exhausted };

/// Stands before the bytes of everything that a worker says.
struct FrameHeader {
  std::int64_t item = 0;
  std::int64_t size = 0;  ///< of the bytes that follow
  FrameKind kind = FrameKind::message;
  std::int32_t magic = 0x706f6f6c;  ///< a worker whose memory is damaged shall not be believed
};

/// Memory that a worker shares with its parent. What the worker says is one stream of bytes; those in [base, committed)
/// are in `batch` until they are written to the socket, so that the parent finds them there when the worker dies.
struct WorkerSlot {
  static constexpr std::size_t batch_bytes = 64 * 1024;
  std::atomic<std::int64_t> item{-1};  ///< begun and not done
  std::atomic<std::int64_t> mark{-1};
  std::atomic<std::uint64_t> signs{0};      ///< of life, counted
  std::atomic<std::uint64_t> base{0};       ///< position in the stream of batch[0]
  std::atomic<std::uint64_t> committed{0};  ///< end of the last complete frame
  std::array<char, batch_bytes> batch{};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "shared between processes");

/// The bytes of the stream after the `received` first that a dead worker left in its batch; empty when it left nothing
/// or nothing that makes sense.
std::string left_behind(const WorkerSlot& slot, std::uint64_t received);

/// From now on this process cannot have `more` bytes of data beyond what it has: allocations throw std::bad_alloc.
void limit_memory(std::int64_t more);

/// The life of a worker: items come in on `fd` as numbers, frames go out. Does not return.
[[noreturn]] void serve(int fd, WorkerSlot& slot, int parent,
                        const std::function<std::string(std::int64_t, Post&)>& work);

}  // namespace dse::explore
