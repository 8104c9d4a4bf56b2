#include "explore/workers/pool_worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace dse::explore {
namespace {

constexpr auto batch_age = std::chrono::milliseconds(50);

/// A parent that has gone needs nothing more.
void write_all(int fd, const void* data, std::size_t size) {
  const char* p = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::send(fd, p, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(0);
    p += n, size -= static_cast<std::size_t>(n);
  }
}

bool next_item(int fd, std::int64_t& item) {
  char* p = reinterpret_cast<char*>(&item);
  std::size_t size = sizeof item;
  while (size > 0) {
    const ssize_t n = ::recv(fd, p, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

class SocketPost final : public Post {
 public:
  SocketPost(int fd, WorkerSlot& slot) : fd_(fd), slot_(slot), flushed_(std::chrono::steady_clock::now()) {}

  void begin(std::int64_t item) {
    slot_.mark.store(-1);
    slot_.item.store(item);
    item_ = item;
    sign();
  }
  void end(FrameKind how, const std::string& bytes) {
    put(how, bytes);
    if (how == FrameKind::done) slot_.item.store(-1);
    sign();
    flush();
  }
  void mark(std::int64_t candidate) override {
    slot_.mark.store(candidate, std::memory_order_relaxed);
    sign();
    if (used() > 0) flush_if_old();
  }
  void send(const std::string& message) override {
    put(FrameKind::message, message);
    sign();
    flush_if_old();
  }

 private:
  void sign() { slot_.signs.fetch_add(1, std::memory_order_relaxed); }
  std::size_t used() const {
    return static_cast<std::size_t>(slot_.committed.load(std::memory_order_relaxed) -
                                    slot_.base.load(std::memory_order_relaxed));
  }
  void put(FrameKind kind, const std::string& bytes) {
    const FrameHeader header{item_, static_cast<std::int64_t>(bytes.size()), kind};
    const std::size_t size = sizeof header + bytes.size();
    if (used() + size > WorkerSlot::batch_bytes) flush();
    const auto end = slot_.committed.load(std::memory_order_relaxed) + size;
    if (size <= WorkerSlot::batch_bytes) {
      char* to = slot_.batch.data() + used();
      std::memcpy(to, &header, sizeof header);
      std::copy(bytes.begin(), bytes.end(), to + sizeof header);
      slot_.committed.store(end, std::memory_order_release);
    } else {  // too large for a batch; the batch is empty
      write_all(fd_, &header, sizeof header);
      write_all(fd_, bytes.data(), bytes.size());
      slot_.committed.store(end);
      slot_.base.store(end);
    }
  }
  /// Killed at any point between, the parent has the bytes from the socket or from the batch, and none twice: it knows
  /// how much of the stream it has.
  void flush() {
    write_all(fd_, slot_.batch.data(), used());
    slot_.base.store(slot_.committed.load(std::memory_order_relaxed), std::memory_order_release);
    flushed_ = std::chrono::steady_clock::now();
  }
  void flush_if_old() {
    if (std::chrono::steady_clock::now() - flushed_ >= batch_age) flush();
  }

  int fd_;
  WorkerSlot& slot_;
  std::int64_t item_ = -1;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace

std::string left_behind(const WorkerSlot& slot, std::uint64_t received) {
  const auto base = slot.base.load(), committed = slot.committed.load();
  if (received < base || received >= committed || committed - base > WorkerSlot::batch_bytes) return {};
  return {slot.batch.data() + (received - base), static_cast<std::size_t>(committed - received)};
}

void limit_memory(std::int64_t more) {
  std::int64_t pages[6] = {};  // proc(5): size, resident, shared, text, lib, data
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return;
  int read = 0;
  for (auto& p : pages) read += std::fscanf(file, "%ld", &p);
  std::fclose(file);
  if (read != 6) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const auto most = static_cast<rlim_t>(pages[5] * ::sysconf(_SC_PAGESIZE) + more);
  limit.rlim_cur = std::min(limit.rlim_max, most);
  ::setrlimit(RLIMIT_DATA, &limit);
}

void serve(int fd, WorkerSlot& slot, int parent, const std::function<std::string(std::int64_t, Post&)>& work) {
  ::signal(SIGINT, SIG_IGN), ::signal(SIGTERM, SIG_IGN);  // the parent decides when to stop
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);                     // and nobody works for one that has gone
  if (::getppid() != parent) ::_exit(0);                  // which may have happened already
  SocketPost post(fd, slot);
  for (std::int64_t item = 0; next_item(fd, item);) {
    post.begin(item);
    std::string bytes;
    FrameKind how = FrameKind::done;
    try {
      bytes = work(item, post);
    } catch (const std::bad_alloc&) {
      how = FrameKind::exhausted;
    } catch (const std::exception& e) {
      how = FrameKind::failed, bytes = e.what();
    } catch (...) {
      how = FrameKind::failed, bytes = "unknown exception";
    }
    std::fflush(stdout), std::fflush(stderr);  // the parent ends an idle worker without asking
    post.end(how, bytes);
  }
  ::_exit(0);  // no destructors: the parent owns everything
}

}  // namespace dse::explore
