// Output batches as a choice of a layer: how many there may be, the scratch they take, and what the rule takes.
#include "plan/layer/compute/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/nn/kernels/dse_technique.h"
#include "plan/choices/choice.h"
#include "plan/document/document.h"
#include "plan/make/make_plan.h"
#include "plan/place/contexts.h"
#include "plan/rules/rules.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"

namespace dse::plan::batches_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// An array whose sums stand in memory, with a unit that rescales apart.
std::shared_ptr<hw::Device> array() {
  test::Random random(3);
  auto d = std::make_shared<hw::Device>(*test::random_device(random));
  auto& engine = d->engines[static_cast<std::size_t>(d->compute_engine())];
  engine.rescaled_per_cycle = {1, 1}, engine.per_batch = 20, engine.rescales_apart = true;
  return d;
}

/// A convolution of 8 x 8 x 16 outputs.
nn::NetworkPtr one_layer() {
  test::BranchedNetwork n("one");
  return n.build({n.conv(n.input(8, 8, 4), 16, 3)});
}

std::vector<LayerChoice> plain(const nn::Network& network, const hw::Device& device) {
  std::vector<LayerChoice> out(network.operators.size());
  for (auto& c : out) c.output_memory = device.io;
  return out;
}

TEST(Batches, AreThoseThatDivideACall) {
  const auto n = one_layer();
  auto d = array();
  const auto counts = [&](const LayerChoice& choice) {
    auto choices = plain(*n, *d);
    choices[0] = choice;
    return batches_of(context_of(*n, *d, choices, 0, true), choice);
  };
  EXPECT_THAT(counts({}), ElementsAre(1, 4, 16, 64, 256, 1024)) << "16 are the channels as well";
  LayerChoice tiled;
  tiled.tile = 1;  // 128 outputs a call: an eighth of all
  EXPECT_THAT(counts(tiled), ElementsAre(1, 16, 64, 256, 1024));
  LayerChoice stepped;
  stepped.scheme = Scheme::planar, stepped.channels = 1;
  EXPECT_THAT(counts(stepped), ElementsAre(1)) << "sums of several steps stand in memory anyway";
  LayerChoice arranged;
  arranged.technique = DSE_IM2ROW;
  EXPECT_THAT(counts(arranged), ElementsAre(1)) << "patches are arranged once";
  d->engines[static_cast<std::size_t>(d->compute_engine())].rescaled_per_cycle = {};
  EXPECT_THAT(counts({}), ElementsAre(1)) << "sums in registers";
}

TEST(Batches, ScratchHoldsTheSumsOfOneOrTwo) {
  const auto n = one_layer();
  const auto d = array();
  const auto scratch = [&](int batches, int buffers, Phases phases = Phases::no) {
    auto choices = plain(*n, *d);
    choices[0].batches = batches, choices[0].batch_buffers = buffers, choices[0].phases = phases;
    const auto g = layer_geometry(context_of(*n, *d, choices, 0, true), choices[0]);
    EXPECT_TRUE(g.feasible) << g.reason;
    const auto* buffer = g.find("scratch");
    return buffer ? buffer->size : 0;
  };
  EXPECT_EQ(scratch(1, 1), 1024 * 4);
  EXPECT_EQ(scratch(16, 1), 64 * 4);
  EXPECT_EQ(scratch(16, 2), 64 * 8);
  EXPECT_EQ(scratch(3, 1), 342 * 4) << "three do not divide 1024";
  EXPECT_EQ(scratch(1, 1, Phases::yes), 8 * 16 * 4) << "by phases a batch is a row";
}

TEST(Batches, AreOfferedWhereSumsStandInMemory) {
  const auto n = one_layer();
  auto d = array();
  const auto registry = ChoiceRegistry::standard();
  const auto offered = [&](const char* name, const LayerChoice& choice) {
    return registry.find(name)->domain(context_of(*n, *d, plain(*n, *d), 0, true), choice);
  };
  LayerChoice several;
  several.batches = 4;
  EXPECT_EQ(offered("batches", {}).size(), 6u);
  EXPECT_THAT(offered("batch_buffers", several), ElementsAre(1, 2));
  EXPECT_THAT(offered("batch_buffers", {}), ElementsAre(1)) << "one batch";
  auto& engine = d->engines[static_cast<std::size_t>(d->compute_engine())];
  engine.rescales_apart = false;
  EXPECT_THAT(offered("batch_buffers", several), ElementsAre(1)) << "who sums rescales";
}

TEST(Batches, TheRuleTakesAsFewAsFit) {
  const auto n = one_layer();
  const auto d = array();
  const auto made = rule_based_plan(*n, *d, true);
  const auto& plan = std::get<Plan>(made);
  EXPECT_EQ(plan.choices[0].batches, 1);
  EXPECT_THAT(in_words(plan, *n, *d)[0], testing::Not(HasSubstr("output batches")));
  auto small = *d;
  auto& near = small.memories[static_cast<std::size_t>(
      small.engines[static_cast<std::size_t>(small.compute_engine())].memories.front())];
  near.size = near.reserved + 900;  // three rows of the input, one of the output, some filters; no 512 bytes of sums
  const auto tight = rule_based_plan(*n, small, true);
  ASSERT_TRUE(std::holds_alternative<Plan>(tight)) << std::get<Infeasible>(tight).what;
  const auto& fitted = std::get<Plan>(tight);
  EXPECT_GT(fitted.choices[0].batches, 1);
  EXPECT_THAT(in_words(fitted, *n, small)[0], HasSubstr("output batches"));
}

}  // namespace
}  // namespace dse::plan::batches_test
