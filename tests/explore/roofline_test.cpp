// Rooflines by hand on a shipped device, and never above them on any.
#include "explore/measure/roofline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explore/measure/point.h"
#include "plan/make/make_plan.h"
#include "plan/rules/rules.h"
#include "tests/explore/roofs.h"
#include "tests/support/random_cases.h"
#include "tests/support/shipped_case.h"

namespace dse::explore::roofline_test {
namespace {

using test::shipped_case;

TEST(Roofline, PortsMoveTheirRateAtMost) {
  EXPECT_EQ(port_ticks(100, {8, 1}, 1), 13);
  EXPECT_EQ(port_ticks(100, {8, 1}, 2), 7);
  EXPECT_EQ(port_ticks(100, {1, 2}, 1), 200);
  EXPECT_EQ(port_ticks(0, {8, 1}, 1), 0);
}

Point by_rule(const Case& c) {
  auto made = plan::rule_based_plan(*c.network, *c.device, false);
  if (std::holds_alternative<plan::Infeasible>(made)) made = plan::tflm_plan(*c.network, *c.device);
  return simulate_point(c, std::get<plan::Plan>(made), true, false);
}

/// The cluster makes 32 products a cycle, half of them in convolutions and 0.4 when fully connected, and pools four
/// elements; l3 moves a byte per cycle.
TEST(Roofline, ByHand) {
  const auto p = by_rule(shipped_case("ds-cnn", "gap8-class"));
  const auto of = [&](const std::string& layer) {
    const auto at = std::find(p.sections.begin(), p.sections.end(), layer);
    EXPECT_NE(at, p.sections.end()) << layer;
    return p.rooflines.at(static_cast<std::size_t>(at - p.sections.begin()));
  };
  // Bound by arithmetic: 25 x 5 x 64 outputs of 64 products.
  const auto conv = of("conv1");
  EXPECT_EQ(conv.macs, 512'000);
  EXPECT_EQ(conv.arithmetic, 512'000 / 16);
  EXPECT_EQ(conv.bound(), -1);
  EXPECT_EQ(conv.roof(), 32'000);
  // Bound by l3: 12 filters of 64 weights and 12 bytes for bias and scale.
  const auto full = of("fully_connected0");
  EXPECT_EQ(full.macs, 768);
  EXPECT_EQ(full.arithmetic, 60);
  EXPECT_EQ(full.memories.at(2).bytes, 12 * (64 + 12));
  EXPECT_EQ(full.memories.at(2).ticks, 912);
  EXPECT_EQ(full.bound(), 2);
  EXPECT_EQ(full.roof(), 912);
  // No products: 25 x 5 x 64 elements.
  const auto pool = of("average_pool0");
  EXPECT_EQ(pool.macs, 0);
  EXPECT_EQ(pool.arithmetic, 8'000 / 4);
  EXPECT_EQ(pool.bound(), -1);
}

TEST(Roofline, NoShippedDeviceIsAboveIt) {
  for (const char* network : {"ds-cnn", "resnet8", "mobilenet-v1-0.25-96"})
    for (const char* device : {"gap8-class", "cortex-m7-class", "stm32l4r5", "apollo510", "os-array-16x16"}) {
      SCOPED_TRACE(std::string(network) + " on " + device);
      expect_under_the_roof(by_rule(shipped_case(network, device)));
    }
}

TEST(Roofline, NoRandomPlanIsAboveIt) {
  int memory = 0, arithmetic = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const auto network = test::random_network(random);
    auto device = std::make_shared<hw::Device>(*test::random_device(random));
    for (auto& m : device->memories) m.ports = test::pick(random, 1, 2);
    const auto made =
        plan::make_plan(*network, *device, test::random_choices(random, *network, *device, seed % 2 == 0));
    if (std::holds_alternative<plan::Infeasible>(made)) continue;
    const auto p = simulate_point({network, device, "d"}, std::get<plan::Plan>(made), true, false);
    ASSERT_FALSE(p.run.failure) << p.run.failure->what;
    expect_under_the_roof(p);
    for (const auto& r : p.rooflines) ++(r.bound() < 0 ? arithmetic : memory);
  }
  EXPECT_GT(memory, 100);
  EXPECT_GT(arithmetic, 50);
}

}  // namespace
}  // namespace dse::explore::roofline_test
