// dse calibrate, and the example of docs/run/calibrate.md.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::calibrate_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

std::string block(const std::string& language) { return blocks_of("docs/run/calibrate.md", language).front(); }

TEST(CalibrateCommand, TheExampleOfThePageAnswersAsThePageSays) {
  const Folder here;
  here.write("cycles.csv", block("csv"));
  expect_page("docs/run/calibrate.md", 5, here.path());
  // Comments and all else stay.
  EXPECT_THAT(read(here / "mine.yaml"), AllOf(HasSubstr("# How the table was made"), HasSubstr("\ntiming_error: 0.")));
}

TEST(CalibrateCommand, AnswersInJson) {
  const Folder here;
  here.write("cycles.csv", block("csv"));
  const auto said =
      dse({"calibrate", "cortex-m7-class", "-m", here / "cycles.csv", "--fit", "engines.core.dispatch", "--json"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.err, IsEmpty());
  const auto j = nlohmann::json::parse(said.out);
  ASSERT_EQ(j["constants"].size(), 1u);
  EXPECT_EQ(j["constants"][0]["field"], "engines.core.dispatch");
  EXPECT_EQ(j["constants"][0]["before"], "300 cycles");
  EXPECT_EQ(j["rows"].size(), 7u);
  EXPECT_GT(j["error"].get<double>(), 0);
}

TEST(CalibrateCommand, BadInputIsBadInput) {
  const Folder here;
  here.write("cycles.csv", "network,cycles\nresnet8,1\n");
  const auto few = dse({"calibrate", "cortex-m7-class", "-m", here / "cycles.csv"});
  EXPECT_EQ(few.exit, 3);
  EXPECT_THAT(few.err, HasSubstr("3 constants would be fitted to 1 rows"));
  const auto where = dse({"calibrate", "cortex-m7-class", "-m", here / "cycles.csv", "--where", "x"});
  EXPECT_EQ(where.exit, 3);
  EXPECT_THAT(where.err, HasSubstr("'x' is not COLUMN=TEXT"));
  EXPECT_EQ(dse({"calibrate", "cortex-m7-class", "-m", here / "none.csv"}).exit, 3);
}

}  // namespace
}  // namespace dse::test::calibrate_test
