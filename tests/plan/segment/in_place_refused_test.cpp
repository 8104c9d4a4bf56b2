// What cannot be in place is refused by the planner, and a program that does it all the same is found by the checker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "plan/check/check.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "plan/place/aliases.h"
#include "plan/plan.h"
#include "plan/rules/in_place.h"
#include "plan/rules/rules.h"
#include "tests/plan/platform_executor.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"

namespace dse::in_place_refused_test {
namespace {

using plan::LayerChoice;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

int maker(const nn::Network& n, int tensor) { return n.producer(tensor); }

struct Subject {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  std::vector<LayerChoice> choices = {};
};

/// All tensors in the io memory, layers as the plan by rule cuts them.
Subject subject(nn::NetworkPtr network, std::uint64_t seed = 1) {
  test::Random random(seed);
  Subject s{std::move(network), test::random_device(random)};
  const auto made = plan::rule_based_plan(*s.network, *s.device, false);
  EXPECT_TRUE(std::holds_alternative<plan::Plan>(made));
  if (const auto* p = std::get_if<plan::Plan>(&made)) s.choices = p->choices;
  for (auto& c : s.choices) c.output_layout = plan::TensorLayout::hwc;
  return s;
}

std::string why_not(const Subject& s, std::initializer_list<int> in_place) {
  auto choices = s.choices;
  for (const int op : in_place) choices[op].in_place = true;
  const auto made = plan::make_plan(*s.network, *s.device, choices);
  const auto* no = std::get_if<plan::Infeasible>(&made);
  return no ? no->what : "";
}

std::vector<int> roots(const nn::Network& n) { return plan::alias_roots(n, true); }

TEST(InPlaceRefused, AnInputThatIsStillNeeded) {
  test::BranchedNetwork b("needed");
  const int x = b.conv(b.input(8, 8, 3), 4), y = b.relu(x), z = b.add(x, y);
  const auto s = subject(b.build({b.conv(z, 2)}));
  EXPECT_THAT(plan::inputs_to_overwrite(*s.network, maker(*s.network, y), roots(*s.network)), IsEmpty());
  EXPECT_THAT(plan::inputs_to_overwrite(*s.network, maker(*s.network, z), roots(*s.network)), ElementsAre(0, 1));
  EXPECT_EQ(why_not(s, {maker(*s.network, z)}), "");
  EXPECT_THAT(why_not(s, {maker(*s.network, y)}), HasSubstr("has no input that it may write over"));
  // The planner would not; a plan that says so all the same:
  auto plan = std::get<plan::Plan>(plan::make_plan(*s.network, *s.device, s.choices));
  std::int64_t offset = -1;
  for (const auto& buffer : plan.buffers)
    if (buffer.tensor == x) offset = buffer.offset;
  for (auto& buffer : plan.buffers)
    if (buffer.tensor == y) buffer.offset = offset;
  const auto findings = plan::check(plan::lower(*s.network, *s.device, plan), *s.device);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.front().kind, plan::FindingKind::lifetime) << plan::to_string(findings);
}

TEST(InPlaceRefused, InputsOfTheNetworkOutputsAndOtherShapes) {
  test::BranchedNetwork b("ends");
  const int in = b.input(6, 6, 4), over_input = b.relu(in), kept = b.relu(over_input), over_output = b.relu(kept);
  const int joined = b.concat({in, over_output}), twice = b.concat({over_output, over_output});
  const int leaving = b.conv(over_output, 4), with_leaving = b.concat({leaving, b.conv(over_output, 4)});
  const auto network = b.build({kept, joined, twice, leaving, with_leaving});
  const auto& n = *network;
  EXPECT_THAT(plan::inputs_to_overwrite(n, maker(n, over_input), roots(n)), IsEmpty());
  EXPECT_THAT(plan::inputs_to_overwrite(n, maker(n, kept), roots(n)), ElementsAre(0));
  EXPECT_THAT(plan::inputs_to_overwrite(n, maker(n, over_output), roots(n)), IsEmpty());
  for (const int t : {joined, twice, with_leaving}) EXPECT_TRUE(plan::parts_of(n, maker(n, t)).empty()) << t;
  EXPECT_TRUE(plan::parts_of(n, maker(n, leaving)).empty());
}

TEST(InPlaceRefused, APartOfTwoWholesAndOneThatLiesElsewhere) {
  test::BranchedNetwork b("two");
  const int x = b.conv(b.input(6, 6, 4), 4), y = b.conv(x, 4), z = b.conv(x, 2);
  const int one = b.concat({x, y}), two = b.concat({y, z});
  auto s = subject(b.build({b.conv(one, 3), b.conv(two, 3)}));
  const auto& n = *s.network;
  EXPECT_EQ(why_not(s, {maker(n, one)}), "");
  EXPECT_EQ(why_not(s, {maker(n, two)}), "");
  EXPECT_THAT(why_not(s, {maker(n, one), maker(n, two)}), HasSubstr("is already a part of another tensor"));
  s.choices[maker(n, x)].output_memory = 0;
  EXPECT_THAT(why_not(s, {maker(n, one)}), HasSubstr("lies elsewhere"));
}

TEST(InPlaceRefused, BytesThatOthersTakeForAnotherShape) {
  test::BranchedNetwork b("shapes");
  const int x = b.conv(b.input(6, 6, 4), 4), y = b.conv(x, 4), flat = b.reshape(x, {1, 144});
  const int across = b.concat({x, y}), along = b.concat({x, y}, 1);
  const auto s = subject(b.build({b.conv(across, 3), b.conv(along, 3), b.dense(flat, 2)}));
  const auto& n = *s.network;
  EXPECT_THAT(why_not(s, {maker(n, across)}), HasSubstr("is reshaped"));
  EXPECT_EQ(why_not(s, {maker(n, along)}), "");  // rows are bytes without gaps
}

TEST(InPlace, PartsOfPartsLieInTheOutermost) {
  test::BranchedNetwork b("nested");
  const int x = b.conv(b.input(6, 5, 4), 4), y = b.conv(x, 2), z = b.conv(x, 3);
  const int inner = b.concat({x, y}), padded = b.pad(inner, {1, 2, 0}, {0, 0, 0}),
            side = b.pad(z, {1, 2, 0}, {0, 0, 0});
  const int outer = b.concat({side, padded});  // 7 x 7 x 9
  auto s = subject(b.build({b.conv(outer, 3)}));
  const auto& n = *s.network;
  for (const int t : {inner, padded, side, outer}) s.choices[maker(n, t)].in_place = true;
  const auto places = plan::place_tensors(n, s.choices, true);
  ASSERT_EQ(places.problem, "");
  const auto expect = [&](int tensor, std::int64_t offset) {
    EXPECT_EQ(places.of[tensor].root, outer) << tensor;
    EXPECT_EQ(places.of[tensor].offset, offset) << tensor;
    EXPECT_EQ(places.of[tensor].inside, (plan::Strides{9, 63})) << tensor;
  };
  expect(side, 0);
  expect(z, 63 + 18);
  expect(padded, 3);
  expect(inner, 3 + 63 + 18);
  expect(x, 3 + 63 + 18);
  expect(y, 3 + 63 + 18 + 4);
}

TEST(InPlace, TheGreedyPlannerKnowsNothingOfIt) {
  const auto s = subject(test::residual_network());
  auto choices = s.choices;
  for (std::size_t op = 0; op < choices.size(); ++op)
    if (!plan::inputs_to_overwrite(*s.network, static_cast<int>(op), roots(*s.network)).empty())
      choices[op].in_place = true;
  const std::vector<std::int64_t> offsets(s.network->tensors.size(), 0);
  const auto made = plan::make_plan(*s.network, *s.device, choices, {.alias_reshapes = true, .greedy_offsets = true});
  ASSERT_TRUE(std::holds_alternative<plan::Infeasible>(made));
  EXPECT_THAT(std::get<plan::Infeasible>(made).what, HasSubstr("cannot be in place"));
}

/// Faults of every class, in programs whose operators are in place: the checker finds each that any order shows.
TEST(InPlace, NoFaultGoesUnnoticed) {
  test::MutationReport all;
  for (const auto& network :
       {test::residual_network(), test::inception_network(), test::dense_network(), test::padded_network()}) {
    SCOPED_TRACE(network->name);
    auto s = subject(network, 3);
    const auto plan =
        std::get<plan::Plan>(plan::make_plan(*network, *s.device, plan::with_in_place(*network, *s.device, s.choices)));
    test::MutationSubject m;
    m.make = [&] { return plan::lower(*network, *s.device, plan); };
    m.device = *s.device;
    m.constants = plan::constants_image(*network, *s.device, plan);
    m.inputs = {nn::seeded_input(network->tensors[network->inputs[0]], 0, 1)};
    const auto truth = nn::interpret(*network, m.inputs);
    for (const int t : network->outputs) m.expected.push_back(truth[t]);
    const auto report = judge_mutants(m, test::on_platform(), 120, 5);
    EXPECT_TRUE(report.missed.empty()) << report.missed.front();
    all.add(report);
  }
  std::cout << all.table();
  EXPECT_GT(all.total(), 300);
}

}  // namespace
}  // namespace dse::in_place_refused_test
