#include "cli/common/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace dse::cli {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // or a signal handler must not touch it
pid_t owner = 0;

extern "C" void on_signal(int) {
  flag.store(true);
  // Worker processes inherit the handler; only the first process speaks.
  static const char text[] = "\ninterrupted: finishing what is under way; once more to stop at once\n";
  if (::getpid() == owner) [[maybe_unused]]
    const auto n = ::write(STDERR_FILENO, text, sizeof text - 1);
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
  if (owner == 0) {
    owner = ::getpid();
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESETHAND | SA_RESTART;  // the second signal finds the default: death
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
  }
  return flag;
}

}  // namespace dse::cli
