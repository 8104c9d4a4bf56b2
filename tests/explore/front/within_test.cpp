// The smallest plan near the best against the whole front.
#include "explore/within.h"

#include <gtest/gtest.h>

#include "explore/explore.h"
#include "explore/question/files/sweep_file.h"
#include "plan/network/layers.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::within_test {
namespace {

Case tiny_case(std::uint64_t seed) {
  test::Random random(seed);
  Case c;
  c.network = test::random_network(random);
  c.device = test::random_device(random, seed % 3 == 0);
  c.device_label = "random-" + std::to_string(seed);
  return c;
}

Sweep run(const SweepSpec& spec, const Case& c) {
  ExploreOptions options;
  options.verify = false;
  Diagnostics diags;
  auto sweep = explore(spec, {c}, options, diags);
  EXPECT_FALSE(diags.has_errors()) << diags.text();
  return sweep;
}

const Point* marked_within(const Front& front) {
  for (const auto* list : {&front.points, &front.marked})
    for (const auto& p : *list)
      if (std::count(p.marks.begin(), p.marks.end(), "within") > 0) return &p;
  return nullptr;
}

TEST(Within, IsTheSmallestPointOfTheFrontThatIsNearTheBest) {
  int smaller = 0, compared = 0;
  for (std::uint64_t seed = 0; seed < 60 && compared < test::of_share(8); ++seed) {
    const auto c = tiny_case(seed);
    if (plan::layers_of(*c.network, true).size() > 3) continue;
    SweepSpec all;
    all.front_points = 0, all.by_phases = false;
    const auto whole = run(all, c).fronts[0];
    if (whole.points.empty() || !whole.complete) continue;
    EXPECT_EQ(marked_within(whole), nullptr) << "nobody asked";
    std::int64_t best = whole.points[0].latency_ticks;
    for (const auto& p : whole.points) best = std::min(best, p.latency_ticks);
    for (const double share : {0.01, 0.25}) {
      SweepSpec spec = all;
      spec.objectives = {"latency"};
      if (share != 0.01) spec.within = share;  // 1 % is what a search for latency alone shows anyway
      const auto front = run(spec, c).fronts[0];
      const auto* near = marked_within(front);
      ASSERT_NE(near, nullptr) << seed;
      std::int64_t least = near->memory_bytes + 1;
      for (const auto& p : whole.points)
        if (static_cast<double>(p.latency_ticks) <= static_cast<double>(best) * (1 + share))
          least = std::min(least, p.memory_bytes);
      EXPECT_EQ(near->memory_bytes, least) << seed << " within " << share;
      EXPECT_LE(static_cast<double>(near->latency_ticks), static_cast<double>(best) * (1 + share));
      EXPECT_EQ(front.points.size(), 1u);
      EXPECT_EQ(front.points[0].latency_ticks, best);
      EXPECT_EQ(front.within, share);
      smaller += near->memory_bytes < front.points[0].memory_bytes;
    }
    ++compared;
  }
  EXPECT_GE(compared, test::of_share(5));
  EXPECT_GT(smaller, 0) << "no case has anything to gain";
}

TEST(Within, IsWhatTheSweepSays) {
  SweepSpec spec;
  EXPECT_EQ(tolerance_of(spec), 0);
  spec.within = 0.05;
  EXPECT_EQ(tolerance_of(spec), 0.05);
  EXPECT_EQ(tolerance_objective(spec), "latency");
  spec.objectives = {"memory"};
  EXPECT_EQ(tolerance_of(spec), 0) << "the best in memory is the smallest";
  spec.objectives = {"energy"}, spec.within = -1;
  EXPECT_EQ(tolerance_of(spec), 0);
  spec.objectives = {"latency"};
  EXPECT_EQ(tolerance_of(spec), 0.01);
  spec.within = 0;
  EXPECT_EQ(tolerance_of(spec), 0);
  for (const double share : {0.0, 0.01, 0.125, 1.0}) {
    spec.within = share, spec.networks = {"n.yaml"}, spec.devices = {{"gap8-class", {}, {}}};
    Diagnostics d;
    const auto again = read_sweep_text(write_sweep(spec), "s.yaml", d);
    ASSERT_TRUE(again) << d.text();
    EXPECT_EQ(again->within, share);
  }
}

}  // namespace
}  // namespace dse::explore::within_test
