#include "cli/plan/session.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "cli/command.h"

namespace dse::cli {
namespace {

/// Appends what there is to read, waiting for it. False when interrupted.
bool read_more(int in, explore::LineReader& lines, const std::atomic<bool>& interrupted) {
  std::array<char, 1 << 16> bytes;
  for (;;) {
    if (interrupted) return false;
    // Not for ever: a signal may come between the look at the flag and the call.
    pollfd ready{in, POLLIN, 0};
    const int events = ::poll(&ready, 1, 200);
    if (events == 0 || (events < 0 && errno == EINTR)) continue;
    const auto n = events < 0 ? -1 : ::read(in, bytes.data(), bytes.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) throw std::runtime_error(std::string("standard input cannot be read: ") + std::strerror(errno));
    if (n == 0)
      lines.finish();
    else
      lines.feed({bytes.data(), static_cast<std::size_t>(n)});
    return true;
  }
}

}  // namespace

int answer_lines(explore::Evaluator& evaluator, int in, std::FILE* out, const std::atomic<bool>& interrupted) {
  using Status = explore::Evaluation::Status;
  explore::LineReader lines;
  int worst = Exit::ok;
  std::int64_t count = 0;
  for (;;) {
    auto line = lines.next();
    if (!line) {
      if (lines.finished()) return worst;
      if (!read_more(in, lines, interrupted)) return Exit::interrupted;
      continue;
    }
    ++count;
    const auto result = evaluator.evaluate(*line);
    if (result.status == Status::mismatch || result.status == Status::failed) {
      fmt::print(stderr, "line {}: error: {}\n", count,
                 result.status == Status::mismatch ? "the simulated outputs differ from the interpreter's"
                                                   : "a defect of dse: " + result.reason);
      if (result.status == Status::failed || worst == Exit::ok)
        worst = result.status == Status::failed ? Exit::other_failure : Exit::mismatch;
    }
    const auto text = to_json(result) + "\n";
    if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fflush(out) != 0)
      throw std::runtime_error("cannot write to standard output");
    if (interrupted) return Exit::interrupted;
  }
}

}  // namespace dse::cli
