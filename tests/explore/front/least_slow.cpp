// The same property over 200 questions, shipped networks among them.
#include <gtest/gtest.h>

#include "tests/explore/front/questions.h"

namespace dse::explore::test_support::least_slow {
namespace {

TEST(LeastSlow, TwoHundredQuestions) {
  Tally tally;
  for (std::uint64_t seed = 101; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    check_question(seed % 10 == 0 ? shipped_question(seed) : random_question(seed), tally);
  }
  std::printf("200 questions: %d infeasible, %d by one limit alone, %d only together, %d leasts found, %d by phases\n",
              tally.infeasible, tally.alone, tally.together, tally.found, tally.outside);
  EXPECT_GE(tally.infeasible, 40);
  EXPECT_GE(tally.together, 5);
  EXPECT_GE(tally.outside, 5);
}

}  // namespace
}  // namespace dse::explore::test_support::least_slow
