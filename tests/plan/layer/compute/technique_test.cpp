// Techniques of convolutions as a choice of a layer: which there are, the scratch they take, and what cannot be.
#include "plan/layer/compute/technique.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/hw/device_reader.h"
#include "models/nn/graph/technique.h"
#include "plan/choices/choice.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/rules/rules.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"

namespace dse::plan::technique_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// An array that computes 3x3 by im2row and Winograd, and nothing else but directly.
hw::DevicePtr two_techniques() {
  test::Random random(3);  // an array
  auto d = std::make_shared<hw::Device>(*test::random_device(random));
  auto& engine = d->engines[static_cast<std::size_t>(d->compute_engine())];
  engine.techniques = {{"im2row", {4, 1}}, {"im2row-by-row", {4, 1}}, {"winograd", {4, 1}}};
  return d;
}

/// Convolutions of 3x3 and of 1x1.
nn::NetworkPtr two_layers() {
  test::BranchedNetwork n("two");
  return n.build({n.conv(n.conv(n.input(8, 8, 4), 16, 3), 8, 1)});
}

std::vector<LayerChoice> plain(const nn::Network& network, const hw::Device& device) {
  std::vector<LayerChoice> out(network.operators.size());
  for (auto& c : out) c.output_memory = device.io;
  return out;
}

TEST(Technique, AreWhatTheEngineHasAndTheLayerIs) {
  const auto n = two_layers();
  const auto d = two_techniques();
  const auto& engine = d->engines[static_cast<std::size_t>(d->compute_engine())];
  EXPECT_THAT(techniques_on(*n, 0, engine), ElementsAre(DSE_DIRECT, DSE_IM2ROW, DSE_IM2ROW_BY_ROW, DSE_WINOGRAD));
  EXPECT_THAT(techniques_on(*n, 1, engine), ElementsAre(DSE_DIRECT)) << "1x1 is a matrix product already";
  const auto registry = ChoiceRegistry::standard();
  const auto context = context_of(*n, *d, plain(*n, *d), 0, true);
  const auto& choice = *registry.find("technique");
  EXPECT_EQ(choice.domain(context, {}).size(), 4u);
  LayerChoice by_phases;
  by_phases.phases = Phases::yes;
  EXPECT_THAT(choice.domain(context, by_phases), ElementsAre(DSE_DIRECT));
  EXPECT_EQ(choice.text(*d, DSE_WINOGRAD), "winograd");
  EXPECT_EQ(choice.parse(*d, "im2row-by-row"), DSE_IM2ROW_BY_ROW);
}

TEST(Technique, ScratchIsABufferOfTheTile) {
  const auto n = two_layers();
  const auto d = two_techniques();
  const auto scratch = [&](int technique, int tile, Scheme scheme = Scheme::interleaved, int channels = 0) {
    auto choices = plain(*n, *d);
    choices[0].technique = technique, choices[0].tile = tile, choices[0].operands = Operands::tiled;
    choices[0].scheme = scheme, choices[0].channels = channels;
    const auto g = layer_geometry(context_of(*n, *d, choices, 0, true), choices[0]);
    EXPECT_TRUE(g.feasible) << g.reason;
    const auto* buffer = g.find("scratch");
    return buffer ? buffer->size : 0;
  };
  EXPECT_EQ(scratch(DSE_DIRECT, 0), 0);
  EXPECT_EQ(scratch(DSE_IM2ROW, 0), 64 * 9 * 4);
  EXPECT_EQ(scratch(DSE_IM2ROW, 2), 16 * 9 * 4);
  EXPECT_EQ(scratch(DSE_IM2ROW_BY_ROW, 0), 8 * 9 * 4);
  EXPECT_EQ(scratch(DSE_WINOGRAD, 3), (2 * 4 + 1) * 32 * 4) << "two rows of four blocks, and a filter";
  EXPECT_EQ(scratch(DSE_IM2ROW, 2, Scheme::planar, 1), 16 * 9) << "of one step";
}

TEST(Technique, WhatCannotBeIsNamed) {
  const auto n = two_layers();
  const auto d = two_techniques();
  const auto why = [&](int op, int technique, Phases phases = Phases::no) {
    auto choices = plain(*n, *d);
    choices[static_cast<std::size_t>(op)].technique = technique;
    choices[static_cast<std::size_t>(op)].phases = phases;
    const auto made = make_plan(*n, *d, choices);
    const auto* bad = std::get_if<Infeasible>(&made);
    return bad ? bad->what : "";
  };
  EXPECT_EQ(why(0, DSE_WINOGRAD), "");
  EXPECT_THAT(why(0, DSE_SUB_PIXEL), HasSubstr("does not compute by sub-pixel"));
  EXPECT_THAT(why(1, DSE_IM2ROW), HasSubstr("it cannot be computed by im2row"));
  EXPECT_THAT(why(0, DSE_IM2ROW, Phases::yes), HasSubstr("run by phases are computed directly"));
}

TEST(Technique, SeparableIsWhatEveryFilterIs) {
  test::BranchedNetwork n("depthwise");
  const auto network = n.build({n.depthwise(n.input(8, 8, 4), 3)});
  const auto known = [](const nn::Network& of) { return nn::techniques_of(of, of.operators[0]); };
  EXPECT_THAT(known(*network), ElementsAre(DSE_DIRECT)) << "drawn weights are not";
  auto changed = network;
  for (unsigned seed = 0; changed == network || known(*changed).size() < 2; ++seed) {  // most draws change the layer
    ASSERT_LT(seed, 20u);
    test::Random random(seed);
    changed = test::with_separable_filters(*network, random);
  }
  EXPECT_THAT(known(*changed), ElementsAre(DSE_DIRECT, DSE_SEPARABLE));
  auto one = std::make_shared<nn::Network>(*changed);
  auto& w = one->tensors[static_cast<std::size_t>(one->operators[0].inputs[1])].data;
  w[0] = static_cast<std::uint8_t>(w[0] + 1), w[8] = static_cast<std::uint8_t>(w[8] + 1);
  EXPECT_THAT(known(*one), ElementsAre(DSE_DIRECT)) << "one filter of four is not";
}

TEST(Technique, TheRuleTakesTheFastestThatFits) {
  Diagnostics diags;
  const auto device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/conv-units.yaml", {}, diags);
  ASSERT_TRUE(device) << diags.text();
  const auto n = two_layers();
  const auto technique = [&](const hw::Device& d) {
    const auto plan = rule_based_plan(*n, d, true);
    return std::get<Plan>(plan).choices[0].technique;
  };
  // A row of 8 pixels, 36 products each of 16 filters: directly 8 * 36 * 16 / 4 cycles; 8 * 36 / 8 + 8 * 36 * 16 / 16
  // by im2row; (32 * 4 * (4 + 16) + 64 * 4 * 16) / 16 + 16 * 4 * 4 * 16 / 16 by Winograd, of whose blocks a row fills
  // half.
  EXPECT_EQ(technique(*device), DSE_IM2ROW);
  auto slow = *device;
  slow.engines[0].techniques["im2row"] = slow.engines[0].techniques["im2row-by-row"] = {1, 10};
  EXPECT_EQ(technique(slow), DSE_WINOGRAD);
  auto small = *device;
  small.memories[0].size = 1100;  // rows and filters fit, and no patches beside them
  EXPECT_EQ(technique(small), DSE_DIRECT);
}

}  // namespace
}  // namespace dse::plan::technique_test
