// A budget of time that is used up at once.
#include <gtest/gtest.h>

#include "explore/explore.h"
#include "models/hw/device_reader.h"
#include "tests/explore/drawn_graphs.h"

namespace dse::explore::budget_test {
namespace {

TEST(Budget, OfTimeThatIsUpAtOnceLeavesAFront) {
  test::Random random(5);
  for (const auto wiring : test::kWirings) {
    Diagnostics d;
    Case c;
    c.network = test::drawn_graph(wiring, 24, random);
    c.device = hw::read_device("stm32h743", {}, d), c.device_label = "stm32h743";
    SweepSpec spec;
    spec.seconds = 0.001;
    ExploreOptions options;
    options.jobs = 2, options.store_plans = false;
    const auto sweep = explore(spec, {c}, options, d);
    EXPECT_FALSE(d.has_errors()) << d.text();
    EXPECT_FALSE(sweep.fronts.at(0).points.empty());
    EXPECT_FALSE(sweep.fronts.at(0).complete);
  }
}

}  // namespace
}  // namespace dse::explore::budget_test
