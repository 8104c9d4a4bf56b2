#include "cli/common/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/system/terminal.h"
#include "reports/words/format.h"

namespace dse::cli {

using Clock = std::chrono::steady_clock;

namespace {

std::string minutes(double seconds) {
  const std::int64_t s = std::llround(seconds);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{}:{:02}", s / 60, s % 60);
}

/// What fits into one row of the terminal: a line that wraps cannot be erased.
std::string one_row(std::string line) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2 || line.size() < size.ws_col) return line;
  std::size_t end = size.ws_col - 1u;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;  // not within a character
  line.resize(end);
  return line;
}

}  // namespace

namespace {

/// "resnet8 on gap8-class  [####----]  50 %"
std::string share_line(const std::string& what, std::int64_t done, std::int64_t total, bool bar) {
  const double share = total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 0.0;
  std::string line = what + "  ";
  if (bar) {
    constexpr int width = 16;
    const int full = static_cast<int>(share * width);
    line += "[" + std::string(static_cast<std::size_t>(full), '#') +
            std::string(static_cast<std::size_t>(width - full), '-') + "]  ";
  }
  return line + fmt::format("{:2.0f} %", share * 100);
}

}  // namespace

std::string progress_line(const explore::Progress& p, bool bar) {
  auto line = share_line(p.stage.empty() ? p.what : p.what + ", " + p.stage, p.done, p.total, bar) +
              fmt::format("  {} simulated", reports::grouped(p.simulated));
  if (p.seconds > 1 && p.simulated > 0) line += fmt::format("  {:.0f}/s", static_cast<double>(p.simulated) / p.seconds);
  if (p.discarded > 0) line += fmt::format("  {} discarded", reports::grouped(p.discarded));
  if (p.front > 0) line += fmt::format("  front {}", p.front);
  if (p.front > 0 && p.gap > 0 && p.gap < 1) line += fmt::format(", proven within {:.2g} %", 100 * p.gap);
  if (p.eta_seconds >= 0) line += "  ETA " + minutes(p.eta_seconds);
  return line;
}

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) == 1), colour_(false), last_(Clock::now()) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string(term) == "dumb") terminal_ = false;  // cannot erase a line
  colour_ = terminal_ && (no_colour == nullptr || *no_colour == '\0');
}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(const explore::Progress& p) { draw(progress_line(p, true), progress_line(p, false)); }

void ProgressBar::show(const std::string& what, std::int64_t done, std::int64_t total) {
  auto count = fmt::format("  {} of {}", reports::grouped(done), reports::grouped(total));
  if (total != steps_.total || done < steps_.done) steps_ = {done, done, total, Clock::now()};
  steps_.done = done;
  const std::chrono::duration<double> spent = Clock::now() - steps_.since;
  if (spent.count() > 1 && done > steps_.first && done < total)
    count += "  ETA " +
             minutes(spent.count() * static_cast<double>(total - done) / static_cast<double>(done - steps_.first));
  draw(share_line(what, done, total, true) + count, share_line(what, done, total, false) + count);
}

void ProgressBar::draw(const std::string& with_bar, const std::string& without) {
  const auto now = Clock::now();
  if (terminal_) {
    fmt::print(bare_stderr(), "\r\033[K{}{}{}", colour_ ? "\033[36m" : "", one_row(printable(with_bar)),
               colour_ ? "\033[0m" : "");
    std::fflush(bare_stderr());
    drawn_ = true;
  } else if (now - last_ >= std::chrono::seconds(5)) {
    fmt::print(stderr, "{}\n", without);
    last_ = now;
  }
}

void ProgressBar::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", bare_stderr());
  std::fflush(bare_stderr());
  drawn_ = false;
}

}  // namespace dse::cli
