#include "base/system/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace dse {

namespace {

constexpr std::size_t kMostOutput = 1 << 20;

[[noreturn]] void become(const std::vector<std::string>& argv, const std::string& folder, int out) {
  ::setpgid(0, 0);
  const int none = ::open("/dev/null", O_RDONLY);
  ::dup2(none, 0), ::dup2(out, 1), ::dup2(out, 2);
  std::vector<char*> words;
  for (const auto& a : argv) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  if (::chdir(folder.c_str()) == 0) ::execvp(words[0], words.data());
  ::_exit(127);
}

}  // namespace

Finished run_process(const std::vector<std::string>& argv, const std::string& folder, double seconds) {
  using Clock = std::chrono::steady_clock;
  Finished out;
  int ends[2];
  if (argv.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return out;
  const pid_t pid = ::fork();
  if (pid == 0) become(argv, folder, ends[1]);
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return out;
  }
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  char buffer[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd fd{ends[0], POLLIN, 0};
    const int ready = left > 0 ? ::poll(&fd, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      out.timed_out = true;
      ::kill(-pid, SIGKILL);
      break;
    }
    const ssize_t n = ::read(ends[0], buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    if (out.output.size() < kMostOutput) out.output.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string all = path ? path : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find(':', at), all.size());
    const auto file = std::filesystem::path(all.substr(at, end - at)) / name;
    if (::access(file.c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace dse
