#include <gmock/gmock.h>

#include "tests/base/example.h"

namespace dse::yaml::yaml_overrides_test {
namespace {

using example::read;
using testing::HasSubstr;

const char* const good =
    "main: a\n"
    "parts: {a: {size: 1 B}, b: {size: 2 B}}\n"
    "shapes: {s: {kind: square, side: 4}}\n"
    "links: [[a, b]]\n";

Override set(std::string path, std::string value) { return {std::move(path), std::move(value), {"sweep.yaml", 9, 4}}; }

TEST(Overrides, ReplaceAndAddFields) {
  const auto r =
      read(good, {set("parts.a.size", "64 KiB"), set("parts.b.count", "5"), set("tags", "[x, y]"),
                  set("table.conv", "2"), set("shapes.s.side", "6"), set("links.0.1", "a"), set("colour", "red")});
  ASSERT_TRUE(r.ok) << r.errors;
  EXPECT_EQ(r.document.parts[0].value.size, 65536);
  EXPECT_EQ(r.document.parts[1].value.count, 5);
  EXPECT_EQ(r.document.tags.size(), 2u);
  EXPECT_EQ(r.document.table.at("conv"), (Ratio{2, 1})) << "the mapping above it did not exist";
  EXPECT_EQ(r.document.shapes[0].value.side, 6);
  EXPECT_EQ(r.document.links[0][1].value, "a");
  EXPECT_EQ(r.document.colour, example::Colour::red);
}

TEST(Overrides, TheirErrorsPointToThem) {
  EXPECT_THAT(read(good, {set("parts.a.size", "64 kb")}).errors,
              testing::StartsWith("sweep.yaml:9:4: error: parts.a.size: '64 kb' is not a size"));
  EXPECT_THAT(read(good, {set("parts.a.size", "[1")}).errors,
              HasSubstr("sweep.yaml:9:4: error: override 'parts.a.size': the value '[1' is not YAML"));
}

TEST(Overrides, AnUnknownPathIsNamed) {
  EXPECT_THAT(
      read(good, {set("parts.c.size", "1 B")}).errors,
      HasSubstr(
          "sweep.yaml:9:4: error: override 'parts.c.size': no such path: parts has no 'c'\n  hint: it has a or b"));
  EXPECT_THAT(read(good, {set("parts.a.sice", "1 B")}).errors,
              HasSubstr("parts.a has no 'sice'\n  hint: did you mean size?"));
  EXPECT_THAT(read(good, {set("shapes.s.sid", "1")}).errors, HasSubstr("hint: did you mean side?"));
  EXPECT_THAT(read(good, {set("main.x", "1")}).errors, HasSubstr("main is a value and has nothing below it"));
  EXPECT_THAT(read(good, {set("links.1.0", "a")}).errors, HasSubstr("links has 1 entries, counted from 0"));
  EXPECT_THAT(read(good, {set("", "1")}).errors, HasSubstr("the document has no ''"));
  EXPECT_THAT(read(good, {set("..", "1")}).errors, HasSubstr("no such path"));
}

TEST(Overrides, ReportAllThatAreWrong) {
  const auto r = read(good, {set("parts.c.size", "1 B"), set("parts.d.size", "1 B"), set("on", "maybe")});
  EXPECT_THAT(r.errors, testing::AllOf(HasSubstr("'c'"), HasSubstr("'d'"), HasSubstr("on: 'maybe'")));
}

}  // namespace
}  // namespace dse::yaml::yaml_overrides_test
