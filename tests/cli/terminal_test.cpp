// Names of files on a terminal, which is a pair of pseudo-terminals here.
#include <gmock/gmock.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "tests/cli/process.h"
#include "tests/support/slow.h"

namespace dse::test::terminal_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// All that a terminal is sent by `dse` with these arguments.
std::string shown(const std::vector<std::string>& arguments) {
  int screen = -1;
  const pid_t child = ::forkpty(&screen, nullptr, nullptr, nullptr);
  if (child < 0) throw std::runtime_error("forkpty");
  if (child == 0) {
    exec_dse(arguments);
  }
  std::string out;
  char piece[4096];
  for (ssize_t n; (n = ::read(screen, piece, sizeof piece)) > 0;) out.append(piece, static_cast<std::size_t>(n));
  ::close(screen);
  int status = 0;
  ::waitpid(child, &status, 0);
  return out;
}

/// A network whose names hold these characters, as YAML escapes them.
std::string network_named(const std::string& escaped) {
  return "format: 1\nname: \"net" + escaped + "\"\ninput: {shape: [1, 8, 8, 2]}\nlayers:\n  - conv: {name: \"layer" +
         escaped + "\", filters: 4, kernel: 3}\n";
}

TEST(Terminal, NamesCannotControlIt) {
  const Folder here;
  for (const std::string escaped : {"\\x1b[2J", "\\x07", "\\x9b31m", "\\x7f", "\\x08\\x08", "\\u202e"}) {
    const auto file = here.write("n.yaml", network_named(escaped));
    for (const auto& command : std::vector<std::vector<std::string>>{
             {"inspect", file}, {"validate", file}, {"order", file}, {"run", file, "-d", "gap8-class", "--dry-run"}}) {
      const auto out = shown(command);
      for (const char* control : {"\x1b[2J", "\x07", "\xc2\x9b", "\x7f", "\x08", "\xe2\x80\xae"})
        EXPECT_THAT(out, Not(HasSubstr(control))) << command[0] << " " << escaped;
      EXPECT_THAT(out, HasSubstr("net")) << command[0];
    }
  }
}

TEST(Terminal, ErrorsCannotEither) {
  const Folder here;
  const auto file =
      here.write("n.yaml", "format: 1\n\"la\\x1b[2Jyers\": 1\nname: x\ninput: {shape: [1, 8]}\nlayers: []\n");
  EXPECT_THAT(shown({"validate", file}), Not(HasSubstr("\x1b[2J")));
  EXPECT_THAT(shown({"validate", here / "no\x1b[2J.yaml"}), Not(HasSubstr("\x1b[2J")));
  const auto said = dse({"validate", here / "no\x1b[2J.yaml"});
  EXPECT_THAT(said.err, Not(HasSubstr("\x1b")));
}

TEST(Terminal, ProgressIsStillDrawn) {
  const Folder here;
  const auto file = here.write("n.yaml", network_named("\\x07"));
  const auto out = shown({"run", file, "-d", "gap8-class", "-o", here / "out"});
  EXPECT_THAT(out, Not(HasSubstr("\x07")));
  EXPECT_THAT(out, HasSubstr("report: "));
}

TEST(TerminalSlow, NoNameControlsIt) {
  const Folder here;
  std::mt19937 random(33);
  const char* const digits = "0123456789abcdef";
  for (int n = 0; n < test::of_slow(100); ++n) {
    std::string escaped;
    for (int i = 0; i < 12; ++i) {
      const auto byte = random() % 2 ? random() % 32 : 0x7f + random() % 33;
      escaped += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
    }
    const auto file = here.write("n.yaml", network_named(escaped));
    for (const auto& out : {shown({"inspect", file}), shown({"validate", file})})
      for (const char c : out) {
        const auto b = static_cast<unsigned char>(c);
        ASSERT_TRUE((b >= 0x20 && b != 0x7f) || c == '\n' || c == '\r' || c == '\t') << escaped << "\n" << out;
      }
  }
}

}  // namespace
}  // namespace dse::test::terminal_test
