#include "tests/cli/conversation.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "tests/cli/process.h"

namespace dse::test {

Conversation::Conversation(const std::vector<std::string>& arguments) {
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  child_ = ::fork();
  if (child_ < 0) throw std::runtime_error("fork");
  if (child_ == 0) {
    if (::dup2(to[0], 0) < 0 || ::dup2(from[1], 1) < 0) ::_exit(127);
    exec_dse(arguments);
  }
  ::close(to[0]);
  ::close(from[1]);
  in_ = to[1], out_ = from[0];
}

Conversation::~Conversation() {
  finish();
  ::close(out_);
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void Conversation::say(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const auto n = ::write(in_, bytes.data() + done, bytes.size() - done);
    if (n <= 0) throw std::runtime_error("dse does not listen");
    done += static_cast<std::size_t>(n);
  }
}

std::optional<std::string> Conversation::hear() {
  for (;;) {
    if (const auto end = heard_.find('\n'); end != std::string::npos) {
      auto line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return line;
    }
    pollfd ready{out_, POLLIN, 0};
    if (::poll(&ready, 1, 60'000) != 1) throw std::runtime_error("dse says nothing");
    char bytes[4096];
    const auto n = ::read(out_, bytes, sizeof bytes);
    if (n <= 0) return std::nullopt;
    heard_.append(bytes, static_cast<std::size_t>(n));
  }
}

void Conversation::finish() {
  if (in_ >= 0) ::close(in_);
  in_ = -1;
}

void Conversation::signal(int number) const { ::kill(child_, number); }

int Conversation::exit() {
  int status = 0;
  const bool ended = ::waitpid(child_, &status, 0) == child_;
  child_ = -1;
  if (!ended || !WIFEXITED(status)) throw std::runtime_error("dse was killed");
  return WEXITSTATUS(status);
}

}  // namespace dse::test
