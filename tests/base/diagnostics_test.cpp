// What is said of a file: no control characters of its own, and not without end.
#include "base/diagnostics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "base/system/terminal.h"

namespace dse::diagnostics_test {
namespace {

using testing::HasSubstr;

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto b = static_cast<unsigned char>(c);
    return (b < 0x20 && c != '\n' && c != '\t') || b == 0x7F;
  });
}

TEST(Printable, EscapesControlsAndKeepsText) {
  EXPECT_EQ(printable("conv\x1b[2J\r\x07"), "conv\\x1b[2J\\x0d\\x07");
  EXPECT_EQ(printable("a\nb\tc"), "a\nb\tc");
  EXPECT_EQ(printable("Faltung \xC3\xA4 \xE5\xB1\xA4"), "Faltung \xC3\xA4 \xE5\xB1\xA4");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(printable("\xE2\x80\xAEgnp"), "\\xe2\\x80\\xaegnp");
  EXPECT_EQ(printable("\x9B"), "\\x9b");
  EXPECT_EQ(printable("\xC3"), "\xC3");
  std::mt19937 random(7);
  for (int n = 0; n < 2000; ++n) {
    std::string text(random() % 40, ' ');
    for (auto& c : text) c = static_cast<char>(random());
    const auto shown = printable(text);
    EXPECT_FALSE(has_control(shown));
    EXPECT_EQ(printable(shown), shown);
  }
}

TEST(Diagnostics, AreEscaped) {
  Diagnostics d;
  d.error({"a\x1b]0;title\x07.yaml", 1, 2}, "no layer '\x1b[31m'", "did you mean \x08?");
  EXPECT_FALSE(has_control(d.text()));
  EXPECT_THAT(d.text(), HasSubstr("a\\x1b]0;title\\x07.yaml:1:2: error: no layer '\\x1b[31m'\n  hint:"));
}

TEST(Diagnostics, StopAtAHundredOfAFile) {
  for (const int count : {1, 99, 100, 101, 5000}) {
    Diagnostics d;
    for (int i = 0; i < count; ++i) d.warning({"many.yaml", i + 1, 1}, "odd");
    d.error({"other.yaml", 1, 1}, "bad");
    const auto text = d.text();
    const auto lines = std::count(text.begin(), text.end(), '\n');
    EXPECT_EQ(lines, std::min(count, 100) + 1 + (count > 100 ? 1 : 0));
    EXPECT_THAT(text, HasSubstr("other.yaml:1:1: error: bad"));
    if (count > 100) {
      EXPECT_THAT(text, HasSubstr("many.yaml: note: and " + std::to_string(count - 100) + " more\n"));
    }
  }
  Diagnostics d;
  for (int i = 0; i < 150; ++i) d.warning({"many.yaml", 0, 0}, "odd");
  d.error({"many.yaml", 0, 0}, "the one that matters");
  EXPECT_THAT(d.text(), HasSubstr("many.yaml: error: and 51 more\n"));
}

}  // namespace
}  // namespace dse::diagnostics_test
