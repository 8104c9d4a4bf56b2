// Choices to names and back: round trips on random networks and devices, and what is said about names that do not
// exist.
#include "plan/choices/assignment.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "models/hw/device_reader.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "tests/support/random_cases.h"

namespace dse::plan::assignment_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ChoiceRegistry& registry() {
  static const auto r = ChoiceRegistry::standard();
  return r;
}

TEST(Assignment, RoundTripGivesTheSameNamesAndTheSamePlan) {
  int plans = 0;
  std::size_t names = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    const auto choices = test::random_choices(random, *network, *device, seed % 2);
    const auto a = to_assignment(*network, *device, choices);
    names += a.size();
    Diagnostics diags;
    // Half of them live where no search would put them.
    const auto back =
        from_assignment(*network, *device, a, registry(), "a.json", diags, seed % 2 ? Accept::any : Accept::offered);
    ASSERT_TRUE(back) << diags.text();
    EXPECT_EQ(to_assignment(*network, *device, *back), a);
    const auto first = make_plan(*network, *device, choices), second = make_plan(*network, *device, *back);
    ASSERT_EQ(first.index(), second.index());
    if (!std::holds_alternative<Plan>(first)) continue;
    ++plans;
    EXPECT_EQ(std::get<Plan>(first).id(), std::get<Plan>(second).id());
    EXPECT_EQ(to_assignment(*network, *device, std::get<Plan>(second).choices), a);
  }
  EXPECT_GT(plans, 100);
  EXPECT_GT(names, 1000u);
}

TEST(Assignment, PlansByRuleAndWhatTflmDoesAreAssignmentsToo) {
  int seen = 0, copied = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    for (const auto& made : {rule_based_plan(*network, *device, false), rule_based_plan(*network, *device, true),
                             tflm_plan(*network, *device)}) {
      if (!std::holds_alternative<Plan>(made)) continue;
      const auto& plan = std::get<Plan>(made);
      const auto a = to_assignment(*network, *device, plan);
      Diagnostics diags;
      const auto decisions = decisions_from(*network, *device, a, registry(), "", diags, Accept::any);
      ASSERT_TRUE(decisions) << diags.text();
      EXPECT_EQ(decisions->network.alias_reshapes, plan.alias_reshapes);
      EXPECT_EQ(decisions->network.greedy_offsets, plan.origin == "TFLM today");
      const auto again = plan_of(*network, *device, *decisions);
      ASSERT_TRUE(std::holds_alternative<Plan>(again));
      EXPECT_EQ(std::get<Plan>(again).id(), plan.id()) << plan.origin;
      EXPECT_EQ(to_assignment(*network, *device, std::get<Plan>(again)), a);
      ++seen;
      copied += a.count("network.reshapes") > 0 && a.at("network.reshapes") == "copy";
    }
  }
  EXPECT_GT(seen, 90);
  EXPECT_GT(copied, 5);
}

TEST(Assignment, WhatIsLeftOutTakesItsDefault) {
  test::Random random(5);
  const auto network = test::random_network(random);
  const auto device = test::random_device(random);
  Diagnostics diags;
  const auto all = from_assignment(*network, *device, {}, registry(), "", diags);
  ASSERT_TRUE(all);
  std::vector<LayerChoice> expected(network->operators.size());
  for (const int op : layers_of(*network, true)) {
    const bool fixed = makes_output(*network, true).at(static_cast<std::size_t>(op));
    if (fixed) expected[op].output_memory = device->io;
    const auto context = context_of(*network, *device, expected, op, true);
    for (const auto& c : registry().all()) {
      if (fixed && (c.name == "output" || c.name == "layout")) continue;
      c.set(expected[op], c.domain(context, expected[op]).front());
    }
  }
  EXPECT_EQ(*all, expected);
}

class Shipped : public testing::Test {
 protected:
  void SetUp() override {
    Diagnostics diags;
    device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/gap8-class.yaml", {}, diags);
    network = nn::load_network(DSE_SOURCE_DIR "/configs/networks/resnet8.yaml", diags);
    ASSERT_TRUE(device && network) << diags.text();
  }
  std::string said(const Assignment& a) {
    Diagnostics diags;
    EXPECT_FALSE(from_assignment(*network, *device, a, registry(), "line 7", diags));
    return diags.text();
  }
  hw::DevicePtr device;
  nn::NetworkPtr network;
};

TEST_F(Shipped, UnknownNamesAndValuesAreNamedWithTheNearest) {
  const auto first = network->operators[1].name;  // a convolution
  EXPECT_THAT(said({{first + "x.scheme", "planar"}}),
              AllOf(HasSubstr("line 7: error: " + first + "x.scheme: network resnet8 has no layer '" + first + "x'"),
                    HasSubstr("did you mean ")));
  EXPECT_THAT(said({{first + ".shceme", "planar"}}), HasSubstr("there is no choice 'shceme'; did you mean scheme?"));
  EXPECT_THAT(said({{first + ".scheme", "planer"}, {first + ".output", "l2"}}),
              AllOf(HasSubstr("'planer' is no value of this choice"), HasSubstr("did you mean planar?"),
                    HasSubstr("possible are interleaved")));
  EXPECT_THAT(said({{first + ".tile", "7777"}, {first + ".output", "l2"}}),
              AllOf(HasSubstr("'7777' is no value of this choice, given"), HasSubstr("scheme=interleaved"),
                    HasSubstr("possible are all, ")));
  EXPECT_THAT(said({{"scheme", "planar"}}), HasSubstr("names are <layer>.<choice>"));
  EXPECT_THAT(said({{"network.ofsets", "greedy"}}), HasSubstr("did you mean offsets?"));
  EXPECT_THAT(said({{"network.offsets", "greed"}}), HasSubstr("did you mean greedy?"));
  EXPECT_THAT(said({{"device.memories.l1.size", "64 KiB"}}), HasSubstr("an axis of the device"));
}

TEST_F(Shipped, WhatDoesNotExistGivenTheOthersSaysWhatItDependsOn) {
  const auto first = network->operators[1].name;
  EXPECT_THAT(
      said({{first + ".output", "l2"}, {first + ".order", "rows-outer"}}),
      AllOf(HasSubstr(first + ".order: there is nothing to choose here, given channels=all filters=all tile=all"),
            HasSubstr("leave it out")));
  const auto last = network->operators.back().name;
  EXPECT_THAT(said({{last + ".output", "l1"}}), HasSubstr("is an output of the network: it ends in l2"));
  for (const auto& op : network->operators)
    if (op.kind == nn::OperatorKind::reshape) {
      EXPECT_THAT(said({{op.name + ".tile", "4"}}), HasSubstr("only renames its input"));
    }
  EXPECT_THAT(said({{"network.offsets", "greedy"}}), HasSubstr("greedy addresses need network.reshapes=copy"));
  EXPECT_THAT(said({{"network.offsets", "greedy"}, {"network.reshapes", "copy"}}), HasSubstr("cannot be changed here"));
  const Assignment several = {{first + ".scheme", "x"}, {"nothing.tile", "4"}, {first + ".tilee", "4"}};
  const auto all = said(several);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n') >= 3, true) << "every problem at once:\n" << all;
}

TEST(LayerText, IsParsedBackAndNamesOnlyWhatDiffersFromTheDefault) {
  std::size_t characters = 0;
  int texts = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    const auto choices = test::random_choices(random, *network, *device, seed % 2);
    for (const int op : layers_of(*network, true)) {
      const auto context = context_of(*network, *device, choices, op, true);
      const auto text = layer_text(registry(), context, choices[op]);
      const Placement home{choices[op].output_memory, choices[op].output_layout};
      const auto back = parse_layer_text(registry(), context, home, text);
      ASSERT_TRUE(back) << text;
      EXPECT_EQ(*back, choices[op]) << text;
      EXPECT_EQ(layer_text(registry(), context, *back), text);
      EXPECT_THAT(text, Not(HasSubstr("output=")));
      ++texts, characters += text.size();
      const auto plain = parse_layer_text(registry(), context, home, "");
      ASSERT_TRUE(plain);
      EXPECT_THAT(layer_text(registry(), context, *plain), IsEmpty());
      for (const char* bad : {"x=1", "scheme", "scheme=planar scheme=planar", "tile=-4", "tile=9999", "=", " ",
                              "output=l2", "scheme=planar  tile=4"})
        EXPECT_FALSE(parse_layer_text(registry(), context, home, bad)) << bad;
    }
  }
  EXPECT_GT(characters, 10u * static_cast<std::size_t>(texts));
}

TEST(AssignmentText, EscapesWhatSeparates) {
  EXPECT_EQ(assignment_text({{"b.tile", "4"}, {"a b.x=y", "64 KiB"}, {"c%", "\n"}}),
            "a%20b.x%3Dy=64%20KiB b.tile=4 c%25=%0A");
}

}  // namespace
}  // namespace dse::plan::assignment_test
