#include "base/system/terminal.h"

#include <unistd.h>

#include <cerrno>

namespace dse {

namespace {

/// Bytes of the UTF-8 character at the start of `s`; 0: it is none; more than `s` has: it may go on.
std::size_t character(std::string_view s) {
  const auto lead = static_cast<unsigned char>(s[0]);
  const std::size_t n = lead < 0x80                   ? 1
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  for (std::size_t i = 1; i < n && i < s.size(); ++i)
    if ((static_cast<unsigned char>(s[i]) & 0xC0) != 0x80) return 0;
  return n;
}

bool is_control(std::string_view c) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(c[i]); };
  if (c.size() == 1) return (byte(0) < 0x20 && c[0] != '\n' && c[0] != '\t') || byte(0) == 0x7F;
  if (c.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (c.size() != 3 || byte(0) != 0xE2) return false;
  return (byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
         (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
}

void append_escaped(std::string& out, std::string_view bytes) {
  static constexpr const char* digits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    out += {'\\', 'x', digits[b >> 4], digits[b & 15]};
  }
}

/// Appends what can be shown of the text. @returns how many bytes at its end may go on: part of a character.
std::size_t append_printable(std::string& out, std::string_view text, bool at_end) {
  while (!text.empty()) {
    std::size_t n = character(text);
    if (n > text.size()) {
      if (!at_end) return text.size();
      n = 0;
    }
    const auto c = text.substr(0, n == 0 ? 1 : n);
    if (n == 0 ? (static_cast<unsigned char>(c[0]) & 0xE0) == 0x80 : is_control(c))
      append_escaped(out, c);
    else
      out += c;
    text.remove_prefix(c.size());
  }
  return 0;
}

/// Writes all, or says why not.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

struct Screen {
  int fd;
  std::string open;  // the start of a character
};

ssize_t write_screen(void* cookie, const char* bytes, std::size_t size) {
  auto& screen = *static_cast<Screen*>(cookie);
  const std::string text = screen.open + std::string(bytes, size);
  std::string shown;
  const auto rest = append_printable(shown, text, false);
  screen.open = text.substr(text.size() - rest);
  return write_all(screen.fd, shown) ? static_cast<ssize_t>(size) : 0;
}

/// The stream that is shown in place of one of a terminal; that itself where it is none.
std::FILE* screen_of(std::FILE* stream, Screen& screen, int mode) {
  if (::isatty(screen.fd) != 1) return stream;
  std::fflush(stream);
  std::FILE* shown = ::fopencookie(&screen, "w", {nullptr, write_screen, nullptr, nullptr});
  if (shown == nullptr) return stream;
  std::setvbuf(shown, nullptr, mode, BUFSIZ);
  return shown;
}

std::FILE*& bare() {
  static std::FILE* stream = stderr;
  return stream;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  append_printable(out, text, true);
  return out;
}

void escape_on_terminals() {
  static Screen out{STDOUT_FILENO, {}}, err{STDERR_FILENO, {}};
  bare() = stderr;
  stdout = screen_of(stdout, out, _IOLBF);
  stderr = screen_of(stderr, err, _IONBF);
}

std::FILE* bare_stderr() { return bare(); }

}  // namespace dse
