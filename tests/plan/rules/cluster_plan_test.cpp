// Plans for clusters whose library is counted, and filters that come set by set where whole ones do not fit.
#include "plan/rules/cluster_plan.h"

#include <gmock/gmock.h>

#include "models/hw/device_reader.h"
#include "models/hw/libraries/libraries.h"
#include "models/nn/import.h"
#include "plan/check/check.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/place/contexts.h"
#include "plan/rules/rules.h"
#include "tests/plan/reference_executor.h"
#include "tests/support/random_cases.h"

namespace dse::plan::cluster_plan_test {
namespace {

hw::DevicePtr shipped(const std::string& name) {
  Diagnostics d;
  auto device = hw::read_device(std::string(DSE_SOURCE_DIR) + "/configs/devices/" + name + ".yaml", {}, d);
  EXPECT_NE(device, nullptr) << d.text();
  return device;
}

nn::NetworkPtr network_of(const std::string& shape, const std::string& layers) {
  Diagnostics d;
  auto n = nn::import_yaml(
      "format: 1\nname: n\nseed: 1\ninput: {shape: " + shape + ", scale: 0.0078, zero_point: 0}\nlayers:\n" + layers,
      "n.yaml", d);
  EXPECT_TRUE(n) << d.text();
  return n;
}

std::string wrong_bytes(const nn::Network& n, const hw::Device& d, const Plan& plan, std::uint64_t seed) {
  const auto program = lower(n, d, plan);
  if (const auto findings = check(program, d); !findings.empty()) return to_string(findings);
  std::vector<std::vector<std::uint8_t>> inputs;
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    inputs.push_back(nn::seeded_input(n.tensors[static_cast<std::size_t>(n.inputs[i])], static_cast<int>(i), seed));
  const auto truth = nn::interpret(n, inputs);
  const auto result = test::execute(program, constants_image(n, d, plan), inputs, test::Interleaving::lazy, 0);
  if (!result.ok()) return *result.failure;
  for (std::size_t o = 0; o < n.outputs.size(); ++o)
    if (result.outputs[o] != truth[static_cast<std::size_t>(n.outputs[o])]) return "wrong bytes";
  return "";
}

TEST(ClusterPlan, ComputesTheInterpretersBytes) {
  int made = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    hw::Device device = *test::random_device(random);
    auto& engine = device.engines[static_cast<std::size_t>(device.compute_engine())];
    if (engine.kind != hw::EngineKind::mac_array) continue;
    device.kernel_library = "pulp-nn", engine.cores = 1 << seed % 4;
    for (const auto& count : hw::counts_of("pulp-nn")) engine.cycles_per_count[count] = {1, 1};
    const auto plan = cluster_plan(*network, device);
    if (!std::holds_alternative<Plan>(plan)) continue;
    ++made;
    EXPECT_EQ(wrong_bytes(*network, device, std::get<Plan>(plan), seed), "") << seed;
  }
  EXPECT_GT(made, 15);
}

TEST(ClusterPlan, TilesHaveRowsForAllCoresAndFiltersByFours) {
  const auto device = shipped("gap8");
  const auto n = network_of("[1, 32, 32, 16]",
                            "  - conv: {filters: 64, kernel: 3}\n  - conv: {filters: 128, kernel: 1}\n"
                            "  - depthwise: {kernel: 3}\n");
  const auto plan = cluster_plan(*n, *device);
  ASSERT_TRUE(std::holds_alternative<Plan>(plan)) << std::get<Infeasible>(plan).what;
  const auto& choices = std::get<Plan>(plan).choices;
  EXPECT_EQ(choices[0].filters % 4, 0);
  EXPECT_EQ(choices[1].scheme, Scheme::pixel_block);
  EXPECT_EQ(choices[1].tile % 16, 0);  // two pixels a core
  EXPECT_EQ(choices[2].filters % 8, 0);
  EXPECT_FALSE(choices[0].prefetch);  // the first has none before it
  EXPECT_TRUE(choices[1].prefetch && choices[2].prefetch);
}

TEST(ClusterPlan, FetchesNothingAheadWhereItDoesNotFitBesideTheTiles) {
  // Weights lie in L2, so what is fetched ahead goes to L1, which the tiles of the layer before fill.
  auto device = std::make_shared<hw::Device>(*shipped("gap8"));
  device->constants = device->io;
  const auto n = network_of("[1, 640]", "  - fully_connected: {units: 128}\n  - fully_connected: {units: 640}\n");
  const auto made = cluster_plan(*n, *device);
  ASSERT_TRUE(std::holds_alternative<Plan>(made)) << std::get<Infeasible>(made).what;
  for (const auto& c : std::get<Plan>(made).choices) EXPECT_FALSE(c.prefetch);
  EXPECT_EQ(wrong_bytes(*n, *device, std::get<Plan>(made), 1), "");
}

TEST(ClusterPlan, IsForEnginesWhoseLibraryIsCounted) {
  const auto n = network_of("[1, 8, 8, 4]", "  - conv: {filters: 4, kernel: 3}\n");
  const auto plan = cluster_plan(*n, *shipped("gap8-class"));
  ASSERT_TRUE(std::holds_alternative<Infeasible>(plan));
  EXPECT_EQ(std::get<Infeasible>(plan).what, "the device has no engine whose library is counted");
}

TEST(ClusterPlan, WhatTheAcceleratorTakesRunsOnIt) {
  const auto device = shipped("gap9-ne16");
  const int ne16 = device->engine("ne16"), cluster = device->engine("cluster");
  const auto n = network_of("[1, 24, 24, 16]",
                            "  - conv: {filters: 64, kernel: 3}\n  - conv: {filters: 32, kernel: 1}\n"
                            "  - depthwise: {kernel: 3, stride: 2}\n  - conv: {filters: 32, kernel: 5}\n"
                            "  - average_pool: {kernel: 12}\n");
  for (const auto buffers : {Buffers::two, Buffers::one, Buffers::two_of_all}) {
    const auto made = cluster_plan(*n, *device, shared::Input::released, buffers);
    ASSERT_TRUE(std::holds_alternative<Plan>(made)) << std::get<Infeasible>(made).what;
    const auto& plan = std::get<Plan>(made);
    std::vector<int> engines;
    for (const auto& g : geometries(*n, *device, plan.choices, plan.alias_reshapes)) engines.push_back(g.engine);
    EXPECT_EQ(engines, (std::vector<int>{ne16, ne16, ne16, cluster, cluster}));
    EXPECT_EQ(wrong_bytes(*n, *device, plan, 1), "");
  }
}

TEST(ClusterPlan, TilesOfTheAcceleratorAreWholeSubtiles) {
  auto device = std::make_shared<hw::Device>(*shipped("gap9-ne16"));
  device->constants = device->io;
  auto& l1 = device->memories[static_cast<std::size_t>(device->memory("l1"))];
  l1.reserved = 0, l1.size = 90000;
  const auto n = network_of("[1, 40, 40, 32]", "  - conv: {filters: 64, kernel: 3}\n");
  const auto choice_with = [&](Buffers buffers) {
    const auto made = cluster_plan(*n, *device, shared::Input::released, buffers);
    EXPECT_TRUE(std::holds_alternative<Plan>(made));
    const auto& plan = std::get<Plan>(made);
    EXPECT_EQ(wrong_bytes(*n, *device, plan, 1), "");
    return plan.choices[0];
  };
  const auto one = choice_with(Buffers::one), two = choice_with(Buffers::two_of_all);
  EXPECT_EQ(one.tile % 3, 0);
  EXPECT_EQ(one.filters % 32, 0);
  EXPECT_EQ(two.tile % 3, 0);
  EXPECT_EQ(one.buffering, Buffering::once);
  EXPECT_EQ(two.buffering, Buffering::twice);
  EXPECT_LT(two.tile * two.filters, one.tile * one.filters);  // room for two of everything
}

TEST(ClusterPlan, AnAcceleratorRefusesWhatItDoesNotTake) {
  const auto device = shipped("gap9-ne16");
  const auto n = network_of("[1, 12, 12, 8]", "  - conv: {filters: 8, kernel: 5}\n");
  std::vector<LayerChoice> choices(1);
  choices[0].output_memory = device->io, choices[0].engine = device->engine("ne16");
  const auto made = make_plan(*n, *device, choices, {});
  ASSERT_TRUE(std::holds_alternative<Infeasible>(made));
  EXPECT_THAT(std::get<Infeasible>(made).what, testing::HasSubstr("the kernel library 'ne16' has no kernel for it"));
  // Nor does the checker let a program through that calls it all the same.
  choices[0].engine = -1;
  const auto on_cluster = make_plan(*n, *device, choices, {});
  ASSERT_TRUE(std::holds_alternative<Plan>(on_cluster)) << std::get<Infeasible>(on_cluster).what;
  auto program = lower(*n, *device, std::get<Plan>(on_cluster));
  EXPECT_TRUE(check(program, *device).empty());
  for (auto& q : program.queues)
    if (q.engine == device->engine("cluster"))
      q.engine = device->engine("ne16");
    else if (q.engine == device->engine("ne16"))
      q.engine = device->engine("cluster");
  EXPECT_THAT(to_string(check(program, *device)), testing::HasSubstr("engine ne16 does not take such an operator"));
}

TEST(RuleBasedPlan, FiltersTooLargeForWhatTheyPassThroughComeInSets) {
  // 768 KiB of filters through 512 KiB of L2; the smaller layer's still come whole.
  const auto n =
      network_of("[1, 4, 4, 64]", "  - conv: {filters: 512, kernel: 1}\n  - conv: {filters: 1536, kernel: 1}\n");
  for (const char* name : {"gap8-class", "gap8"}) {
    const auto device = shipped(name);
    for (const bool resident : {false, true}) {
      const auto made = rule_based_plan(*n, *device, resident);
      ASSERT_TRUE(std::holds_alternative<Plan>(made)) << std::get<Infeasible>(made).what;
      const auto& plan = std::get<Plan>(made);
      EXPECT_EQ(plan.choices[0].staging, Staging::whole);
      EXPECT_EQ(plan.choices[1].staging, Staging::sets);
      EXPECT_EQ(wrong_bytes(*n, *device, plan, 1), "");
    }
  }
}

}  // namespace
}  // namespace dse::plan::cluster_plan_test
