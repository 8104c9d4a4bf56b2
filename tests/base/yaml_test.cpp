#include "base/yaml/yaml.h"

#include <gmock/gmock.h>

#include "tests/base/example.h"

namespace dse::yaml::base_yaml_test {
namespace {

using example::Colour;
using example::read;
using testing::HasSubstr;

TEST(Yaml, ReadsEveryKindOfField) {
  const auto r = read(
      "format: 1\n"
      "title: a test\n"
      "main: a\n"
      "on: false\n"
      "colour: red\n"
      "delay: 60 ns\n"
      "energy: 2.5 pJ/B\n"
      "limit: 23 k\n"
      "tags: [x, y]\n"
      "parts: {b: {size: 2 KiB}, a: {size: 1 KB, rate: 0.25 B/cycle, count: 9, reserved: 1 B}}\n"
      "shapes: {s: {kind: square, side: 4}, c: {kind: circle}}\n"
      "table: {conv: 1.5}\n"
      "links: [[a, b], [b, a]]\n");
  ASSERT_TRUE(r.ok) << r.errors;
  const auto& d = r.document;
  EXPECT_EQ(d.title, "a test");
  EXPECT_EQ(d.main.value, "a");
  EXPECT_EQ(d.main.where.line, 3);
  EXPECT_EQ(d.main.where.column, 7);
  EXPECT_FALSE(d.on);
  EXPECT_EQ(d.colour, Colour::red);
  EXPECT_EQ(d.delay.cycles(100000000), 6);
  EXPECT_DOUBLE_EQ(d.energy, 2.5);
  EXPECT_EQ(d.limit, 23000);
  EXPECT_THAT(d.tags, testing::ElementsAre("x", "y"));
  ASSERT_EQ(d.parts.size(), 2u);
  EXPECT_EQ(d.parts[0].name.value, "b");  // the order of the file
  EXPECT_EQ(d.parts[0].value.size, 2048);
  EXPECT_EQ(d.parts[1].value.rate, (Ratio{1, 4}));
  EXPECT_EQ(d.parts[1].value.count, 9);
  EXPECT_EQ(d.parts[1].value.reserved.value, 1);
  ASSERT_EQ(d.shapes.size(), 2u);
  EXPECT_EQ(d.shapes[0].value.kind, "square");
  EXPECT_EQ(d.shapes[1].value.radius, 7);
  EXPECT_EQ(d.table.at("conv"), (Ratio{3, 2}));
  EXPECT_EQ(d.links[1][0].value, "b");
}

TEST(Yaml, WhatIsLeftOutKeepsItsDefault) {
  const auto r = read("main: a\nparts: {a: {size: 1 B}}\n");
  ASSERT_TRUE(r.ok) << r.errors;
  EXPECT_EQ(r.document.title, "untitled");
  EXPECT_TRUE(r.document.on);
  EXPECT_EQ(r.document.colour, Colour::green);
  EXPECT_FALSE(r.document.limit);
  EXPECT_EQ(r.document.parts[0].value.rate, (Ratio{1, 2}));
  EXPECT_FALSE(r.document.parts[0].value.reserved.present);
}

TEST(Yaml, OneOrMoreTakesASingleValue) {
  const auto r = read("main: a\ntags: x\nparts: {a: {size: 1 B}}\n");
  ASSERT_TRUE(r.ok) << r.errors;
  EXPECT_THAT(r.document.tags, testing::ElementsAre("x"));
}

struct Wrong {
  const char* text;   // replaces or adds a line of a document that is right otherwise
  const char* error;  // whole first line
};

class WrongField : public testing::TestWithParam<Wrong> {};

TEST_P(WrongField, IsReportedWithPlaceAndReason) {
  const auto r = read(std::string("main: a\nparts: {a: {size: 1 B}}\n") + GetParam().text + "\n");
  EXPECT_FALSE(r.ok);
  EXPECT_EQ(r.errors.substr(0, r.errors.find('\n')), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Yaml, WrongField,
    testing::Values(
        Wrong{"titel: x", "f.yaml:3:1: error: unknown field 'titel'"},
        Wrong{"title: [x]", "f.yaml:3:8: error: title: expected a text, not a list"},
        Wrong{"title:", "f.yaml:3:1: error: title: is empty: expected a text"},
        Wrong{"on: yes", "f.yaml:3:5: error: on: 'yes' is neither true nor false"},
        Wrong{"on: 'true'", "f.yaml:3:5: error: on: 'true' is neither true nor false (without quotes)"},
        Wrong{"colour: gren", "f.yaml:3:9: error: colour: 'gren' is none of red or green; did you mean green?"},
        Wrong{"delay: 5",
              "f.yaml:3:8: error: delay: '5' has no unit: a latency is given in cycles, cycle, ns or us, for example "
              "10 cycles or 60 ns"},
        Wrong{"energy: 11 pJ/B", "f.yaml:3:9: error: energy: '11 pJ/B' is out of range: 0 pJ/B to 10 pJ/B"},
        Wrong{"limit: 0", "f.yaml:3:8: error: limit: '0' is out of range: 1 to 1 M"},
        Wrong{"limit: 010",
              "f.yaml:3:8: error: limit: '010' starts with 0, which some would read as octal: write a count without "
              "leading zeros"},
        Wrong{"tags: []", "f.yaml:3:7: error: tags: has 0 entries, but needs at least 1"},
        Wrong{"shapes: {s: {side: 1}}", "f.yaml:3:13: error: shapes.s: needs the field kind"},
        Wrong{"shapes: {s: {kind: circel}}",
              "f.yaml:3:20: error: shapes.s.kind: 'circel' is none of square or circle; did you mean circle?"},
        Wrong{"shapes: {s: {kind: circle, side: 1}}", "f.yaml:3:28: error: shapes.s: unknown field 'side'"},
        Wrong{"shapes: {2s: {kind: circle}}",
              "f.yaml:3:10: error: shapes: '2s' cannot be the name of anything: use letters, digits, _ and -, and "
              "begin with a letter"},
        Wrong{"shapes: [a]", "f.yaml:3:9: error: shapes: expected a mapping from name to fields by kind, not a list"},
        Wrong{"table: {con: 1}", "f.yaml:3:9: error: table: unknown field 'con'"},
        Wrong{"table: {conv: 11}", "f.yaml:3:15: error: table.conv: '11' is out of range: 0 to 10"},
        Wrong{"links: [[a, b], [a]]", "f.yaml:3:17: error: links[1]: has 1 entry, but needs 2"},
        Wrong{"links: [[a, {}]]", "f.yaml:3:13: error: links[0][1]: expected a name, not a mapping"},
        Wrong{"title: x\ntitle: y", "f.yaml:4:1: error: the key 'title' is given twice; first in line 3"},
        Wrong{"shapes: {s: {kind: circle, kind: square}}",
              "f.yaml:3:28: error: shapes.s: the key 'kind' is given twice; first in line 3"},
        Wrong{"table: {add: 1, conv: 2, add: 3}",
              "f.yaml:3:26: error: table: the key 'add' is given twice; first in line 3"},
        Wrong{"format: 2", "f.yaml:3:9: error: format: format 2 is newer than this version of dse reads (1)"},
        Wrong{"format: one", "f.yaml:3:9: error: format: expected 1, the version of this file format"},
        Wrong{"format: 1\nformat: 1", "f.yaml:4:1: error: unknown field 'format'"}));

TEST(Yaml, AGuessIsAHint) {
  EXPECT_THAT(read("main: a\nparts: {a: {size: 1 B}}\ntitel: x\n").errors, HasSubstr("hint: did you mean title?"));
  EXPECT_THAT(read("main: a\nparts: {a: {size: 1 B}}\nzzzzzzzz: x\n").errors,
              HasSubstr("hint: known here: title, main"));
}

TEST(Yaml, ReportsEverythingAtOnceAndGoesOn) {
  const auto r = read(
      "titel: x\n"
      "on: maybe\n"
      "parts:\n"
      "  a: {size: 64 kb, count: 10, colour: red}\n"
      "  b: {rate: 9 B/cycle}\n"
      "  c: {size: 1 B, reserved: 2 B}\n");
  EXPECT_FALSE(r.ok);
  for (const char* error : {"f.yaml:1:1: error: unknown field 'titel'", "f.yaml:1:1: error: needs the field main",
                            "f.yaml:2:5: error: on:", "f.yaml:4:13: error: parts.a.size: '64 kb' is not a size",
                            "f.yaml:4:27: error: parts.a.count:", "f.yaml:4:31: error: parts.a: unknown field 'colour'",
                            "f.yaml:5:13: error: parts.b.rate:", "f.yaml:5:6: error: parts.b: needs the field size",
                            "f.yaml:6:28: error: parts.c: more than the size"})
    EXPECT_THAT(r.errors, HasSubstr(error));
  EXPECT_EQ(r.document.parts.size(), 3u) << "names stay known";
}

TEST(Yaml, ANewerFormatIsTheOnlyErrorOfItsFile) {
  const auto r = read("format: 7\nwhatever: is new\n");
  EXPECT_EQ(
      r.errors,
      "f.yaml:1:9: error: format: format 7 is newer than this version of dse reads (1)\n  hint: use a newer dse\n");
}

TEST(Yaml, FilesThatAreNoMapping) {
  EXPECT_THAT(read("").errors, HasSubstr("the file is empty"));
  EXPECT_THAT(read("# nothing\n").errors, HasSubstr("the file is empty"));
  EXPECT_THAT(read("[a]").errors, HasSubstr("not a list"));
  EXPECT_THAT(read("a").errors, HasSubstr("not a value"));
}

TEST(Yaml, ManyErrorsAreCutOffWithANote) {
  std::string text = "main: a\nparts: {a: {size: 1 B}}\n";
  for (int i = 0; i < 5000; ++i) text += "x" + std::to_string(i) + ": 1\n";
  Diagnostics d;
  example::Document out;
  EXPECT_FALSE(read_text(text, "f.yaml", example::fields(), {}, d, out));
  EXPECT_EQ(d.list().size(), 101u);
  EXPECT_EQ(d.list().back().severity, Severity::note);
}

}  // namespace
}  // namespace dse::yaml::base_yaml_test
