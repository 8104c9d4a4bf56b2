// Lines from outside: how a stream is cut into them, and what one means or what is wrong with it, by column.
#include "explore/ask/assignment_line.h"

#include <gmock/gmock.h>

#include <random>

#include "explore/ask/line_reader.h"

namespace dse::explore::assignment_line_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// The lines of `text`, fed in pieces of this size.
std::vector<Line> lines_of(const std::string& text, std::size_t piece) {
  LineReader reader;
  std::vector<Line> out;
  const auto drain = [&] {
    while (auto line = reader.next()) out.push_back(std::move(*line));
  };
  for (std::size_t at = 0; at < text.size(); at += piece) {
    reader.feed(std::string_view(text).substr(at, piece));
    drain();
  }
  reader.finish();
  drain();
  return out;
}

TEST(LineReader, CutsAtNewlinesWhateverThePieces) {
  for (const std::size_t piece : {1, 2, 3, 5, 100}) {
    const auto lines = lines_of("a\n\nbc\r\nlast", piece);
    ASSERT_EQ(lines.size(), 4u) << piece;
    EXPECT_EQ(lines[0].text, "a");
    EXPECT_EQ(lines[1].text, "");
    EXPECT_EQ(lines[2].text, "bc\r");
    EXPECT_EQ(lines[3].text, "last");
  }
  EXPECT_THAT(lines_of("", 1), IsEmpty());
  EXPECT_EQ(lines_of("one\n", 1).size(), 1u);
}

TEST(LineReader, LongLinesAreToldAndTheNextOnesRead) {
  const std::string fits(LineReader::kMaxLine, 'x'), longer(LineReader::kMaxLine + 1, 'y');
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 16, std::size_t{5} << 20}) {
    const auto lines = lines_of(longer + "\n" + fits + "\nshort\n" + longer + longer, piece);
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_TRUE(lines[0].too_long && lines[0].text.empty());
    EXPECT_TRUE(!lines[1].too_long && lines[1].text == fits);
    EXPECT_TRUE(!lines[2].too_long && lines[2].text == "short");
    EXPECT_TRUE(lines[3].too_long);
  }
}

TEST(LineReader, RandomTextInRandomPiecesIsTheSame) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (auto n = random() % 50; n > 0; --n) text += "ab\n"[random() % 3];
    const auto whole = lines_of(text, 1000), cut = lines_of(text, 1 + random() % 7);
    ASSERT_EQ(whole.size(), cut.size());
    std::string joined;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(whole[i].text, cut[i].text);
      joined += whole[i].text + "\n";
    }
    EXPECT_EQ(joined, text.empty() || text.back() == '\n' ? text : text + "\n");
  }
}

AssignmentLine read(const std::string& text) {
  Diagnostics d;
  AssignmentLine out;
  EXPECT_TRUE(read_assignment_line(text, out, d)) << d.text();
  EXPECT_FALSE(d.has_errors());
  return out;
}

TEST(AssignmentLine, TextsNumbersAndDeviceFields) {
  const auto line = read(R"( {"conv0.scheme": "planar", "conv0.tile": 4, "id": 17, "device.memories.l1.size": "32 KiB",
                              "device.engines.cluster.efficiency.conv": 0.25, "device.memories.l2.on_chip": true} )");
  EXPECT_EQ(line.id, "17");
  EXPECT_THAT(line.choices, ElementsAre(Pair("conv0.scheme", "planar"), Pair("conv0.tile", "4")));
  EXPECT_THAT(line.device, ElementsAre(Pair("engines.cluster.efficiency.conv", "0.25"),
                                       Pair("memories.l1.size", "32 KiB"), Pair("memories.l2.on_chip", "true")));
  EXPECT_THAT(read("{}").choices, IsEmpty());
  EXPECT_EQ(read("{}").id, "");
  EXPECT_THAT(read("{}\r").choices, IsEmpty());
}

TEST(AssignmentLine, NumbersAreTheirText) {
  const auto c =
      read(R"({"a": 4.0, "b": 4e0, "c": 1e-05, "d": -3, "e": 0.5, "f": 18446744073709551615, "g": 1e3})").choices;
  EXPECT_THAT(c, ElementsAre(Pair("a", "4"), Pair("b", "4"), Pair("c", "0.00001"), Pair("d", "-3"), Pair("e", "0.5"),
                             Pair("f", "18446744073709551615"), Pair("g", "1000")));
}

TEST(AssignmentLine, IdsAreEchoedAsTheyAre) {
  EXPECT_EQ(read(R"({"id": "trial \"7\""})").id, R"("trial \"7\"")");
  EXPECT_EQ(read(R"({"id": 1.50})").id, "1.50");
  EXPECT_EQ(read(R"({"id": -4})").id, "-4");
}

struct Bad {
  const char* text;
  int column;
  const char* says;
};
class BadLine : public testing::TestWithParam<Bad> {};

TEST_P(BadLine, IsAnErrorAtItsColumn) {
  Diagnostics d;
  AssignmentLine out;
  EXPECT_FALSE(read_assignment_line(GetParam().text, out, d));
  ASSERT_EQ(d.list().size(), 1u) << d.text();
  EXPECT_THAT(d.list()[0].what, HasSubstr(GetParam().says));
  EXPECT_EQ(d.list()[0].where.column, GetParam().column) << d.text();
}

INSTANTIATE_TEST_SUITE_P(
    All, BadLine,
    testing::Values(
        Bad{"", 1, "empty"}, Bad{" \t\r", 1, "empty"}, Bad{"nonsense", 2, "malformed JSON"},
        Bad{R"({"a": 1, "b": NaN})", 15, "malformed JSON"}, Bad{R"({"a": Infinity})", 7, "malformed JSON"},
        Bad{R"({"a": 1e999})", 11, "number overflow"}, Bad{R"({"a": 1, "b": 2, "a": 3})", 18, "'a' is given twice"},
        Bad{R"({"a\"b": 1, "a\"b": 3})", 13, "is given twice"}, Bad{R"({"id": 1, "id": 1})", 11, "'id' is given twice"},
        Bad{R"({"a": {"b": 1}})", 7, "not an object"}, Bad{R"({"a": [1]})", 7, "not a list"},
        Bad{R"({"a": null})", 7, "null is no value"}, Bad{R"({"id": true})", 8, "an id is"},
        Bad{R"({"id": [1]})", 8, "not a list"}, Bad{" [1, 2]", 2, "not a list"}, Bad{"  17", 3, "expected an object"},
        Bad{R"("text")", 1, "expected an object"}, Bad{"null", 1, "null"}, Bad{R"({"a": 1} {})", 10, "malformed JSON"},
        Bad{R"({"a": 1)", 8, "malformed JSON"}, Bad{R"({"a": 1,})", 9, "malformed JSON"},
        Bad{"{\"a\": \"\xff\"}", 8, "malformed JSON"}));

TEST(AssignmentLine, DeepNestingIsOneErrorAndNoRecursion) {
  Diagnostics d;
  AssignmentLine out;
  EXPECT_FALSE(read_assignment_line("{\"a\":" + std::string(500000, '['), out, d));
  EXPECT_EQ(d.list().size(), 1u);
  EXPECT_EQ(d.list()[0].where.column, 6);
}

TEST(AssignmentLine, TheIdBeforeAnErrorIsKept) {
  Diagnostics d;
  AssignmentLine out;
  EXPECT_FALSE(read_assignment_line(R"({"id": "x", "a": [)", out, d));
  EXPECT_EQ(out.id, R"("x")");
}

}  // namespace
}  // namespace dse::explore::assignment_line_test
