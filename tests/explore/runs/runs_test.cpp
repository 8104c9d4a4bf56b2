// Runs of layers by phases in a composition: what it adds up is what the whole plans take and need.
#include "explore/runs/runs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explore/compose/compose.h"
#include "explore/measure/measure.h"
#include "models/hw/device_reader.h"
#include "plan/rules/phased_front.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/inputs.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::runs_test {
namespace {

struct Composed {
  std::vector<Run> runs;
  CompositionFront front;
};

Composed composed(const Case& c) {
  const SweepSpec spec;
  const Space space(*c.network, *c.device, spec);
  const auto goal = goal_of(spec, *c.device);
  std::vector<LayerFront> layers;
  for (const auto& task : space.tasks)
    layers.push_back(search_layer(task, plan::ChoiceRegistry::standard(), {}, goal, {12, {}}));
  Composed out;
  out.runs = undominated(runs_of(c, spec, space, 24).list);
  CompositionOptions options;
  options.runs = &out.runs;
  out.front = compose(space, layers, goal, options);
  return out;
}

bool has_phases(const Composition& point) {
  return std::any_of(point.choices.begin(), point.choices.end(),
                     [](const auto& c) { return c.phases != plan::Phases::no; });
}

/// @returns how many of the points have layers by phases.
int expect_sums(const Case& c, const std::string& what) {
  const auto all = composed(c);
  int phased = 0;
  const std::size_t each = 1 + all.front.points.size() / 40;
  for (std::size_t i = 0; i < all.front.points.size(); i += each) {
    const auto& p = all.front.points[i];
    const plan::Decisions decided{c.whole, p.choices};
    const auto m = evaluate(c, decided);
    EXPECT_FALSE(m.invalid) << what << ": " << m.reason;
    if (!m.feasible()) continue;
    for (int cost = 0; cost < kCosts; ++cost) EXPECT_EQ(m.costs[cost], p.costs[cost]) << what;
    if (!has_phases(p)) continue;
    ++phased;
    EXPECT_EQ(least_of(c, decided).memory, p.memory) << what;
  }
  return phased;
}

TEST(Runs, AddUpToTheWholePlanOnRandomCases) {
  int phased = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::of_share(40)); ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random), c.device = test::random_device(random);
    phased += expect_sums(c, "seed " + std::to_string(seed));
  }
  EXPECT_GE(phased, test::of_share(20));
}

TEST(Runs, AddUpToTheWholePlanOnBranches) {
  int phased = 0;
  const std::vector<nn::NetworkPtr> networks = {test::residual_network(), test::inception_network()};
  Diagnostics diags;
  for (const auto& network : networks)
    for (const char* device : {"gap8-class", "cortex-m7-class"}) {
      Case c;
      c.network = network;
      c.device = hw::read_device(std::string(DSE_SOURCE_DIR "/configs/devices/") + device + ".yaml", {}, diags);
      phased += expect_sums(c, network->name + " on " + device);
    }
  EXPECT_GE(phased, 10);
}

/// The file's kept inputs stay beside everything, also beside the runs that read them.
TEST(Runs, KeptInputsAndRunsThatReadThem) {
  int phased = 0;
  for (std::uint64_t seed = 100; seed < 120; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random), c.device = test::random_device(random);
    c.whole.input = plan::shared::Input::kept;
    SweepSpec spec;
    spec.choices["network.input"] = {"kept"};
    const Space space(*c.network, *c.device, spec);
    ASSERT_EQ(space.whole.input, plan::shared::Input::kept);
    phased += !runs_of(c, spec, space, 8).list.empty();
  }
  EXPECT_GE(phased, 3);
}

TEST(Runs, ThereAreNoneWhereInputsComeIn) {
  test::Random random(7);
  Case c;
  c.network = test::random_network(random), c.device = test::with_camera(*test::random_device(random));
  c.whole.input = plan::shared::Input::streamed;
  SweepSpec spec;
  spec.choices["network.input"] = {"streamed"};
  const Space space(*c.network, *c.device, spec);
  EXPECT_TRUE(runs_of(c, spec, space, 8).list.empty());
}

}  // namespace
}  // namespace dse::explore::runs_test
