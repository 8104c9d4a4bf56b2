#include "explore/pool.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace dse::explore {
namespace {

bool write_all(int fd, const void* data, std::size_t size) {
  const char* p = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::send(fd, p, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_all(int fd, void* data, std::size_t size) {
  char* p = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = ::recv(fd, p, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

struct Header {
  std::int64_t item;
  std::int64_t size;  // of the bytes that follow
  std::int64_t failed;
};

[[noreturn]] void serve(int fd, const std::function<std::string(std::int64_t)>& work) {
  ::signal(SIGINT, SIG_IGN), ::signal(SIGTERM, SIG_IGN);  // the parent decides when to stop
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);                     // and nobody works for one that has gone
  std::int64_t item = 0;
  while (read_all(fd, &item, sizeof item) && item >= 0) {
    Header header{item, 0, 0};
    std::string bytes;
    try {
      bytes = work(item);
    } catch (const std::exception& e) {
      header.failed = 1;
      bytes = e.what();
    }
    header.size = static_cast<std::int64_t>(bytes.size());
    if (!write_all(fd, &header, sizeof header) || !write_all(fd, bytes.data(), bytes.size())) break;
  }
  std::fflush(stderr);
  ::_exit(0);  // no destructors: the parent owns everything
}

struct Worker {
  pid_t pid = -1;
  int fd = -1;
  bool busy = false;
};

class Workers {
 public:
  ~Workers() {
    for (auto& w : list) {
      if (w.fd >= 0) ::close(w.fd);
      if (w.pid > 0) {
        if (abandon) ::kill(w.pid, SIGKILL);
        ::waitpid(w.pid, nullptr, 0);
      }
    }
  }
  std::vector<Worker> list;
  bool abandon = false;
};

}  // namespace

std::vector<std::optional<std::string>> fork_map(std::int64_t items, int jobs,
                                                 const std::function<std::string(std::int64_t)>& work,
                                                 const std::function<void(std::int64_t, const std::string&)>& done,
                                                 const std::atomic<bool>* interrupted, WhenInterrupted when) {
  std::vector<std::optional<std::string>> results(static_cast<std::size_t>(items));
  if (items == 0) return results;
  std::fflush(stdout), std::fflush(stderr);
  Workers workers;
  const int count = static_cast<int>(std::clamp<std::int64_t>(jobs, 1, items));
  for (int i = 0; i < count; ++i) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
      throw std::runtime_error("cannot make a socket pair for a worker");
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("cannot start a worker process");
    if (pid == 0) {
      ::close(pair[0]);
      for (auto& w : workers.list) ::close(w.fd);
      serve(pair[1], work);
    }
    ::close(pair[1]);
    workers.list.push_back({pid, pair[0], false});
  }
  std::int64_t next = 0, open = 0;
  auto stop = [&] { return interrupted && interrupted->load(); };
  auto feed = [&](Worker& w) {
    if (next >= items || stop()) return;
    const std::int64_t item = next++;
    if (!write_all(w.fd, &item, sizeof item)) throw std::runtime_error("a worker process has gone");
    w.busy = true;
    ++open;
  };
  workers.abandon = true;  // until all went well
  for (auto& w : workers.list) feed(w);
  while (open > 0) {
    if (stop() && when == WhenInterrupted::abandon) return results;  // and the workers end here
    std::vector<pollfd> fds;
    for (auto& w : workers.list) fds.push_back({w.fd, static_cast<short>(w.busy ? POLLIN : 0), 0});
    if (::poll(fds.data(), fds.size(), 200) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
    for (std::size_t i = 0; i < fds.size(); ++i) {
      auto& w = workers.list[i];
      if (!w.busy || !(fds[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      Header header{};
      if (!read_all(w.fd, &header, sizeof header)) throw std::runtime_error("a worker process died");
      std::string bytes(static_cast<std::size_t>(header.size), '\0');
      if (!read_all(w.fd, bytes.data(), bytes.size())) throw std::runtime_error("a worker process died");
      if (header.failed) throw std::runtime_error(bytes);
      if (done) done(header.item, bytes);
      results[static_cast<std::size_t>(header.item)] = std::move(bytes);
      w.busy = false;
      --open;
      feed(w);
    }
  }
  workers.abandon = false;
  return results;
}

}  // namespace dse::explore
