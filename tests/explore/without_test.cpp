// What the axes of a space add.
#include "explore/without.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explore/explore.h"
#include "explore/question/axes.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::without_test {
namespace {

Sweep explored(const Case& c, const std::vector<std::string>& without) {
  SweepSpec spec;
  spec.without = without;
  ExploreOptions options;
  options.verify = false;
  Diagnostics diags;
  auto sweep = explore(spec, {c}, options, diags);
  EXPECT_FALSE(diags.has_errors()) << diags.text();
  return sweep;
}

TEST(Without, EveryAxisIsAskedOnceAndNoneMakesAFrontBetter) {
  const auto all = axis_names();
  int added = 0;
  for (int seed = 0; seed < test::of_share(3); ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed));
    Case c;
    c.network = test::random_branches(random), c.device = test::random_device(random), c.device_label = "random";
    const auto sweep = explored(c, all);
    const auto& front = sweep.fronts.at(0);
    if (front.points.empty()) continue;
    ASSERT_EQ(front.without.size(), all.size());
    std::int64_t smallest = front.points.front().memory_bytes;
    double fastest = front.points.front().latency_us;
    for (const auto& p : front.points)
      smallest = std::min(smallest, p.memory_bytes), fastest = std::min(fastest, p.latency_us);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& w = front.without[i];
      EXPECT_EQ(w.axis, all[i]);
      if (w.smallest_bytes < 0) continue;
      EXPECT_GE(w.smallest_bytes, smallest) << w.axis << ", seed " << seed;
      EXPECT_GE(w.fastest_us, fastest) << w.axis << ", seed " << seed;
      EXPECT_GE(w.lost, 0);
      added += w.lost > 0;
    }
  }
  EXPECT_GE(added, test::of_share(5));
}

TEST(Without, NothingIsAskedThatNobodyNamed) {
  test::Random random(3);
  Case c;
  c.network = test::random_network(random), c.device = test::random_device(random), c.device_label = "random";
  EXPECT_TRUE(explored(c, {}).fronts.at(0).without.empty());
  const auto one = explored(c, {"phases"}).fronts.at(0).without;
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].axis, "phases");
}

}  // namespace
}  // namespace dse::explore::without_test
