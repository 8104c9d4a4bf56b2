// Fronts in energy, with leakage, against every whole candidate of small spaces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "explore/question/goal.h"
#include "tests/explore/front/brute_force.h"
#include "tests/explore/front/small_spaces.h"
#include "tests/support/random_energy.h"
#include "tests/support/slow.h"

namespace dse::explore::test_support::energy_fronts_test {
namespace {

using Values = std::vector<std::int64_t>;

/// Keeps what nothing else beats or equals.
void enter(std::set<Values>& front, const Values& values) {
  const auto no_worse = [](const Values& a, const Values& b) {
    return std::equal(a.begin(), a.end(), b.begin(), [](auto x, auto y) { return x <= y; });
  };
  if (std::any_of(front.begin(), front.end(), [&](const Values& v) { return no_worse(v, values); })) return;
  std::erase_if(front, [&](const Values& v) { return no_worse(values, v); });
  front.insert(values);
}

std::set<Values> by_brute_force(const Case& c, const SweepSpec& spec) {
  std::set<Values> front;
  const auto goal = goal_of(spec, *c.device);
  Candidates candidates(c, spec);
  plan::Decisions decided;
  while (candidates.next(decided)) {
    const auto m = evaluate(c, decided);
    if (m.feasible() && keeps(goal, *c.device, m.heights, m.costs)) enter(front, values_with(goal, m.heights, m.costs));
  }
  return front;
}

Values values_of(const Case& c, const Goal& goal, const Point& p) {
  Values heights;
  for (const auto& m : c.device->memories)
    heights.push_back(static_cast<std::int64_t>(p.metrics.at("memories." + m.name + ".peak")));
  return values_with(goal, heights, p.costs);
}

/// How many points the fronts have; compares them.
std::int64_t compare(const SmallSpace& s, const std::vector<std::string>& objectives) {
  auto spec = s.spec;
  spec.objectives = objectives;
  const auto found = explored(s.c, spec);
  auto expected = by_brute_force(s.c, spec);
  const auto goal = goal_of(spec, *s.c.device);
  if (!expected.empty())  // plans by rule stand on a front that has points
    for (const auto& p : found.whole.marked)
      if (!p.run.failure) enter(expected, values_of(s.c, goal, p));
  std::set<Values> front;
  for (const auto& p : found.whole.points) front.insert(values_of(s.c, goal, p));
  EXPECT_EQ(front, expected) << s.name << ": " << fmt::format("{}", fmt::join(objectives, ", "));
  EXPECT_TRUE(found.complete) << s.name;
  return static_cast<std::int64_t>(expected.size());
}

TEST(BruteForceEnergy, FrontsEqualItWhereEverythingLeaks) {
  int small = 0, spaces = 0;
  std::int64_t points = 0;
  std::uint64_t seed = 0;
  for (auto s : small_spaces()) {
    test::Random random(++seed);
    s.spec.constraints.clear();
    if (Candidates(s.c, s.spec).count() > 1500 || !test::in_share(small++)) continue;
    s.c.device = test::with_energy(*s.c.device, random, seed % 3 == 0 ? 100'000 : 4000);
    points += compare(s, {"energy"}) + compare(s, {"memory", "energy"});
    if (seed % 2 == 0) points += compare(s, {"memory", "latency", "energy"});
    ++spaces;
  }
  fmt::print("{} spaces, {} points\n", spaces, points);
  EXPECT_GE(spaces, test::of_share(12));
  EXPECT_GE(points, 3 * spaces);
}

/// The least energy there is never falls where more leaks, and with enough of it the fastest plan takes least.
TEST(BruteForceEnergy, EnoughLeakageMakesTheFastestPlanTheFrugalOne) {
  int spaces = 0, moved = 0;
  for (auto s : small_spaces()) {
    test::Random random(7);
    s.spec.constraints.clear(), s.spec.objectives = {"energy"};
    if (Candidates(s.c, s.spec).count() > 600 || ++spaces > 8) continue;
    auto device = std::make_shared<hw::Device>(*test::with_energy(*s.c.device, random, 0));
    std::int64_t before = 0, slow = 0, fast = 0;
    for (const double leakage : {0.0, 1000.0, 1e7}) {
      device = std::make_shared<hw::Device>(*device);
      device->leakage_uw = leakage;
      s.c.device = device;
      const auto front = explored(s.c, s.spec).whole;
      ASSERT_FALSE(front.points.empty()) << s.name;
      const auto& least = front.points.front();
      EXPECT_GE(least.costs[kEnergy], before) << s.name;
      before = least.costs[kEnergy];
      if (leakage == 0) slow = least.latency_ticks;
      fast = least.latency_ticks;
    }
    s.spec.objectives = {"latency"};
    EXPECT_EQ(fast, explored(s.c, s.spec).whole.points.front().latency_ticks) << s.name;
    moved += fast < slow;
  }
  EXPECT_GE(spaces, 4);
  EXPECT_GE(moved, 1) << "else the test shows nothing";
}

}  // namespace
}  // namespace dse::explore::test_support::energy_fronts_test
