// Engines that a table times, from outside: the examples of docs/run/table_engines.md, and what becomes of the table.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::table_engine_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string page = read(DSE_SOURCE_DIR "/docs/run/table_engines.md");

/// Block number `which` of the page in this language.
std::string block(const std::string& language, std::size_t which = 0) {
  return blocks_of("docs/run/table_engines.md", language).at(which);
}

std::string first_lines(const std::string& text, int lines) {
  std::size_t at = 0;
  for (int i = 0; i < lines; ++i) at = text.find('\n', at) + 1;
  return text.substr(0, at);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  if (at == std::string::npos) throw std::runtime_error("no " + what);
  return text.replace(at, what.size(), by);
}

class TableEngine : public testing::Test {
 protected:
  void SetUp() override {
    here.write("paper.yaml", block("yaml"));
    here.write("paper.csv", block("csv"));
    here.write("first.csv", first_lines(block("csv"), 2));
  }
  /// The command of a block, and the lines that the page shows of what it prints.
  void expect_said(const std::string& console, int exit) {
    std::istringstream lines(console);
    std::string command;
    std::getline(lines, command);
    const auto said = dse_line(command, here.path());
    EXPECT_EQ(said.exit, exit) << said.out << said.err;
    int shown = 0;
    for (std::string line; std::getline(lines, line); ++shown) EXPECT_THAT(said.out, HasSubstr(line));
    EXPECT_GT(shown, 0);
  }
  /// The hash of the device of the run there.
  std::string device_of(const std::string& folder) {
    const auto results = nlohmann::json::parse(read(here / (folder + "/results.json")));
    return results["fronts"][0]["device_hash"];
  }

  Folder here;
};

TEST_F(TableEngine, TheRunOfThePageSaysWhatThePageSays) { expect_said(block("console", 0), 0); }
TEST_F(TableEngine, TheRunWithoutRowsSaysWhatThePageSays) { expect_said(block("console", 1), 4); }

TEST_F(TableEngine, TheErrorsOfThePageAreThose) {
  auto text =
      replaced(block("csv"), "DEPTHWISE_CONV_2D,13,5,64,,3,3,1,1,3200", "DEPTHWISE_CONV_2D,13,5,64,,3,3,1,1,6200");
  here.write("paper.csv", replaced(text, "CONV_2D,25,5,64,1,10", "CONV2D,25,5,64,1,10"));
  auto said = dse({"run", "ds-cnn", "--device", "paper.yaml", "-o", "out"}, here.path());
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(page, HasSubstr("```\n" + said.err));
  here.write("paper.csv", text);
  said = dse({"run", "ds-cnn", "--device", "paper.yaml", "-o", "out"}, here.path());
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(page, HasSubstr(said.err + "```\n"));
}

TEST_F(TableEngine, ARunKeepsItsTable) {
  ASSERT_EQ(dse({"run", "ds-cnn", "--device", "paper.yaml", "-o", "out"}, here.path()).exit, 0);
  EXPECT_EQ(read(here / "out/inputs/devices/paper.csv"), block("csv"));
  const auto before = dse({"explain", "out"}, here.path());
  EXPECT_EQ(before.exit, 0) << before.err;
  fs::remove(here / "paper.csv"), fs::remove(here / "paper.yaml");
  EXPECT_EQ(dse({"explain", "out"}, here.path()).out, before.out);
  EXPECT_EQ(dse({"advise", "out"}, here.path()).exit, 0);
  EXPECT_EQ(dse({"export", "out", "-o", "package"}, here.path()).exit, 0);
  here.write("out/inputs/devices/paper.csv", replaced(block("csv"), "3400", "3401"));
  const auto changed = dse({"explain", "out"}, here.path());
  EXPECT_EQ(changed.exit, 3);
  EXPECT_THAT(changed.err, HasSubstr("paper.csv: error: has changed since the run"));
}

TEST_F(TableEngine, AnotherTableIsAnotherDevice) {
  ASSERT_EQ(dse({"run", "ds-cnn", "--device", "paper.yaml", "-o", "out"}, here.path()).exit, 0);
  here.write("paper.csv", replaced(block("csv"), "5900", "5800"));
  ASSERT_EQ(dse({"run", "ds-cnn", "--device", "paper.yaml", "-o", "new"}, here.path()).exit, 0);
  EXPECT_NE(device_of("out"), device_of("new"));
  const auto plan = nlohmann::json::parse(read(here / "out/results.json"))["fronts"][0]["points"][0]["plan"];
  const auto of_another = dse({"simulate", "--network", "ds-cnn", "--device", "paper.yaml", "--plan",
                               here / ("out/" + plan.get<std::string>())},
                              here.path());
  EXPECT_EQ(of_another.exit, 3) << of_another.out;
}

TEST_F(TableEngine, TablesOfOneNameAndOfAnAxisAreKeptApart) {
  fs::create_directories(here / "other");
  here.write("other/paper.yaml", replaced(block("yaml"), "name: paper", "name: other"));
  here.write("other/paper.csv", replaced(block("csv"), "3400", "3300"));
  here.write("faster.csv", replaced(block("csv"), "5900", "3300"));
  here.write(
      "sweep.yaml",
      "networks: [ds-cnn]\ndevices:\n  - base: paper.yaml\n    axes: {engines.npu.table: [paper.csv, faster.csv]}\n"
      "  - other/paper.yaml\n");
  const auto said = dse({"run", "sweep.yaml", "-o", "out"}, here.path());
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_EQ(read(here / "out/inputs/devices/faster.csv"), read(here / "faster.csv"));
  EXPECT_EQ(read(here / "out/inputs/devices/paper.csv"), block("csv"));
  EXPECT_EQ(read(here / "out/inputs/devices-2/paper.csv"), read(here / "other/paper.csv"));
  for (const char* table : {"paper.csv", "faster.csv", "other/paper.csv"}) fs::remove(here / table);
  for (const char* device : {"paper/npu.table=paper.csv", "paper/npu.table=faster.csv", "other"})
    EXPECT_EQ(dse({"explain", "out", "--device", device}, here.path()).exit, 0) << device;
}

TEST_F(TableEngine, CalibrationTakesTheTableAlong) {
  here.write("cycles.csv", "network,cycles\nds-cnn,60000\nds-cnn,60000\nds-cnn,60000\n");
  fs::create_directories(here / "mine");
  const auto said = dse(
      {"calibrate", "paper.yaml", "--measured", "cycles.csv", "--fit", "engines.npu.dispatch", "-o", "mine/paper.yaml"},
      here.path());
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_EQ(read(here / "mine/paper.csv"), block("csv"));
  EXPECT_EQ(dse({"run", "ds-cnn", "--device", "mine/paper.yaml", "-o", "out"}, here.path()).exit, 0);
}

TEST_F(TableEngine, IsListedWithItsShapes) {
  const auto said = dse({"devices"});
  EXPECT_THAT(said.out, HasSubstr("array (table of 1313 shapes)"));
}

}  // namespace
}  // namespace dse::test::table_engine_test
