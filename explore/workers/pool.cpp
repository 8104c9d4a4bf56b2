#include "explore/workers/pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/log.h"
#include "explore/workers/pool_process.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;

/// Processes that die with nothing in hand, one after the other without any work done: something ends them all.
constexpr int most_idle_deaths = 100;

/// A worker and what it is at.
struct Worker {
  WorkerProcess process;
  std::int64_t item = -1;   // handed out, its result not in yet
  std::uint64_t signs = 0;  // as last seen
  double silence = 0;       // seconds
  std::string failure;      // what `work` threw
  bool failed = false, exhausted = false, lying = false;
};

class Pool {
 public:
  Pool(std::int64_t items, const PoolOptions& options, const std::function<std::string(std::int64_t, Post&)>& work,
       const PoolEvents& events)
      : items_(items), options_(options), work_(work), events_(events), results_(static_cast<std::size_t>(items)) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {  // an idle worker has nothing left to do either
    for (const auto& w : workers_) w.process.kill();
  }

  std::vector<std::optional<std::string>> run();

 private:
  bool interrupted() const { return options_.interrupted && options_.interrupted->load(); }
  bool abandons() const {
    return (interrupted() && options_.when == WhenInterrupted::abandon) ||
           (options_.end && Clock::now() >= *options_.end);
  }
  bool stopped() const {
    return interrupted() || (options_.deadline && Clock::now() >= *options_.deadline) ||
           (options_.end && Clock::now() >= *options_.end);
  }
  bool work_left() const { return (next_ < items_ || !returned_.empty()) && !stopped(); }
  void start(Worker& w);
  void hand_out(Worker& w, std::int64_t item);
  void feed(Worker& w);
  void read_frames(Worker& w);
  std::string dismiss(Worker& w);
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
  std::string message_;
};

void Pool::start(Worker& w) {
  w.process.start(work_, [this] {
    for (auto& other : workers_) other.process.close_descriptor();
    if (options_.memory > 0) limit_memory(options_.memory);
  });
  w.signs = 0;
  w.failure.clear();
  w.failed = w.exhausted = w.lying = false;
}

void Pool::hand_out(Worker& w, std::int64_t item) {
  w.item = item, w.silence = 0;
  w.process.hand_out(item);
}

/// Gives an idle worker, or a new one in the place of a dead one, the next item if there is one.
void Pool::feed(Worker& w) {
  if (!work_left()) return;
  if (!w.process.runs()) start(w);
  if (returned_.empty()) return hand_out(w, next_++);
  const auto item = returned_.front();
  returned_.pop_front();
  hand_out(w, item);
}

/// Delivers the complete frames of the inbox.
void Pool::read_frames(Worker& w) {
  auto& inbox = w.process.inbox;
  std::size_t at = 0;
  FrameHeader h;
  while (!w.lying && !w.failed && inbox.size() - at >= sizeof h) {
    std::memcpy(&h, inbox.data() + at, sizeof h);
    if (h.magic != FrameHeader{}.magic || h.item != w.item || h.item < 0 || h.size < 0) {
      w.lying = true;
      break;
    }
    const auto size = static_cast<std::size_t>(h.size);
    if (inbox.size() - at - sizeof h < size) break;
    message_.assign(inbox, at + sizeof h, size);
    at += sizeof h + size;
    if (h.kind == FrameKind::message) {
      if (events_.on_message) events_.on_message(h.item, message_);
    } else if (h.kind == FrameKind::done) {
      if (events_.on_done) events_.on_done(h.item, message_);
      auto& kept = results_[static_cast<std::size_t>(h.item)].emplace();
      if (!events_.forget) kept = std::move(message_);
      w.item = -1, idle_deaths_ = 0;
    } else {
      w.failed = true, w.failure = message_, w.exhausted = h.kind == FrameKind::exhausted;
    }
  }
  inbox.erase(0, at);
}

/// Ends a worker and delivers all that it said; a frame that was cut off is dropped. Returns how it ended.
std::string Pool::dismiss(Worker& w) {
  auto how = w.process.end();
  read_frames(w);
  return how;
}

/// Dismisses a worker that died, failed or is to be given up, and finds out what that leaves of its item. `hung`: for
/// its silence.
void Pool::settle(Worker& w, bool hung) {
  const auto how = dismiss(w);
  const bool begun = w.item >= 0 && w.process.begun(w.item);
  if (w.exhausted) return lose(w, "out of memory", false);
  if (w.failed) return lose(w, "error: " + w.failure, false);
  if (w.lying) return lose(w, "messages that make no sense", false);
  if (begun && hung) return lose(w, fmt::format("no sign of life for {} s", options_.hang_seconds), true);
  if (begun) return lose(w, how, false);
  if (w.item >= 0) returned_.push_front(std::exchange(w.item, -1));
  log_debug(fmt::format("a worker with nothing in hand ended ({}); another takes its place", how));
  if (++idle_deaths_ > most_idle_deaths) throw std::runtime_error("worker processes end before they begin: " + how);
  feed(w);
}

void Pool::lose(Worker& w, const std::string& how, bool hung) {
  Lost lost{std::exchange(w.item, -1), w.process.mark(), how, hung, w.exhausted, 0};
  lost.times = ++losses_[{lost.item, lost.mark}];
  log_info(
      fmt::format("a worker {} ({}), time {} for item {}", hung ? "hung" : "was lost", how, lost.times, lost.item));
  idle_deaths_ = 0;
  if (!events_.on_lost && lost.exhausted) throw std::bad_alloc();
  if (!events_.on_lost) throw std::runtime_error(w.failed ? w.failure : "a worker process was lost: " + how);
  if (events_.on_lost(lost) == AfterLoss::give_up || stopped()) return feed(w);
  log_debug(fmt::format("item {} goes to a new worker", lost.item));
  start(w);
  hand_out(w, lost.item);
}

/// `seconds`: since the last look, only as far as the parent paid attention.
void Pool::look_for_silence(double seconds) {
  for (auto& w : workers_) {
    if (w.item < 0) continue;
    if (const auto signs = w.process.signs(); signs != w.signs)
      w.signs = signs, w.silence = 0;
    else
      w.silence += seconds;
    if (options_.hang_seconds > 0 && w.silence >= options_.hang_seconds)
      settle(w, true);
    else if (w.silence > 0.5 && w.process.has_ended())  // and something that it had started keeps its socket open
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
    if (abandons()) {
      for (auto& w : workers_)
        if (w.process.runs()) dismiss(w);
      break;
    }
    for (std::size_t i = 0; i < fds.size(); ++i)
      fds[i] = {workers_[i].process.descriptor(), static_cast<short>(workers_[i].item >= 0 ? POLLIN : 0), 0};
    if (::poll(fds.data(), fds.size(), patience) < 0 && errno != EINTR)
      throw std::runtime_error(fmt::format("cannot wait for workers: {}", std::strerror(errno)));
    for (std::size_t i = 0; i < fds.size(); ++i) {
      auto& w = workers_[i];
      if (fds[i].revents == 0) continue;
      const auto n = w.process.receive();
      if (n > 0) w.silence = 0;
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
