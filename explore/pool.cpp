#include "explore/pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "explore/pool_worker.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;

/// Processes that die with nothing in hand, one after the other without any work done: something ends them all.
constexpr int most_idle_deaths = 100;

struct Unmap {
  void operator()(WorkerSlot* slot) const { ::munmap(slot, sizeof *slot); }
};
using SharedSlot = std::unique_ptr<WorkerSlot, Unmap>;

SharedSlot make_slot() {
  void* memory = ::mmap(nullptr, sizeof(WorkerSlot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error(fmt::format("no memory for a worker: {}", std::strerror(errno)));
  return SharedSlot(new (memory) WorkerSlot);
}

/// What the parent knows of one worker process.
struct Worker {
  pid_t pid = -1;
  int fd = -1;
  SharedSlot slot;
  std::int64_t item = -1;      // handed out, its result not in yet
  std::string inbox;           // an incomplete frame
  std::uint64_t received = 0;  // bytes of its stream
  std::uint64_t signs = 0;     // as last seen
  double silence = 0;          // seconds
  std::string failure;         // what `work` threw
  bool failed = false, lying = false;
};

/// Ends the process if it has not ended by itself. Returns its wait status.
int reap(Worker& w) {
  int status = 0;
  if (w.pid > 0) {
    ::kill(w.pid, SIGKILL);  // one that is on its way out already keeps the status that it has
    while (::waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  w.pid = -1;
  return status;
}

class Pool {
 public:
  Pool(std::int64_t items, const PoolOptions& options, const std::function<std::string(std::int64_t, Post&)>& work,
       const PoolEvents& events)
      : items_(items), options_(options), work_(work), events_(events), results_(static_cast<std::size_t>(items)) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (const auto& w : workers_)
      if (w.pid > 0) ::kill(w.pid, SIGKILL);  // an idle one has nothing left to do either
    for (auto& w : workers_) {
      reap(w);
      if (w.fd >= 0) ::close(w.fd);
    }
  }

  std::vector<std::optional<std::string>> run();

 private:
  bool interrupted() const { return options_.interrupted && options_.interrupted->load(); }
  bool stopped() const { return interrupted() || (options_.deadline && Clock::now() >= *options_.deadline); }
  bool work_left() const { return (next_ < items_ || !returned_.empty()) && !stopped(); }
  void start(Worker& w);
  void hand_out(Worker& w, std::int64_t item);
  void feed(Worker& w);
  ssize_t receive(Worker& w);
  void read_frames(Worker& w);
  void settle(Worker& w, bool hung);
  void lose(Worker& w, const std::string& how, bool hung);
  void look_for_silence(double seconds);

  std::int64_t items_;
  const PoolOptions& options_;
  const std::function<std::string(std::int64_t, Post&)>& work_;
  const PoolEvents& events_;
  std::vector<std::optional<std::string>> results_;
  std::vector<Worker> workers_;
  std::int64_t next_ = 0;              // the first item that nobody has had yet
  std::deque<std::int64_t> returned_;  // handed out, but never begun
  std::map<std::pair<std::int64_t, std::int64_t>, int> losses_;
  int idle_deaths_ = 0;  // since anything was done or lost
  std::string scratch_ = std::string(256 * 1024, '\0'), message_;
};

void Pool::start(Worker& w) {
  if (!w.slot) w.slot = make_slot();
  new (w.slot.get()) WorkerSlot;  // as new for the next one
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    throw std::runtime_error(fmt::format("cannot make a socket pair for a worker: {}", std::strerror(errno)));
  std::fflush(stdout), std::fflush(stderr);
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) {
    const int error = errno;
    ::close(pair[0]), ::close(pair[1]);
    throw std::runtime_error(fmt::format("cannot start a worker process: {}", std::strerror(error)));
  }
  if (pid == 0) {
    ::close(pair[0]);
    for (auto& other : workers_)
      if (other.fd >= 0) ::close(other.fd);
    serve(pair[1], *w.slot, parent, work_);
  }
  ::close(pair[1]);
  w.pid = pid, w.fd = pair[0], w.item = -1, w.received = 0, w.signs = 0, w.silence = 0;
  w.inbox.clear(), w.failure.clear();
  w.failed = w.lying = false;
}

void Pool::hand_out(Worker& w, std::int64_t item) {
  w.item = item, w.silence = 0;
  // The few bytes always fit; a worker that has just died is noticed when its answer fails to come.
  (void)::send(w.fd, &item, sizeof item, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Gives an idle worker, or a new one in the place of a dead one, the next item if there is one.
void Pool::feed(Worker& w) {
  if (!work_left()) return;
  if (w.pid < 0) start(w);
  if (returned_.empty()) return hand_out(w, next_++);
  const auto item = returned_.front();
  returned_.pop_front();
  hand_out(w, item);
}

/// Takes what one read of the socket gives, without waiting. Returns the bytes, 0 at the end, or -1 for nothing now.
ssize_t Pool::receive(Worker& w) {
  ssize_t n;
  do n = ::recv(w.fd, scratch_.data(), scratch_.size(), MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) n = 0;  // reset by a worker that died
  if (n > 0) {
    w.received += static_cast<std::uint64_t>(n);
    w.silence = 0;
    w.inbox.append(scratch_.data(), static_cast<std::size_t>(n));
  }
  return n;
}

/// Delivers the complete frames of the inbox.
void Pool::read_frames(Worker& w) {
  std::size_t at = 0;
  FrameHeader h;
  while (!w.lying && !w.failed && w.inbox.size() - at >= sizeof h) {
    std::memcpy(&h, w.inbox.data() + at, sizeof h);
    if (h.magic != FrameHeader{}.magic || h.item != w.item || h.item < 0 || h.size < 0) {
      w.lying = true;
      break;
    }
    const auto size = static_cast<std::size_t>(h.size);
    if (w.inbox.size() - at - sizeof h < size) break;
    message_.assign(w.inbox, at + sizeof h, size);
    at += sizeof h + size;
    if (h.kind == FrameKind::message) {
      if (events_.on_message) events_.on_message(h.item, message_);
    } else if (h.kind == FrameKind::done) {
      if (events_.on_done) events_.on_done(h.item, message_);
      results_[static_cast<std::size_t>(h.item)] = std::move(message_);
      w.item = -1, idle_deaths_ = 0;
    } else {
      w.failed = true, w.failure = message_;
    }
  }
  w.inbox.erase(0, at);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("exit code {}", WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

/// Ends a worker that died, failed or is to be given up: delivers all that it said, drops a frame that was cut off,
/// and finds out what that leaves of its item. `hung`: for the silence.
void Pool::settle(Worker& w, bool hung) {
  const int status = reap(w);
  while (receive(w) > 0) {
  }
  ::close(std::exchange(w.fd, -1));
  w.inbox += left_behind(*w.slot, w.received);
  read_frames(w);
  const bool begun = w.item >= 0 && w.slot->item.load() == w.item;
  if (w.failed) return lose(w, "error: " + w.failure, false);
  if (w.lying) return lose(w, "messages that make no sense", false);
  if (begun && hung) return lose(w, fmt::format("no sign of life for {} s", options_.hang_seconds), true);
  if (begun) return lose(w, how_it_ended(status), false);
  if (w.item >= 0) returned_.push_front(std::exchange(w.item, -1));
  if (++idle_deaths_ > most_idle_deaths)
    throw std::runtime_error("worker processes end before they begin: " + how_it_ended(status));
  feed(w);
}

void Pool::lose(Worker& w, const std::string& how, bool hung) {
  Lost lost{std::exchange(w.item, -1), w.slot->mark.load(), how, hung, 0};
  lost.times = ++losses_[{lost.item, lost.mark}];
  idle_deaths_ = 0;
  if (!events_.on_lost) throw std::runtime_error(w.failed ? w.failure : "a worker process was lost: " + how);
  if (events_.on_lost(lost) == AfterLoss::give_up || stopped()) return feed(w);
  start(w);
  hand_out(w, lost.item);
}

bool has_ended(const Worker& w) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(w.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == w.pid;
}

/// `seconds`: since the last look, only as far as the parent paid attention.
void Pool::look_for_silence(double seconds) {
  for (auto& w : workers_) {
    if (w.item < 0) continue;
    if (const auto signs = w.slot->signs.load(std::memory_order_relaxed); signs != w.signs)
      w.signs = signs, w.silence = 0;
    else
      w.silence += seconds;
    if (options_.hang_seconds > 0 && w.silence >= options_.hang_seconds)
      settle(w, true);
    else if (w.silence > 0.5 && has_ended(w))  // and something that it had started keeps its socket open
      settle(w, false);
  }
}

std::vector<std::optional<std::string>> Pool::run() {
  workers_.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(options_.jobs, 1, items_)));
  for (auto& w : workers_) feed(w);
  // Long enough to cost nothing, short enough to notice an interruption and to measure silence. Nothing waits for it:
  // whatever a worker says, its death included, ends the wait.
  int patience = 100;
  if (options_.hang_seconds > 0) patience = std::clamp(static_cast<int>(options_.hang_seconds * 250), 1, patience);
  std::vector<pollfd> fds(workers_.size());
  // A pass that took long because the parent was busy, or stopped from the terminal, says nothing about the workers.
  const double attention = options_.hang_seconds > 0 ? std::min(0.2, options_.hang_seconds / 2) : 0.2;
  auto last = Clock::now();
  while (std::any_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.item >= 0; })) {
    if (interrupted() && options_.when == WhenInterrupted::abandon) break;
    for (std::size_t i = 0; i < fds.size(); ++i)
      fds[i] = {workers_[i].fd, static_cast<short>(workers_[i].item >= 0 ? POLLIN : 0), 0};
    if (::poll(fds.data(), fds.size(), patience) < 0 && errno != EINTR)
      throw std::runtime_error(fmt::format("cannot wait for workers: {}", std::strerror(errno)));
    for (std::size_t i = 0; i < fds.size(); ++i) {
      auto& w = workers_[i];
      if (fds[i].revents == 0) continue;
      const auto n = receive(w);
      read_frames(w);
      if (n == 0 || w.failed || w.lying)
        settle(w, false);
      else if (w.item < 0)
        feed(w);
    }
    const auto now = Clock::now();
    look_for_silence(std::min(std::chrono::duration<double>(now - last).count(), attention));
    last = now;
  }
  return std::move(results_);
}

}  // namespace

std::vector<std::optional<std::string>> fork_map(std::int64_t items, const PoolOptions& options,
                                                 const std::function<std::string(std::int64_t, Post&)>& work,
                                                 const PoolEvents& events) {
  if (items <= 0) return {};
  return Pool(items, options, work, events).run();
}

}  // namespace dse::explore
