// What a run's exit code says of it.
#include "cli/common/exit.h"

#include <gtest/gtest.h>

namespace dse::cli::exit_test {
namespace {

explore::Sweep fronts(std::vector<int> points) {
  explore::Sweep sweep;
  for (const auto n : points) {
    sweep.fronts.emplace_back();
    sweep.fronts.back().points.resize(static_cast<std::size_t>(n));
  }
  return sweep;
}

TEST(ExitOfRun, IsZeroWhereAnyFrontHasAPoint) {
  EXPECT_EQ(exit_of_run(fronts({0, 2}), false), 0);
  EXPECT_EQ(exit_of_run(fronts({0, 0}), false), 4);
  EXPECT_EQ(exit_of_run(fronts({1}), true), 130);
}

TEST(ExitOfRun, ADefectShowsWhateverElseWasFoundAndALostWorkerDoesNot) {
  auto sweep = fronts({3, 0});
  for (const char* why : {"refused", "other bytes", "failed"}) {
    sweep.fronts[0].left_out = {{}};
    sweep.fronts[0].left_out[0].why = why;
    EXPECT_EQ(exit_of_run(sweep, false), 5) << why;
    EXPECT_EQ(exit_of_run(sweep, true), 130) << why;
  }
  for (const char* why : {"crashed", "hung"}) {
    sweep.fronts[0].left_out[0].why = why;
    EXPECT_EQ(exit_of_run(sweep, false), 0) << why;
  }
  auto none = fronts({0});
  none.fronts[0].left_out.resize(1);
  none.fronts[0].left_out[0].why = "refused";
  EXPECT_EQ(exit_of_run(none, false), 5);
}

TEST(ExitOfRun, ABudgetThatIsUsedUpIsNoVerdictOnTheDevice) {
  auto sweep = fronts({0, 0});
  sweep.fronts[1].undecided = true;
  EXPECT_EQ(exit_of_run(sweep, false), 6);
  EXPECT_STREQ(why_no_points(sweep), "the budget was used up before a plan was found");
  sweep.fronts[0].points.resize(1);
  EXPECT_EQ(exit_of_run(sweep, false), 0);
}

}  // namespace
}  // namespace dse::cli::exit_test
