// The example of docs/run/search.md about what the hardware would cost, and what the other commands say of area.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "explore/study/sqlite.h"
#include "tests/cli/process.h"

namespace dse::test::area_test {
namespace {

using testing::HasSubstr;

std::vector<std::string> blocks(const std::string& language) {
  return blocks_of("docs/run/search.md", language, "What the hardware would cost");
}

class Area : public testing::Test {
 protected:
  void SetUp() override {
    const auto files = blocks("yaml");
    ASSERT_EQ(files.size(), 2u);
    here_.write("paper.yaml", files[0]), here_.write("sweep.yaml", files[1]);
  }
  Said said(const std::string& line) { return dse_line("$ dse " + line, here_.path()); }
  const Folder here_;
};

TEST_F(Area, TheExampleOfThePageAnswersAsThePageSays) {
  const auto shown = blocks("console");
  ASSERT_EQ(shown.size(), 1u);
  std::istringstream lines(shown[0]);
  std::string line;
  std::getline(lines, line);
  const auto run = dse_line(line, here_.path());
  ASSERT_EQ(run.exit, 0) << run.err;
  int answers = 0;
  for (; std::getline(lines, line); ++answers) EXPECT_THAT(run.out, HasSubstr(line + "\n"));
  EXPECT_EQ(answers, 11);

  const auto results = nlohmann::json::parse(read(here_ / "out/results.json"));
  ASSERT_EQ(results["across"].size(), 1u);
  EXPECT_EQ(results["across"][0]["objectives"], (nlohmann::json{"latency", "area"}));
  double area = 0, latency = 1e300;  // in ascending order of latency, so in descending order of area
  for (const auto& p : results["across"][0]["points"])
    for (const auto& front : results["fronts"])
      for (const auto& q : front["points"])
        if (front["device"] == p["device"] && q["id"] == p["point"]) {
          EXPECT_TRUE(latency == 1e300 || (front["area_mm2"] < area && q["latency_us"] > latency)) << p;
          area = front["area_mm2"], latency = q["latency_us"];
          EXPECT_EQ(q["metrics"]["area"], front["area_mm2"]);
        }
  EXPECT_THAT(read(here_ / "out/front.csv"),
              HasSubstr(",area_mm2,across,infeasible_reason,ram_bytes,flash_bytes,memories.l1.size,"));
  EXPECT_THAT(read(here_ / "out/report.html"), HasSubstr("ds-cnn over 8 points of paper"));
  explore::sqlite::Database study(here_ / "out/study.sqlite", SQLITE_OPEN_READONLY);
  explore::sqlite::Statement areas(study, "SELECT count(*), count(area_mm2) FROM devices");
  ASSERT_TRUE(areas.step());
  EXPECT_EQ(areas.integer(0), 6) << "the two that are over the limit are not searched";
  EXPECT_EQ(areas.integer(1), 6);

  const std::string small = "paper/l1=16KiB/array.macs_per_cycle.int8=16",
                    large = "paper/l1=32KiB/array.macs_per_cycle.int8=32";
  EXPECT_THAT(said("explain out --point fastest --device " + small).out,
              HasSubstr(", device of 0.36 mm2, timed as none"));
  const auto diff = said("diff out out --json");
  EXPECT_EQ(diff.exit, 0) << diff.err;
  // What is stored asks the same question, the limit on area included.
  const auto again = said("run out/sweep.yaml -o again");
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(read(here_ / "out/front.csv"), read(here_ / "again/front.csv"));
}

TEST_F(Area, TheCommandLineAsksAsTheFileDoes) {
  const auto run =
      said("run ds-cnn --device paper.yaml --objective latency --objective area --limit area=0.44mm2 -o one");
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("fastest with area <= 0.44 mm2: 1.39 ms (31.0 KiB)"));
  const auto tight = said("run ds-cnn --device paper.yaml --limit area=0.4399mm2 -o none");
  EXPECT_EQ(tight.exit, 4);
  EXPECT_THAT(tight.out, HasSubstr("no feasible plan: the device's area of 0.44 mm2 is over the limit of 0.4399 mm2"));
  const auto alone = said("run ds-cnn --device paper.yaml --objective area -o alone");
  EXPECT_EQ(alone.exit, 3);
  EXPECT_THAT(alone.err, HasSubstr("objective area: it is the same for all plans of a device"));
  const auto unknown = said("run ds-cnn --device gap8-class --objective latency --objective area -o unknown");
  EXPECT_EQ(unknown.exit, 3);
  EXPECT_THAT(unknown.err, HasSubstr("objective area: gap8-class says nothing of its area"));
}

}  // namespace
}  // namespace dse::test::area_test
