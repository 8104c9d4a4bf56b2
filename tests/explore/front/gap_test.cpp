#include "explore/front/gap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace dse::explore::gap_test {
namespace {

TEST(Hypervolume, OfOnePointIsItsBox) {
  EXPECT_DOUBLE_EQ(hypervolume({{0.25}}), 0.75);
  EXPECT_DOUBLE_EQ(hypervolume({{0.5, 0.25}}), 0.5 * 0.75);
  EXPECT_DOUBLE_EQ(hypervolume({{0.5, 0.25, 0.75}}), 0.5 * 0.75 * 0.25);
  EXPECT_DOUBLE_EQ(hypervolume({}), 0);
  EXPECT_DOUBLE_EQ(hypervolume({{1.0, 0.2}}), 0);
}

TEST(Hypervolume, CountsSharedPartsOnce) {
  // 0.8 x 0.2 and 0.2 x 0.8 share 0.2 x 0.2.
  EXPECT_NEAR(hypervolume({{0.2, 0.8}, {0.8, 0.2}}), 0.16 + 0.16 - 0.04, 1e-12);
  EXPECT_NEAR(hypervolume({{0.2, 0.8}, {0.8, 0.2}, {0.9, 0.9}}), 0.28, 1e-12);  // dominated
  // Three boxes of 0.5 x 0.5 x 1, all of them sharing one eighth; pairs share an eighth, all three too.
  EXPECT_NEAR(hypervolume({{0.5, 0.5, 0.0}, {0.5, 0.0, 0.5}, {0.0, 0.5, 0.5}}), 3 * 0.25 - 3 * 0.125 + 0.125, 1e-12);
}

TEST(Hypervolume, EqualsTheShareOfAGridThatIsDominated) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    const int dimensions = 2 + round % 2, cells = 10;
    std::vector<std::vector<double>> points(1 + random() % 8, std::vector<double>(dimensions));
    std::vector<std::vector<int>> corners;
    for (auto& p : points) {
      auto& c = corners.emplace_back();
      for (auto& x : p) c.push_back(static_cast<int>(random() % cells)), x = static_cast<double>(c.back()) / cells;
    }
    int total = 1, hit = 0;
    for (int d = 0; d < dimensions; ++d) total *= cells;
    for (int i = 0; i < total; ++i)
      hit += std::any_of(corners.begin(), corners.end(), [&](const auto& c) {
        int rest = i;
        for (int d = 0; d < dimensions; ++d, rest /= cells)
          if (rest % cells < c[d]) return false;
        return true;
      });
    EXPECT_NEAR(hypervolume(points), static_cast<double>(hit) / total, 1e-9);
  }
}

TEST(ProvenGap, IsZeroWhenNothingBetterIsPossible) {
  const Values front = {{10, 100}, {20, 50}};
  EXPECT_EQ(proven_gap(front, front), 0);
  EXPECT_EQ(proven_gap(front, {{20, 100}}), 0);  // a bound behind the front
  EXPECT_EQ(proven_gap({{7}}, {{7}}), 0);
}

TEST(ProvenGap, ByHand) {
  // Reference (200, 200): the front's box is 100 x 100, the bound's 101 x 101.
  EXPECT_NEAR(proven_gap({{100, 100}}, {{99, 99}}), (10201.0 - 10000) / 10201, 1e-12);
  // Reference (40, 200): front 30 x 100 + 20 x 50 = 4000, bound 30 x 110 + 20 x 50 = 4300.
  EXPECT_NEAR(proven_gap({{10, 100}, {20, 50}}, {{10, 90}, {20, 40}}), 300.0 / 4300, 1e-12);
  EXPECT_NEAR(proven_gap({{120}, {100}}, {{90}}), 0.1, 1e-12);
  // Reference (2, 2, 2): one cube against 2 x 1 x 1.
  EXPECT_NEAR(proven_gap({{1, 1, 1}}, {{0, 1, 1}}), 0.5, 1e-12);
  // The fourth objective does not count.
  EXPECT_NEAR(proven_gap({{1, 1, 1, 9}}, {{0, 1, 1, 1}}), 0.5, 1e-12);
}

TEST(ProvenGap, IsWholeWhereNothingIsKnown) {
  EXPECT_EQ(proven_gap({}, {{1, 1}}), 1);
  EXPECT_EQ(proven_gap({{1, 1}}, {}), 1);
}

TEST(ProvenGap, ShrinksAsTheBoundComesNearer) {
  const Values front = {{100, 900}, {300, 500}, {800, 200}};
  double before = 1;
  for (int percent = 10; percent <= 100; percent += 10) {
    Values bound = front;
    for (auto& p : bound)
      for (auto& v : p) v = v * percent / 100;
    const double gap = proven_gap(front, bound);
    EXPECT_LT(gap, before) << percent;
    EXPECT_GE(gap, 0);
    before = gap;
  }
  EXPECT_EQ(before, 0);
}

TEST(PointwiseGap, IsOfThePointThatIsFarthestBehind) {
  EXPECT_EQ(pointwise_gap({{10, 100}, {20, 50}}, {{10, 100}, {20, 50}}), 0);
  EXPECT_EQ(pointwise_gap({{7}}, {{9}}), 0);  // a bound behind the front
  // One per cent of memory and one of latency are one per cent; a corner that is missing counts, however small it is.
  EXPECT_NEAR(pointwise_gap({{101, 101}}, {{100, 100}}), 0.01, 1e-12);
  EXPECT_NEAR(pointwise_gap({{10, 100}, {200, 50}}, {{10, 100}, {150, 40}}), 1.0 / 3, 1e-12);
  EXPECT_NEAR(pointwise_gap({{100, 10000}}, {{100, 10000}, {90, 10500}}), 1.0 / 9, 1e-12);
  // Every objective counts, also the fourth.
  EXPECT_NEAR(pointwise_gap({{1, 1, 1, 9}}, {{1, 1, 1, 6}}), 0.5, 1e-12);
  EXPECT_TRUE(std::isinf(pointwise_gap({{1, 1}}, {{0, 1}})));
  EXPECT_TRUE(std::isinf(pointwise_gap({}, {{1, 1}})));
  EXPECT_TRUE(std::isinf(pointwise_gap({{1, 1}}, {})));
}

/// Whatever lies no better than the bound has a point of the front within the gap.
TEST(PointwiseGap, HoldsForEveryPlanBehindTheBound) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t dimensions = 1 + random() % 4;
    const auto drawn = [&](std::size_t count) {
      Values out(count, std::vector<std::int64_t>(dimensions));
      for (auto& p : out)
        for (auto& v : p) v = 1 + static_cast<std::int64_t>(random() % 50);
      return out;
    };
    const auto front = drawn(1 + random() % 5), bound = drawn(1 + random() % 5);
    const double gap = pointwise_gap(front, bound);
    auto plan = bound[random() % bound.size()];
    for (auto& v : plan) v += static_cast<std::int64_t>(random() % 3);
    EXPECT_TRUE(std::any_of(front.begin(), front.end(), [&](const auto& p) {
      for (std::size_t j = 0; j < dimensions; ++j)
        if (static_cast<double>(p[j]) > (1 + gap) * static_cast<double>(plan[j]) + 1e-9) return false;
      return true;
    }));
  }
}

}  // namespace
}  // namespace dse::explore::gap_test
