// The same property over 200 questions, shipped networks among them.
#include <gtest/gtest.h>

#include "tests/explore/limits/questions.h"
#include "tests/support/slow.h"

namespace dse::explore::test_support::least_slow {
namespace {

TEST(LeastSlow, TwoHundredQuestions) {
  Tally tally;
  const int questions = test::of_slow(200);
  for (int seed = 101; seed <= 100 + questions; ++seed) {
    SCOPED_TRACE(seed);
    check_question(seed % 10 == 0 ? shipped_question(seed) : random_question(seed), tally);
  }
  std::printf("%d questions: %d infeasible, %d by one limit alone, %d only together, %d leasts found, %d by phases\n",
              questions, tally.infeasible, tally.alone, tally.together, tally.found, tally.outside);
  EXPECT_GE(tally.infeasible, questions / 5);
  EXPECT_GE(tally.together, questions / 40);
  EXPECT_GE(tally.outside, questions / 40);
}

}  // namespace
}  // namespace dse::explore::test_support::least_slow
