// The made-up sweep keeps the rules of a real one; without them the other tests would prove nothing.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "tests/reports/synthetic.h"

namespace dse::reports::testing::fixture_test {
namespace {

TEST(SyntheticSweep, AccountsAddUpToTheTotal) {
  for (const auto& front : synthetic_sweep().fronts) {
    for (const auto& p : front.points) {
      std::int64_t sum = 0;
      for (const auto& a : p.run.layers) sum = std::accumulate(a.ticks.begin(), a.ticks.end(), sum);
      EXPECT_EQ(sum, p.latency_ticks) << p.id;
      EXPECT_GT(p.run.trace.size(), 500u);
    }
  }
}

TEST(SyntheticSweep, TasksOfOneQueueDoNotOverlap) {
  const auto sweep = synthetic_sweep();
  for (const auto& p : sweep.fronts.at(0).points) {
    std::map<int, std::int64_t> free;
    for (const auto& t : p.run.trace) {
      EXPECT_GE(t.start, free[t.queue]);
      EXPECT_GE(t.start, t.ready);
      EXPECT_GT(t.end, t.start);
      free[t.queue] = t.end;
    }
  }
}

TEST(SyntheticSweep, FrontDescends) {
  const auto sweep = synthetic_sweep();
  const auto& points = sweep.fronts.at(0).points;
  ASSERT_GT(points.size(), 20u);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_GT(points[i].memory_bytes, points[i - 1].memory_bytes);
    EXPECT_LT(points[i].latency_ticks, points[i - 1].latency_ticks);
  }
}

}  // namespace
}  // namespace dse::reports::testing::fixture_test
