#include "explore/workers/pool_process.h"

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace dse::explore {
namespace {

constexpr std::size_t most_per_read = WorkerSlot::batch_bytes;

[[noreturn]] void refuse(const char* what, int error) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(error)));
}

WorkerSlot* map_slot() {
  void* memory = ::mmap(nullptr, sizeof(WorkerSlot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse("no memory for a worker", errno);
  return new (memory) WorkerSlot;
}

/// A search takes tens of megabytes and gives them back for the next one to take: pages that a worker has stay its own,
/// or a sixth of the time goes into getting them again.
void keep_pages() {
  constexpr int kLargest = 32 << 20;  // the most that the C library takes, mallopt(3)
  ::mallopt(M_MMAP_THRESHOLD, kLargest);
  ::mallopt(M_TRIM_THRESHOLD, 8 * kLargest);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("exit code {}", WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

}  // namespace

void UnmapSlot::operator()(WorkerSlot* slot) const { ::munmap(slot, sizeof *slot); }

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : inbox(std::move(other.inbox)),
      pid_(std::exchange(other.pid_, -1)),
      fd_(std::exchange(other.fd_, -1)),
      received_(other.received_),
      slot_(std::move(other.slot_)) {}

WorkerProcess::~WorkerProcess() {
  if (runs()) {
    kill();
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close_descriptor();
}

void WorkerProcess::start(const std::function<std::string(std::int64_t, Post&)>& work,
                          const std::function<void()>& in_child) {
  if (slot_)
    new (slot_.get()) WorkerSlot;  // as new: its last user has ended
  else
    slot_.reset(map_slot());
  inbox.clear();
  received_ = 0;
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    refuse("cannot make a socket for a worker", errno);
  std::fflush(stdout), std::fflush(stderr);  // or both would write what waits there
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) {
    const int error = errno;
    ::close(pair[0]), ::close(pair[1]);
    refuse("cannot start a worker process", error);
  }
  if (pid == 0) {
    ::close(pair[0]);
    keep_pages();
    in_child();
    serve(pair[1], *slot_, parent, work);
  }
  ::close(pair[1]);
  pid_ = pid, fd_ = pair[0];
}

void WorkerProcess::close_descriptor() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void WorkerProcess::hand_out(std::int64_t item) const {
  // The few bytes always fit; a worker that has just died is noticed when its answer fails to come.
  (void)::send(fd_, &item, sizeof item, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t WorkerProcess::receive() {
  const auto before = inbox.size();
  inbox.resize(before + most_per_read);
  ssize_t n;
  do n = ::recv(fd_, inbox.data() + before, most_per_read, MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) n = 0;  // reset by a worker that died
  inbox.resize(before + static_cast<std::size_t>(n > 0 ? n : 0));
  if (n > 0) received_ += static_cast<std::uint64_t>(n);
  return n;
}

void WorkerProcess::kill() const {
  if (runs()) ::kill(pid_, SIGKILL);
}

bool WorkerProcess::has_ended() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
}

std::string WorkerProcess::end() {
  int status = 0;
  kill();  // one that is on its way out already keeps the status that it has
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  while (receive() > 0) {
  }
  close_descriptor();
  inbox += left_behind(*slot_, received_);
  return how_it_ended(status);
}

}  // namespace dse::explore
