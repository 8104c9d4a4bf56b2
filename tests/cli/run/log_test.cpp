// What a run says of itself with --log-level debug, and that it keeps quiet without.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/cli/process.h"

namespace dse::test::log_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Log : public testing::Test {
 protected:
  Said run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"run", sweep, "-o", here / "out", "--jobs", "2"});
    return dse(options);
  }
  Folder here;
  std::string sweep = (here.write("tiny.yaml",
                                  "format: 1\nname: tiny\ninput: {shape: [1, 8, 8, 4]}\nlayers:\n"
                                  "  - conv: {name: stem, filters: 8, kernel: 3}\n  - depthwise: {kernel: 3}\n"),
                       here.write("sweep.yaml",
                                  "networks: [tiny.yaml]\ndevices: [gap8-class]\nexplore:\n"
                                  "  choices: {scheme: [interleaved], tile: [all, 4], filters: [all, 4]}\n"));
};

TEST_F(Log, DebugTellsStagesWhatWasLeftOutAndTheStudy) {
  const auto said = run({"--log-level", "debug"});
  ASSERT_EQ(said.exit, 0) << said.err;
  for (const char* stage : {"reading", "space of tiny on gap8-class", "plans by rule and given ones",
                            "quick look at the layers", "search of the layers", "composition",
                            "measuring [0-9]+ whole plans", "planning by phases of tiny on gap8-class", "closing gaps",
                            "selecting fronts, and their points in full", "reports"})
    EXPECT_THAT(said.err, ContainsRegex(std::string("debug: ") + stage + " took [0-9]+[.][0-9]+ s"));
  EXPECT_THAT(said.err, ContainsRegex("tiny on gap8-class: schedules of stem: [0-9]+ kept of [0-9]+ simulated; left "
                                      "out: [0-9]+ proven dominated, [0-9]+ infeasible"));
  EXPECT_THAT(said.err, ContainsRegex("tiny on gap8-class: [0-9]+ simulated, [0-9]+ points; left out: "));
  EXPECT_THAT(said.err, AllOf(HasSubstr("study " + (here / "out/study.sqlite") + ": a new one"),
                              HasSubstr("tiny on gap8-class: 0 whole plans known from the study")));
  EXPECT_THAT(said.out, Not(HasSubstr("debug:")));

  std::filesystem::remove(here / "out/finished.json");
  const auto again = run({"--log-level", "debug"});
  EXPECT_THAT(again.err, AllOf(HasSubstr("study.sqlite: resumed, session 2"),
                               ContainsRegex("tiny on gap8-class: [1-9][0-9]* whole plans known from the study")));
}

TEST_F(Log, NothingWithoutIt) {
  const auto said = run({});
  EXPECT_EQ(said.exit, 0);
  EXPECT_THAT(said.err, AllOf(Not(HasSubstr("debug")), Not(HasSubstr("info")), Not(HasSubstr(" took "))));
}

}  // namespace
}  // namespace dse::test::log_test
