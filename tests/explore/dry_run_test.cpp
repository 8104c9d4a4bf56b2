// The dry run against the search that it looks ahead to.
#include "explore/dry_run.h"

#include <gtest/gtest.h>

#include "explore/engine/exhaustive.h"
#include "explore/explore.h"
#include "explore/layer/layer_search.h"
#include "models/hw/device_reader.h"
#include "plan/network/layers.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::dry_run_test {
namespace {

TEST(DryRun, CountsWhatTheSearchHasAndNoLessThanItSimulates) {
  int pruned = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random);
    c.device = test::random_device(random);
    c.device_label = "random";
    SweepSpec spec;
    if (seed % 3 == 0) spec.choices["buffering"] = {"double"};
    const auto d = dry_run(c, spec, {1, 6, nullptr});
    const Space space(*c.network, *c.device, spec);
    const auto goal = default_goal(*c.device);
    std::int64_t options = 0, simulated = 0, impossible = 0;
    for (const auto& task : space.tasks) {
      const auto f = search_layer(task, plan::ChoiceRegistry::standard(), {}, goal);
      options += f.simulated + f.discarded, simulated += f.simulated, impossible += f.infeasible + f.outside;
    }
    EXPECT_EQ(d.searches, static_cast<int>(space.tasks.size()));
    EXPECT_EQ(d.layers.size(), space.layers.size());
    EXPECT_EQ(d.options, options);
    EXPECT_EQ(d.impossible, impossible);
    EXPECT_LE(simulated, d.left) << "the search simulates more than at most";
    EXPECT_LE(d.left, options);
    EXPECT_LE(d.simulated, d.left);
    EXPECT_GT(d.estimated_seconds, 0);
    pruned += d.left < d.options;
    std::int64_t most = 0;
    for (const auto& l : d.layers) {
      most = std::max(most, l.left);
      EXPECT_LE(l.left, l.options);
    }
    EXPECT_LE(most, d.left);
    const auto again = dry_run(c, spec, {1, 6, nullptr});
    EXPECT_EQ(again.left, d.left);
    EXPECT_EQ(again.whole, d.whole);
  }
  EXPECT_GT(pruned, 6);
}

TEST(DryRun, WholeNetworkCandidatesAreThoseOfBruteForce) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 100 && compared < 10; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random);
    if (plan::layers_of(*c.network, true).size() > 4) continue;
    c.device = test::random_device(random);
    SweepSpec spec;
    spec.choices["buffering"] = {"single"};
    const auto d = dry_run(c, spec, {1, 2, nullptr});
    EXPECT_DOUBLE_EQ(d.whole, Candidates(c, spec).count()) << seed;
    ++compared;
  }
  EXPECT_EQ(compared, 10);
}

TEST(DryRun, SaysWhyThereIsNone) {
  test::Random random(1);
  Case c;
  c.network = test::random_network(random);
  c.device = test::random_device(random);
  SweepSpec spec;
  const auto& layer = c.network->operators[0].name;
  spec.choices[layer + ".filters"] = {"12345"};
  const auto d = dry_run(c, spec, {1, 2, nullptr});
  EXPECT_NE(d.infeasible.find("choices." + layer + ".filters allows 12345"), std::string::npos) << d.infeasible;
  EXPECT_EQ(d.whole, 0);
}

TEST(DryRun, EstimatesTheSimulationsOfARunWithinAFactorOfThree) {
  const std::string configs = DSE_SOURCE_DIR "/configs/";
  // Those that take a second or two; the others lie nearer.
  const auto pairs = test::share_of(std::vector<std::pair<const char*, const char*>>{{"autoencoder", "cortex-m7-class"},
                                                                                     {"autoencoder", "gap8-class"},
                                                                                     {"autoencoder", "dsp-l1-l2-l3"},
                                                                                     {"ds-cnn", "cortex-m7-class"},
                                                                                     {"ds-cnn", "gap8-class"}});
  for (const auto& [network, device] : pairs) {
    Diagnostics diags;
    Case c;
    c.network = nn::load_network(configs + "networks/" + network + ".yaml", diags);
    c.device = hw::read_device(configs + "devices/" + device + ".yaml", {}, diags);
    c.device_label = device;
    ASSERT_TRUE(c.network && c.device) << diags.text();
    const SweepSpec spec;
    const auto looked = dry_run(c, spec, {1, 24, nullptr});
    ExploreOptions options;
    options.jobs = 2, options.verify = false;
    const auto ran = explore(spec, {c}, options, diags).fronts[0];
    EXPECT_GT(3 * looked.estimated_simulations, ran.simulated) << network << " on " << device;
    EXPECT_LT(looked.estimated_simulations, 3 * ran.simulated) << network << " on " << device;
    EXPECT_GE(looked.estimated_simulations, looked.plans);
    EXPECT_GT(looked.estimated_seconds, 0);
    SweepSpec small = spec;
    small.simulations = 20;
    const auto estimated = dry_run(c, small, {1, 24, nullptr}).estimated_simulations;
    EXPECT_LE(estimated, looked.estimated_simulations);
    // One per layer, four given plans and one more are simulated whatever the budget.
    EXPECT_LE(estimated, std::max<std::int64_t>(small.simulations, looked.searches + 5)) << network << " on " << device;
  }
}

}  // namespace
}  // namespace dse::explore::dry_run_test
