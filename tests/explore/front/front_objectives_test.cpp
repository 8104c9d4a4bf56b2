// Selection in objectives other than memory and latency.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "explore/front/front.h"

namespace dse::explore::front_objectives_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Point point(const std::string& id, std::int64_t memory, std::int64_t ticks, double energy, double traffic = 0,
            const std::string& origin = "explored") {
  Point p;
  p.id = id, p.origin = origin;
  p.memory_bytes = memory, p.latency_ticks = ticks, p.latency_us = static_cast<double>(ticks);
  p.energy_uj = energy;
  p.costs = {ticks, std::llround(energy * 1e9), std::llround(traffic)};
  p.metrics = {{"traffic", traffic}, {"memories.l1.peak", static_cast<double>(memory) / 2}};
  return p;
}

SweepSpec asking(std::vector<std::string> objectives, std::vector<Constraint> constraints = {}) {
  SweepSpec spec;
  spec.objectives = std::move(objectives), spec.constraints = std::move(constraints);
  spec.front_points = 0;
  return spec;
}

std::vector<std::string> ids(const std::vector<Point>& points) {
  std::vector<std::string> out;
  for (const auto& p : points) out.push_back(p.id);
  return out;
}

TEST(FrontObjectives, OneObjectiveGivesOnePoint) {
  Front f;
  select_front({point("a", 10, 90, 3), point("b", 30, 50, 2), point("c", 20, 60, 1)}, asking({"latency"}), f);
  EXPECT_THAT(ids(f.points), ElementsAre("b"));
  EXPECT_THAT(f.points[0].marks, ElementsAre("fastest"));
  EXPECT_THAT(f.objectives, ElementsAre("latency"));
  Front g;
  select_front({point("a", 10, 90, 3), point("b", 30, 50, 2), point("c", 20, 60, 1)},
               asking({"latency"}, {{"memories.l1.peak", 10, {}}}), g);
  EXPECT_THAT(ids(g.points), ElementsAre("c"));
}

TEST(FrontObjectives, TiesGoToMemoryLatencyEnergyTrafficAndId) {
  const auto chosen = [](const std::vector<Point>& points) {
    Front f;
    select_front(points, asking({"energy"}), f);
    return ids(f.points);
  };
  EXPECT_THAT(chosen({point("a", 20, 5, 1), point("b", 10, 9, 1), point("c", 10, 9, 2)}), ElementsAre("b"));
  EXPECT_THAT(chosen({point("a", 10, 9, 1), point("b", 10, 8, 1)}), ElementsAre("b"));
  EXPECT_THAT(chosen({point("a", 10, 8, 1, 7), point("b", 10, 8, 1, 6)}), ElementsAre("b"));
  EXPECT_THAT(chosen({point("b", 10, 8, 1, 6), point("a", 10, 8, 1, 6)}), ElementsAre("a"));
}

TEST(FrontObjectives, ThreeOfThemKeepWhatIsBestInAny) {
  Front f;
  select_front({point("small", 10, 100, 100), point("fast", 50, 10, 90), point("frugal", 60, 80, 5),
                point("middle", 30, 50, 50), point("behind", 30, 50, 51), point("worse", 60, 100, 100)},
               asking({"memory", "latency", "energy"}), f);
  EXPECT_THAT(ids(f.points), ElementsAre("small", "middle", "fast", "frugal"));
  EXPECT_THAT(f.points[0].marks, ElementsAre("smallest"));
  EXPECT_THAT(f.points[2].marks, testing::Contains("fastest"));
  EXPECT_THAT(f.points[3].marks, testing::Contains("frugal"));
  EXPECT_EQ(f.dominated.size(), 2u);
}

TEST(FrontObjectives, EndsAreNamed) {
  EXPECT_EQ(end_mark("memory"), "smallest");
  EXPECT_EQ(end_mark("latency"), "fastest");
  EXPECT_EQ(end_mark("energy"), "frugal");
  EXPECT_EQ(end_mark("traffic"), "local");
  EXPECT_EQ(end_mark("memories.l1.peak"), "smallest-l1");
}

TEST(FrontObjectives, AUsersPlanOverALimitIsShownAndTheReasonGiven) {
  Front f;
  select_front({point("a", 10, 90, 3), point("mine", 5, 200, 1, 0, "user")},
               asking({"memory", "latency"}, {{"latency", 100, {}}}), f);
  EXPECT_THAT(ids(f.points), ElementsAre("a"));
  EXPECT_THAT(ids(f.marked), ElementsAre("mine"));
  EXPECT_THAT(f.notes, ElementsAre(HasSubstr("your plan mine is shown beside the front: its latency of 200")));
}

TEST(FrontObjectives, GivenPlansAreOnOrBehindEveryFront) {
  std::mt19937_64 random(5);
  const std::vector<std::string> metrics = {"memory", "latency", "energy", "traffic", "memories.l1.peak"};
  const std::vector<std::string> origins = {"explored", "explored", "explored", "user", "rule-based", "TFLM today"};
  int with_answer = 0, excluded = 0;
  for (int round = 0; round < 500; ++round) {
    auto names = metrics;
    std::shuffle(names.begin(), names.end(), random);
    names.resize(1 + random() % 4);
    auto spec = asking(names);
    for (const auto& m : metrics)
      if (random() % 4 == 0) spec.constraints.push_back({m, static_cast<double>(4 + random() % 12), {}});
    spec.front_points = static_cast<int>(random() % 5) * 3;
    std::vector<Point> points;
    for (int i = 0; i < 20; ++i)
      points.push_back(point(std::to_string(i), 2 * static_cast<std::int64_t>(1 + random() % 9),
                             static_cast<std::int64_t>(1 + random() % 9), static_cast<double>(1 + random() % 9),
                             static_cast<double>(random() % 9), origins[random() % origins.size()]));
    Front f, all;
    select_front(points, spec, f);
    spec.front_points = 0;
    select_front(points, spec, all);
    std::size_t given = 0;
    const auto value = [&](const Point& p, const std::string& m) {
      return m == "latency" ? static_cast<double>(p.latency_ticks) : value_of(p, m);
    };
    for (const auto& p : points) {
      given += p.origin != "explored";
      bool keeps = true;
      for (const auto& k : spec.constraints) keeps &= value_of(p, k.metric) <= k.limit;
      if (all.points.empty()) {
        ASSERT_FALSE(keeps && (p.origin == "explored" || p.origin == "user"));
        continue;
      }
      if (!keeps) {
        ++excluded;
        continue;
      }
      ASSERT_TRUE(std::any_of(all.points.begin(), all.points.end(),
                              [&](const Point& q) {
                                return std::all_of(names.begin(), names.end(),
                                                   [&](const auto& m) { return value(q, m) <= value(p, m); });
                              }))
          << p.id << " lies before the front";
    }
    ASSERT_EQ(f.marked.size(), given);
    for (const auto& p : all.points) {
      for (const auto& k : spec.constraints) ASSERT_LE(value_of(p, k.metric), k.limit);
      for (const auto& q : all.points)
        ASSERT_TRUE(&p == &q ||
                    std::any_of(names.begin(), names.end(), [&](const auto& m) { return value(p, m) < value(q, m); }));
    }
    // Thinning keeps the ends.
    for (const auto& m : names)
      ASSERT_EQ(all.points.empty(), std::none_of(f.points.begin(), f.points.end(), [&](const Point& p) {
                  return std::count(p.marks.begin(), p.marks.end(), end_mark(m)) > 0;
                }));
    with_answer += !all.points.empty();
  }
  EXPECT_GT(with_answer, 200);
  EXPECT_GT(excluded, 200);
}

}  // namespace
}  // namespace dse::explore::front_objectives_test
