// dse accuracy: rows of tables against devices, and the page that docs/validation.md is.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::accuracy_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const std::string kTable =
    "board,build,network,layer,operator,shape,cycles\n"
    "a,-O3,resnet8,,,,49000000\na,-O3,ds-cnn,,,,13300000\na,-O3,autoencoder,,,,1100000\n"
    "a,-O3,fully,kernel,FULLY_CONNECTED,in 640 out 128,300000\n"
    "a,-Os,resnet8,,,,70000000\n"
    "b,-O3,secret,,,,5\n"
    "b,-O3,resnet8,,,,21000000\n";

const std::string kComparison = R"(fits:
  - name: one library
    fit: [engines.core.cycles_per_count]
    boards:
      - {device: stm32l4r5, rows: [{table: cycles.csv, where: [board=a, build=-O3]}]}
      - {device: stm32h743, counts: false, set: [engines.core.dispatch=900 cycles], rows: [{table: cycles.csv, where: [board=b]}]}
left_aside:
  - {table: cycles.csv, where: [build!=-O3], why: built for size}
)";

TEST(AccuracyCommand, ComparesWhatTheFileSays) {
  const Folder here;
  here.write("cycles.csv", kTable), here.write("c.yaml", kComparison);
  const auto said = dse({"accuracy", here / "c.yaml", "--tables", here.path(), "-o", here / "page.md", "--devices",
                         here / "fitted", "--json"});
  ASSERT_EQ(said.exit, 0) << said.err;
  const auto j = nlohmann::json::parse(said.out);
  ASSERT_EQ(j["fits"].size(), 1u);
  EXPECT_EQ(j["fits"][0]["rows"].size(), 5u);
  EXPECT_EQ(j["fits"][0]["constants"].size(), 1u);
  const auto& table = j["tables"][0];
  EXPECT_EQ(table["rows"], 7);
  EXPECT_EQ(table["compared"], 5);
  EXPECT_EQ(table["without_a_network"], 1);
  EXPECT_EQ(table["left_aside"], 1);
  EXPECT_TRUE(table["unspoken_lines"].empty());
  EXPECT_EQ(j["order"]["networks"]["pairs"], 3);
  EXPECT_EQ(j["order"]["boards"]["pairs"], 1);
  EXPECT_THAT(read(here / "page.md"),
              AllOf(HasSubstr("| one library | stm32l4r5, stm32h743 | 4 |"), HasSubstr("1 rows: built for size"),
                    HasSubstr("fully, kernel (FULLY_CONNECTED in 640 out 128)"), Not(HasSubstr("nothing is said"))));
  // The row that does not count is predicted by what the others say, and is not in what they say.
  EXPECT_TRUE(fs::exists(here / "fitted/stm32l4r5.yaml"));
  EXPECT_EQ(dse({"validate", here / "fitted/stm32l4r5.yaml", here / "fitted/stm32h743.yaml"}).exit, 0);
}

TEST(AccuracyCommand, BadInputIsBadInput) {
  const Folder here;
  here.write("cycles.csv", kTable);
  const auto why = [&](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    here.write("c.yaml", text);
    const auto said = dse({"accuracy", here / "c.yaml", "--tables", here.path()});
    EXPECT_EQ(said.exit, 3) << said.out;
    return said.err;
  };
  EXPECT_THAT(why(kComparison, "board=a", "board"), HasSubstr("'board' is not COLUMN=TEXT, COLUMN!=TEXT"));
  EXPECT_THAT(why(kComparison, "board=a", "bord=a"), HasSubstr("has no column 'bord'"));
  EXPECT_THAT(why(kComparison, "board=b", "board=a"), HasSubstr("two fits compare this row"));
  EXPECT_THAT(why(kComparison, "cycles.csv", "none.csv"), HasSubstr("none.csv"));
  EXPECT_THAT(why(kComparison, "stm32l4r5", "stm32l4r6"), HasSubstr("did you mean stm32l4r5?"));
  EXPECT_THAT(why(kComparison, "fits:", "fit:"), HasSubstr("c.yaml:1:1"));
  EXPECT_THAT(why(kComparison, "cycles_per_count]", "cycles_per_mac.default, engines.core.dispatch]"),
              HasSubstr("2 constants would be fitted to 4 rows"));
}

TEST(AccuracyGolden, ThePageIsWhatTheCommandMakes) {
  const char* given = std::getenv("DSE_SHARED");
  const auto golden = (given ? fs::path(given) : fs::path(DSE_SOURCE_DIR) / ".." / "shared") / "golden";
  if (!fs::exists(golden / "cycles")) GTEST_SKIP() << "no golden folder";
  const Folder here;
  const auto said =
      dse({"accuracy", "configs/accuracy.yaml", "--tables", golden.string(), "-o", here / "page.md"}, DSE_SOURCE_DIR);
  ASSERT_EQ(said.exit, 0) << said.err;
  const auto page = DSE_SOURCE_DIR "/docs/validation.md";
  if (std::getenv("DSE_UPDATE") != nullptr) fs::copy_file(here / "page.md", page, fs::copy_options::overwrite_existing);
  EXPECT_EQ(read(here / "page.md"), read(page)) << "run this test with DSE_UPDATE=1";
}

}  // namespace
}  // namespace dse::test::accuracy_test
