// Fronts of all points of one device, compared with each other.
#include "explore/front/across.h"

#include <gmock/gmock.h>

#include "base/diagnostics.h"
#include "explore/front/front.h"

namespace dse::explore::across_test {
namespace {

using testing::ElementsAre;

Point point(const std::string& id, std::int64_t memory, std::int64_t us) {
  Point p;
  p.id = id, p.origin = "explored", p.memory_bytes = memory;
  p.latency_ticks = us, p.latency_us = static_cast<double>(us), p.costs = {us, 0, 0};
  return p;
}

/// The front in memory and latency of a device point of this area.
Front front(const std::string& device, std::optional<double> area, const std::vector<Point>& points, int shown = 0) {
  Front f;
  f.network = "net", f.base = "chip", f.device = device, f.area_mm2 = area;
  SweepSpec spec;
  spec.front_points = shown;
  select_front(points, spec, f);
  return f;
}

/// "l1=32:a" of what is left.
std::vector<std::string> left(const std::vector<Front>& fronts, const Across& across) {
  std::vector<std::string> out;
  for (const auto& p : across.points) out.push_back(fronts[p.front].device + ":" + fronts[p.front].points[p.point].id);
  return out;
}

const std::vector<std::string> kAll = {"memory", "latency", "area"};

/// By hand: the larger memory repeats what fits in the smaller one (a, b), and adds a faster plan (c).
TEST(Across, WhatALargerMemoryAddsIsLeft) {
  const std::vector<Front> fronts = {front("32", 1.0, {point("a", 10, 90), point("b", 20, 50)}),
                                     front("64", 1.5, {point("a", 10, 90), point("b", 20, 50), point("c", 40, 30)}),
                                     front("96", 2.0, {point("a", 10, 90), point("b", 20, 50), point("c", 40, 30)})};
  const auto across = across_of(fronts, kAll);
  ASSERT_EQ(across.size(), 1u);
  EXPECT_EQ(across[0].network, "net");
  EXPECT_EQ(across[0].base, "chip");
  EXPECT_THAT(across[0].fronts, ElementsAre(0, 1, 2));
  EXPECT_THAT(left(fronts, across[0]), ElementsAre("32:a", "32:b", "64:c"));
  EXPECT_TRUE(across[0].holds(1, "c", fronts));
  EXPECT_FALSE(across[0].holds(2, "c", fronts));
}

/// A smaller device stays beside a faster one only where its area is asked for.
TEST(Across, AreaCountsWhereItIsAskedFor) {
  const std::vector<Front> fronts = {front("few lanes", 1.0, {point("a", 10, 90)}),
                                     front("many lanes", 2.0, {point("b", 10, 30)})};
  EXPECT_THAT(left(fronts, across_of(fronts, kAll)[0]), ElementsAre("many lanes:b", "few lanes:a"));
  EXPECT_THAT(left(fronts, across_of(fronts, {"memory", "latency"})[0]), ElementsAre("many lanes:b"));
}

TEST(Across, OfEqualPointsThatOfTheSmallestDeviceIsLeft) {
  const std::vector<Front> fronts = {front("large", 2.0, {point("a", 10, 90)}),
                                     front("small", 1.0, {point("b", 10, 90)}),
                                     front("as small", 1.0, {point("c", 10, 90)})};
  EXPECT_THAT(left(fronts, across_of(fronts, {"memory", "latency"})[0]), ElementsAre("small:b"));
  const std::vector<Front> unknown = {front("first", {}, {point("a", 10, 90)}),
                                      front("then", {}, {point("b", 10, 90)})};
  EXPECT_THAT(left(unknown, across_of(unknown, {"memory", "latency"})[0]), ElementsAre("first:a"));
}

/// A point that is not shown still is there: what it beats is not left, though nothing that is shown beats it.
TEST(Across, PointsThatAreNotShownCount) {
  const std::vector<Point> many = {point("a", 10, 1000), point("b", 20, 480), point("knee", 30, 30),
                                   point("c", 1000, 10)};
  const std::vector<Front> fronts = {front("one", 1.0, many, 3), front("other", 1.0, {point("d", 21, 490)})};
  ASSERT_EQ(fronts[0].points.size(), 3u);
  ASSERT_EQ(fronts[0].values.size(), 4u);
  const auto& shown = fronts[0].points;
  ASSERT_TRUE(std::none_of(shown.begin(), shown.end(), [](const auto& p) { return p.id == "b"; }))
      << "it is shown: choose other points";
  EXPECT_THAT(left(fronts, across_of(fronts, kAll)[0]), ElementsAre("one:a", "one:knee", "one:c"));
}

TEST(Across, NetworksAndDevicesStandApartAndOneAloneIsNotCompared) {
  std::vector<Front> fronts = {front("a", 1.0, {point("p", 1, 1)}), front("b", 1.0, {point("q", 1, 1)}),
                               front("c", 1.0, {})};
  fronts[1].network = "other";
  fronts[2].base = "another chip";
  EXPECT_TRUE(across_of(fronts, kAll).empty());
  fronts[2].base = "chip";
  const auto with_empty = across_of(fronts, kAll);  // a device without a plan is one of them
  ASSERT_EQ(with_empty.size(), 1u);
  EXPECT_THAT(with_empty[0].fronts, ElementsAre(0, 2));
  EXPECT_THAT(left(fronts, with_empty[0]), ElementsAre("a:p"));
}

TEST(Across, AnObjectiveThatAFrontDoesNotHaveIsADefect) {
  const std::vector<Front> fronts = {front("a", {}, {point("p", 1, 1)}), front("b", 1.0, {point("q", 1, 1)})};
  EXPECT_THROW(across_of(fronts, kAll), InvariantError);
}

/// Variants of one network are compared with each other; the largest accuracy and the fewest bytes are best.
TEST(Across, VariantsAreComparedByAccuracyAndWeights) {
  const auto variant = [](const std::string& name, double accuracy, std::int64_t bytes, std::int64_t us) {
    Front f = front("chip", {}, {point(name, 10, us)});
    f.network = "net/" + name, f.facts.base = "net", f.facts.accuracy = accuracy, f.weight_bytes = bytes;
    return f;
  };
  const std::vector<Front> fronts = {variant("large", 0.98, 5000, 90), variant("worse", 0.95, 5000, 95),
                                     variant("small", 0.92, 300, 90), variant("fast", 0.90, 900, 40)};
  const std::vector<std::string> objectives = {"memory", "latency", "weights", "accuracy"};
  const auto across = across_of(fronts, objectives);
  ASSERT_EQ(across.size(), 1u);
  EXPECT_EQ(across[0].network, "net");
  EXPECT_TRUE(across[0].variants);
  EXPECT_THAT(left(fronts, across[0]), ElementsAre("chip:fast", "chip:small", "chip:large"));
  EXPECT_THAT(left(fronts, across_of(fronts, {"memory", "latency"})[0]), ElementsAre("chip:fast"));
}

}  // namespace
}  // namespace dse::explore::across_test
