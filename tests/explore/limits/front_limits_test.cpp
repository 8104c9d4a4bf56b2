// Selection under limits: what is not measured does not pass, and what cannot be kept is named.
#include <gmock/gmock.h>

#include "explore/front/front.h"
#include "explore/front/least.h"

namespace dse::explore::front_limits_test {
namespace {

using testing::HasSubstr;

Point point(std::int64_t memory, std::int64_t ticks, const std::string& origin = "explored") {
  Point p;
  p.id = std::to_string(memory);
  p.origin = origin;
  p.memory_bytes = memory, p.latency_ticks = ticks, p.latency_us = static_cast<double>(ticks);
  p.costs = {ticks, 0, 0};
  p.metrics["memories.l1.peak"] = static_cast<double>(memory) / 2;
  return p;
}

SweepSpec limited(const std::string& metric, double limit) {
  SweepSpec spec;
  spec.constraints.push_back({metric, limit, {}});
  return spec;
}

TEST(FrontLimits, APointThatLacksTheMetricIsADefectAndNoPass) {
  Front front;
  EXPECT_THROW(select_front({point(100, 10)}, limited("memories.l9.peak", 1000), front), InvariantError);
}

TEST(FrontLimits, APointThatFailedNeedsNoMetrics) {
  auto failed = point(50, 5);
  failed.metrics.clear();
  failed.run.failure.emplace();
  Front front;
  select_front({failed, point(100, 10)}, limited("memories.l1.peak", 50), front);
  ASSERT_EQ(front.points.size(), 1u);
  EXPECT_EQ(front.points[0].memory_bytes, 100);
}

TEST(FrontLimits, TheLimitThatNoPlanKeepsIsNamedWithTheLeast) {
  Front front;
  select_front({point(100, 10), point(200, 5), point(10, 7, "rule-based")}, limited("latency", 4), front);
  EXPECT_TRUE(front.points.empty());
  EXPECT_THAT(front.infeasible_reason, HasSubstr("latency <= 4 us: the least is 5 us"));
}

TEST(FrontLimits, LimitsThatOnlyFailTogetherAreSaidSo) {
  auto spec = limited("latency", 5);
  spec.constraints.push_back({"memory", 100, {}});
  Front front;
  select_front({point(100, 10), point(200, 5)}, spec, front);
  EXPECT_TRUE(front.points.empty());
  EXPECT_THAT(front.infeasible_reason, HasSubstr("all constraints together"));
}

TEST(FrontLimits, WithoutAPlanOfTheSearchThereIsNoReasonFromTheLimits) {
  Front front;
  select_front({point(10, 5, "rule-based")}, limited("latency", 4), front);
  EXPECT_TRUE(front.points.empty());
  EXPECT_EQ(front.infeasible_reason, "");
}

TEST(FrontLimits, APlanByRuleThatKeepsThemIsAnAnswer) {
  for (const auto& searched : {std::vector<Point>{}, {point(100, 10), point(200, 5)}}) {
    auto points = searched;
    points.push_back(point(10, 1, "rule-based"));
    Front front;
    select_front(points, limited("latency", 4), front);
    ASSERT_EQ(front.points.size(), 1u);
    EXPECT_EQ(front.points[0].origin, "rule-based");
    EXPECT_EQ(front.infeasible_reason, "");
    EXPECT_TRUE(only_by_rule(front));
    note_only_by_rule(front);
    EXPECT_THAT(front.notes, testing::Contains(HasSubstr("made by rule")));
  }
}

TEST(FrontLimits, TheLeastIsTakenFromAllPlansThatRan) {
  const std::vector<Point> points = {point(100, 10), point(200, 5), point(60, 8, "TFLM today"), point(80, 4, "user")};
  Front front;
  select_front(points, limited("memory", 50), front);
  EXPECT_THAT(front.infeasible_reason, HasSubstr("memory <= 50 bytes: the least is 60 bytes"));
  const auto least = least_among(points, limited("memory", 50).constraints, true);
  EXPECT_EQ(least.at(0).alone.value, 60);
  EXPECT_EQ(least_among(points, limited("latency", 3).constraints, true).at(0).alone.value, 4);
}

}  // namespace
}  // namespace dse::explore::front_limits_test
