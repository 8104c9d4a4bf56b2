#include "base/system/terminal.h"

#include <unistd.h>

#include <cerrno>

#include "base/characters.h"

namespace dse {

namespace {

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
    std::size_t n = utf8_length(text);
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
