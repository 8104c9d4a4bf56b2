#include "explore/front/front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dse::explore::front_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Point point(std::int64_t memory, std::int64_t ticks, const std::string& origin = "explored") {
  Point p;
  p.id = std::to_string(memory) + "-" + std::to_string(ticks);
  p.origin = origin;
  p.memory_bytes = memory, p.latency_ticks = ticks, p.latency_us = static_cast<double>(ticks) / 10;
  p.costs = {ticks, 0, 0};
  p.metrics["memories.l1.peak"] = static_cast<double>(memory) / 2;
  return p;
}

std::vector<std::string> ids(const std::vector<Point>& points) {
  std::vector<std::string> out;
  for (const auto& p : points) out.push_back(p.id);
  return out;
}

SweepSpec all_points() {
  SweepSpec spec;
  spec.front_points = 0;
  return spec;
}

TEST(FrontSelection, KeepsWhatNothingDominates) {
  Front f;
  select_front({point(30, 5), point(10, 9), point(20, 9), point(20, 7), point(30, 6), point(40, 5), point(10, 12)},
               all_points(), f);
  EXPECT_THAT(ids(f.points), ElementsAre("10-9", "20-7", "30-5"));
  EXPECT_EQ(f.dominated.size(), 4u);
  EXPECT_THAT(f.marked, IsEmpty());
  for (const auto& p : f.points) EXPECT_EQ(p.origin, "front");
}

TEST(FrontSelection, MarksSmallestKneeAndFastest) {
  Front f;
  select_front({point(10, 1000), point(20, 110), point(40, 105), point(80, 100)}, all_points(), f);
  EXPECT_THAT(f.points[0].marks, ElementsAre("smallest"));
  EXPECT_THAT(f.points[1].marks, ElementsAre("knee"));
  EXPECT_THAT(f.points[2].marks, IsEmpty());
  EXPECT_THAT(f.points[3].marks, ElementsAre("fastest"));
}

TEST(FrontSelection, ASinglePointIsAllThree) {
  Front f;
  select_front({point(10, 10), point(11, 11)}, all_points(), f);
  ASSERT_EQ(f.points.size(), 1u);
  EXPECT_THAT(f.points[0].marks, ElementsAre("smallest", "knee", "fastest"));
}

TEST(FrontSelection, OtherPlansAreMarkedWhereverTheyLie) {
  Front f;
  select_front({point(10, 10), point(9, 20, "user"), point(50, 50, "rule-based"), point(60, 10, "TFLM today")},
               all_points(), f);
  EXPECT_THAT(ids(f.points), ElementsAre("9-20", "10-10"));
  EXPECT_EQ(f.points[0].origin, "user");
  EXPECT_THAT(ids(f.marked), ElementsAre("9-20", "50-50", "60-10"));
}

TEST(FrontSelection, ConstraintsExclude) {
  auto spec = all_points();
  spec.constraints = {{"latency", 1.0, {}}};  // us: 10 ticks
  Front f;
  select_front({point(10, 30), point(20, 10), point(30, 5)}, spec, f);
  EXPECT_THAT(ids(f.points), ElementsAre("20-10", "30-5"));

  spec.constraints.push_back({"memories.l1.peak", 12, {}});
  Front g;
  select_front({point(10, 30), point(20, 10), point(30, 5)}, spec, g);
  EXPECT_THAT(ids(g.points), ElementsAre("20-10"));

  spec.constraints.push_back({"memory", 15, {}});
  Front h;
  select_front({point(10, 30), point(20, 10), point(30, 5)}, spec, h);
  EXPECT_THAT(h.points, IsEmpty());
  EXPECT_EQ(h.infeasible_reason, "no plan meets all constraints together");
}

TEST(FrontSelection, PlansThatFailAreNeverOnTheFront) {
  auto bad = point(5, 5);
  bad.run.failure = sim::Failure{sim::Failure::Kind::deadlock, "stuck"};
  Front f;
  select_front({bad, point(10, 10)}, all_points(), f);
  EXPECT_THAT(ids(f.points), ElementsAre("10-10"));
}

TEST(FrontSelection, ThinningKeepsTheMarksAndSpreadsTheRest) {
  std::vector<Point> points;
  for (int i = 0; i < 200; ++i) points.push_back(point(1000 + 50 * i, 100000 - 400 * i + i * i));
  Front all, few;
  select_front(points, all_points(), all);
  auto spec = all_points();
  spec.front_points = 10;
  select_front(points, spec, few);
  ASSERT_EQ(all.points.size(), 200u);
  ASSERT_EQ(few.points.size(), 10u);
  EXPECT_EQ(few.points.front().id, all.points.front().id);
  EXPECT_EQ(few.points.back().id, all.points.back().id);
  const auto knee = [](const Front& f) {
    for (const auto& p : f.points)
      for (const auto& m : p.marks)
        if (m == "knee") return p.id;
    return std::string();
  };
  EXPECT_EQ(knee(few), knee(all));
  EXPECT_FALSE(few.notes.empty());
  double widest = 0;
  for (std::size_t i = 1; i < few.points.size(); ++i) {
    EXPECT_LT(few.points[i - 1].memory_bytes, few.points[i].memory_bytes);
    EXPECT_GT(few.points[i - 1].latency_ticks, few.points[i].latency_ticks);
    widest = std::max(widest, std::log(static_cast<double>(few.points[i].memory_bytes) /
                                       static_cast<double>(few.points[i - 1].memory_bytes)));
  }
  EXPECT_LT(widest, std::log(11.0) / 2) << "a gap of half the front";
}

TEST(FrontSelection, ThinningKeepsWhatOtherPlansAreComparedWith) {
  std::vector<Point> points;
  for (int i = 0; i < 200; ++i) points.push_back(point(1000 + 50 * i, 100000 - 400 * i + i * i));
  const auto no_slower = points[61], no_larger = points[83];
  points.push_back(point(no_larger.memory_bytes + 3, no_slower.latency_ticks + 3, "rule-based"));
  Front few;
  auto spec = all_points();
  spec.front_points = 10;
  select_front(points, spec, few);
  ASSERT_EQ(few.points.size(), 10u);
  EXPECT_THAT(ids(few.points), ::testing::IsSupersetOf({no_slower.id, no_larger.id}));
  spec.front_points = 3;  // marks come first
  Front marks;
  select_front(points, spec, marks);
  EXPECT_EQ(marks.points.size(), 3u);
}

TEST(FrontSelection, ProblemsOfAnotherNetworkAreNoErrors) {
  Diagnostics diags;
  diags.error({}, "the plan belongs to network x");
  EXPECT_TRUE(works_only_elsewhere(diags));
  diags.error({}, "unknown key");
  EXPECT_FALSE(works_only_elsewhere(diags));
}

}  // namespace
}  // namespace dse::explore::front_test
