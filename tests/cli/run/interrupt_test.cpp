// A run that is stopped half-way: what it says, and that the same command goes on to the same answer.
#include <gmock/gmock.h>
#include <signal.h>

#include "tests/cli/process.h"

namespace dse::test::interrupt_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Interrupt : public testing::TestWithParam<int> {};

TEST_P(Interrupt, LeavesAFolderThatTheSameCommandFinishes) {
  const Folder here;
  const std::vector<std::string> command = {"run",    "ds-cnn", "--device", "gap8-class",
                                            "--jobs", "2",      "-o",       here / "out"};
  const auto stopped = dse_stopped(command, GetParam(), here / "out/study.sqlite");
  EXPECT_EQ(stopped.exit, 130);
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("interrupted: finishing what is under way"),
                                 HasSubstr("the same command goes on from there")));
  EXPECT_THAT(stopped.out, Not(HasSubstr("no feasible plan")));
  EXPECT_FALSE(std::filesystem::exists(here / "out/results.json"));
  const auto resumed = dse(command);
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  auto whole = command;
  whole.back() = here / "whole";
  ASSERT_EQ(dse(whole).exit, 0);
  EXPECT_EQ(read(here / "out/front.csv"), read(here / "whole/front.csv"));
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM),
                         [](const auto& i) { return i.param == SIGINT ? "CtrlC" : "Terminate"; });

}  // namespace
}  // namespace dse::test::interrupt_test
