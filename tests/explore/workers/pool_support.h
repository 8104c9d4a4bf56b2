// What the tests of worker processes share: a job whose results are known, ways for a worker to come to grief, and what
// a process has open.
#pragma once
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "explore/workers/pool.h"

namespace dse::explore {

inline PoolOptions with(int jobs, double hang_seconds = 0) {
  PoolOptions options;
  options.jobs = jobs, options.hang_seconds = hang_seconds;
  return options;
}

enum class Grief { segv, abort, exit, exception, killed, endless, stopped };
inline constexpr Grief all_griefs[] = {Grief::segv,   Grief::abort,   Grief::exit,   Grief::exception,
                                       Grief::killed, Grief::endless, Grief::stopped};

/// What Lost::how says of it, with a patience of 0.3 s.
inline const char* name_of(Grief g) {
  switch (g) {
    case Grief::segv:
      return "signal 11 (Segmentation fault)";
    case Grief::abort:
      return "signal 6 (Aborted)";
    case Grief::exit:
      return "exit code 3";
    case Grief::exception:
      return "error: bad luck";
    case Grief::killed:
      return "signal 9 (Killed)";
    case Grief::endless:
    case Grief::stopped:
      return "no sign of life for 0.3 s";
  }
  return "";
}

/// Does not return to the caller's work. Signals have their default effect whatever a sanitizer made of them, and leave
/// no core files.
inline void come_to(Grief g) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(SIGSEGV, SIG_DFL), ::signal(SIGABRT, SIG_DFL);
  switch (g) {
    case Grief::segv:
      ::raise(SIGSEGV);
      break;
    case Grief::abort:
      std::abort();
    case Grief::exit:
      ::_exit(3);
    case Grief::exception:
      throw std::runtime_error("bad luck");
    case Grief::killed:
      ::raise(SIGKILL);
      break;
    case Grief::endless:
      for (volatile bool on = true; on;) {
      }
      break;
    case Grief::stopped:
      ::raise(SIGSTOP);
      break;
  }
  throw std::logic_error("still alive");
}

/// The processes that this one has started, dead ones that nobody has asked after included.
inline std::vector<pid_t> children() {
  std::vector<pid_t> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream in(task.path() / "children");
    all.insert(all.end(), std::istream_iterator<pid_t>(in), {});
  }
  return all;
}

inline std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

inline bool no_children_left() { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

}  // namespace dse::explore
