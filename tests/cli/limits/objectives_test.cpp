// Questions that people have, asked on the command line and in sweep files; the examples of docs/run/search.md.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::objectives_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> blocks(const std::string& section, const std::string& language) {
  return blocks_of("docs/run/search.md", language, section);
}

TEST(Objectives, TheExamplesOfThePageAnswerAsThePageSays) {
  const Folder here;
  int commands = 0, answers = 0;
  for (const auto& block : blocks("Objectives and constraints", "console")) {
    std::istringstream lines(block);
    Said said;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("$ dse ", 0) == 0) {
        said = dse_line(line, here.path());
        EXPECT_EQ(said.exit, 0) << line << "\n" << said.err;
        ++commands;
      } else {
        EXPECT_THAT(said.out, HasSubstr(line + "\n"));
        ++answers;
      }
    }
  }
  EXPECT_EQ(commands, 2);
  EXPECT_EQ(answers, 2);
}

TEST(Objectives, TheSweepFileOfThePageIsAFrontInMemoryAndEnergyWithinItsLimits) {
  const Folder here;
  const auto files = blocks("Objectives and constraints", "yaml");
  ASSERT_EQ(files.size(), 1u);
  const auto said = dse({"run", here.write("sweep.yaml", files[0]), "-o", here / "out"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("in memory and energy"), HasSubstr("  least energy with latency <= 5 ms: ")));
  const auto front = nlohmann::json::parse(read(here / "out/results.json"))["fronts"][0];
  EXPECT_EQ(front["objectives"], (nlohmann::json{"memory", "energy"}));
  ASSERT_GT(front["points"].size(), 1u);
  double energy = 1e300;
  for (const auto& p : front["points"]) {  // by memory
    EXPECT_LE(p["latency_us"].get<double>(), 5000);
    EXPECT_LT(p["energy_uj"].get<double>(), energy);
    energy = p["energy_uj"];
  }
  // What is stored asks the same question.
  EXPECT_THAT(read(here / "out/sweep.yaml"),
              AllOf(HasSubstr("objectives: [memory, energy]\n"), HasSubstr("latency: \"<= 5000 us\"\n")));
  EXPECT_EQ(dse({"run", here / "out/sweep.yaml", "--dry-run"}).exit, 0);
}

TEST(Objectives, ALimitThatNoPlanKeepsIsNamed) {
  const Folder here;
  const auto said = dse({"run", "resnet8", "-d", "cortex-m7-class", "--set", "energy_source=assumed", "--objective",
                         "memory", "--limit", "energy=1nJ", "-o", here / "out"});
  EXPECT_EQ(said.exit, 4);
  EXPECT_THAT(said.out, HasSubstr("no plan meets energy <= 1 nJ: the least found is "));
}

TEST(Objectives, NamesThatNoDeviceKnowsAreRefused) {
  const Folder here;
  const auto run = [&](const std::string& objective) {
    return dse({"run", "resnet8", "-d", "gap8-class", "--objective", objective, "-o", here / "out"});
  };
  const auto memory = run("latencyy"), metric = run("a.b"), outside = run("l3");
  EXPECT_EQ(memory.exit, 3);
  EXPECT_THAT(memory.err, AllOf(HasSubstr("no device has a memory 'latencyy'"), HasSubstr("metrics are memory")));
  EXPECT_EQ(metric.exit, 3);
  EXPECT_THAT(metric.err, HasSubstr("no metric 'a.b'"));
  EXPECT_EQ(outside.exit, 3);
  EXPECT_THAT(outside.err, HasSubstr("l3 of gap8-class is not on the chip"));
  const auto twice = dse({"run", "resnet8", "-d", "gap8-class", "--objective", "l1", "--objective", "memories.l1.peak",
                          "-o", here / "out"});
  EXPECT_EQ(twice.exit, 3);
  EXPECT_THAT(twice.err, HasSubstr("lists 'memories.l1.peak' twice"));
  const auto unit = dse({"run", "resnet8", "-d", "gap8-class", "--limit", "energy=3ms", "-o", here / "out"});
  EXPECT_EQ(unit.exit, 3);
  EXPECT_THAT(unit.err, AllOf(HasSubstr("--limit"), Not(HasSubstr("memories."))));
}

TEST(Objectives, TheOnlyPointIsMeantWhereNoneIsNamed) {
  const Folder here;
  ASSERT_EQ(dse({"run", "ds-cnn", "-d", "gap8-class", "--objective", "latency", "-o", here / "out"}).exit, 0);
  const auto said = dse({"explain", here / "out"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("fastest) of ds-cnn on gap8-class"));
}

TEST(Objectives, AFolderIsResumedWithoutASweepAndStartsAfreshWithOne) {
  const Folder here;
  const auto nothing = dse({"run", "--resume", "-o", here / "out"});
  EXPECT_EQ(nothing.exit, 2);
  EXPECT_THAT(nothing.err, HasSubstr("holds nothing to resume"));
  const auto fresh =
      dse({"run", "ds-cnn", "-d", "gap8-class", "--objective", "latency", "--resume", "-o", here / "out"});
  ASSERT_EQ(fresh.exit, 0) << fresh.err;
  const auto first = read(here / "out/front.csv");
  const auto again = dse({"run", "--resume", "-o", here / "out"});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(read(here / "out/front.csv"), first);
}

}  // namespace
}  // namespace dse::test::objectives_test
