#include "base/csv.h"

#include <gmock/gmock.h>

namespace dse::csv_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CsvTable table(const std::string& text) {
  Diagnostics d;
  auto out = parse_csv(text, "t.csv", d);
  EXPECT_TRUE(out) << d.text();
  return out.value_or(CsvTable{});
}

std::string why(const std::string& text) {
  Diagnostics d;
  EXPECT_FALSE(parse_csv(text, "t.csv", d));
  return d.text();
}

TEST(Csv, CellsAreWhatStandsBetweenCommas) {
  const auto t = table("a,b\r\n1,\n\n\"x, \"\"y\"\"\nz\",2");
  EXPECT_THAT(t.columns, ElementsAre("a", "b"));
  ASSERT_EQ(t.rows.size(), 2u);
  EXPECT_THAT(t.rows[0].cells, ElementsAre("1", ""));
  EXPECT_THAT(t.rows[1].cells, ElementsAre("x, \"y\"\nz", "2"));
  EXPECT_EQ(t.rows[0].line, 2);
  EXPECT_EQ(t.rows[1].line, 4);
  EXPECT_EQ(t.column("b"), 1);
  EXPECT_EQ(t.column("c"), -1);
}

TEST(Csv, FaultsAreNamedWithTheirLines) {
  EXPECT_THAT(why(""), HasSubstr("t.csv:1: error: has no line that names its columns"));
  EXPECT_THAT(why("a,a\n"), HasSubstr("t.csv:1: error: names the column 'a' twice"));
  EXPECT_THAT(why("a,b\n1,2\n3\n"), HasSubstr("t.csv:3: error: has 1 cells, but there are 2 columns"));
  EXPECT_THAT(why("a\n\"b\n"), HasSubstr("t.csv:2: error: has a quote that does not stand at both ends"));
  EXPECT_THAT(why("a\nb\"c\n\"d\"e\n"), testing::AllOf(HasSubstr("t.csv:2"), HasSubstr("t.csv:3")));
}

}  // namespace
}  // namespace dse::csv_test
