// On fronts of real runs: what the certificate claims to cover lies on or above the bound, whatever stands beside it.
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/words/certificate.h"
#include "tests/explore/limits/questions.h"
#include "tests/support/slow.h"

namespace dse::explore::test_support::covered_test {
namespace {

/// Points that no step of the bound reaches: below the staircase.
bool below(const Point& p, const std::vector<Front::Dot>& bound) {
  return std::none_of(bound.begin(), bound.end(), [&](const Front::Dot& b) {
    return b.memory_bytes <= p.memory_bytes && b.latency_ticks <= p.latency_ticks;
  });
}

TEST(Covered, NoCoveredPointLiesBelowTheBound) {
  int covered = 0, outside = 0, whole = 0;
  const int questions = test::of_share(16);
  for (int seed = 1; seed <= questions; ++seed) {
    SCOPED_TRACE(seed);
    const auto front = ask(random_question(static_cast<std::uint64_t>(seed)).c, {}, 0);
    ASSERT_FALSE(front.points.empty());
    for (const auto& p : front.points) {
      const bool phased = std::any_of(p.assignment.begin(), p.assignment.end(), [](const auto& a) {
        const auto end = a.first.rfind('.');
        return end != std::string::npos && a.first.substr(end) == ".phases" && a.second != "no";
      });
      EXPECT_FALSE(phased && p.outside.empty()) << p.id;
      EXPECT_TRUE(p.origin == "front" || !p.outside.empty()) << p.id;
      ++(p.outside.empty() ? covered : outside);
      EXPECT_FALSE(p.outside.empty() && below(p, front.bound)) << p.id;
    }
    whole += reports::all_complete(front);
    const auto parts = reports::bound_parts(front);
    for (const auto* list : {&front.points, &front.marked})
      for (const auto& p : *list)
        for (const auto& part : parts) {
          const auto from = part.steps.front().memory_bytes;
          if (p.memory_bytes < from || (!part.open && p.memory_bytes >= part.steps.back().memory_bytes)) continue;
          std::int64_t line = 0;
          for (const auto& s : part.steps)
            if (s.memory_bytes <= p.memory_bytes) line = s.latency_ticks;
          EXPECT_GE(p.latency_ticks, line) << p.id;
        }
  }
  std::printf("%d points inside the certificate, %d outside, %d fronts complete as a whole\n", covered, outside, whole);
  EXPECT_GT(covered, questions);
  EXPECT_GT(outside, questions / 2);
}

}  // namespace
}  // namespace dse::explore::test_support::covered_test
