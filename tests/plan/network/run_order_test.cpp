// Orders of layers: which there are, what they are called, and that plans in any of them compute the same bytes.
#include "plan/network/run_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/choices/assignment.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/plan/segment/segments.h"
#include "tests/support/all_orders.h"
#include "tests/support/graphs/any_network.h"
#include "tests/support/random_state.h"
#include "tests/support/streaming/wake_word.h"

namespace dse::plan::run_order_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

nn::NetworkPtr two_chains() {
  test::BranchedNetwork n("two");
  const int a = n.conv(n.input(4, 4, 2), 4);
  const int b = n.conv(a, 8), c = n.conv(a, 6);
  const int d = n.conv(b, 4), e = n.conv(c, 4);
  return n.build({n.add(d, e)});
}

TEST(RunOrder, IsOneInWhichEachLayerRunsAfterWhatItNeeds) {
  const auto n = two_chains();
  EXPECT_TRUE(has_orders(*n, true));
  EXPECT_THAT(run_before(*n, true)[5], ElementsAre(3, 4));
  EXPECT_EQ(why_not_in(*n, true, {}), "");
  EXPECT_EQ(why_not_in(*n, true, {0, 1, 3, 2, 4, 5}), "");
  EXPECT_THAT(why_not_in(*n, true, {0, 3, 1, 2, 4, 5}), HasSubstr("cannot run before"));
  EXPECT_THAT(why_not_in(*n, true, {0, 1, 1, 2, 3, 4, 5}), HasSubstr("twice"));
  EXPECT_THAT(why_not_in(*n, true, {0, 1, 2, 3, 4}), HasSubstr("missing"));
  std::size_t at = 9;
  for (const auto& [order, place] : std::vector<std::pair<std::vector<int>, std::size_t>>{
           {{0, 3, 1, 2, 4, 5}, 1}, {{0, 1, 1, 2, 3, 4, 5}, 2}, {{0, 1, 2, 3, 4}, 5}}) {
    why_not_in(*n, true, order, &at);
    EXPECT_EQ(at, place);
  }
  EXPECT_THAT(latest_first(*n, true), ElementsAre(0, 2, 4, 1, 3, 5));
  for (const auto& order : test::all_orders(*n)) EXPECT_EQ(why_not_in(*n, true, order), "");
  EXPECT_EQ(test::all_orders(*n).size(), 6u);
}

/// A variable has its value from the run before: what reads it does not wait for what writes it.
TEST(RunOrder, TheFilesOrderIsOneWhateverRemembers) {
  int several = 0, read_first = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    test::Random random(seed);
    const auto n = seed % 4 ? test::random_wake_word_network(random, 8) : test::random_stateful_network(random);
    const auto layers = layers_of(*n, true);
    ASSERT_EQ(why_not_in(*n, true, layers), "") << "seed " << seed;
    ASSERT_EQ(latest_first(*n, true).size(), layers.size()) << "seed " << seed;
    ASSERT_EQ(why_not_in(*n, true, latest_first(*n, true)), "") << "seed " << seed;
    several += has_orders(*n, true);
    // Layers of one variable keep the order of the file.
    const auto before = run_before(*n, true);
    for (const int a : layers)
      for (const int b : layers)
        for (const int v : variables(*n, n->operators[a]))
          if (const auto of = variables(*n, n->operators[b]); a < b && std::count(of.begin(), of.end(), v)) {
            ASSERT_TRUE(std::count(before[b].begin(), before[b].end(), a)) << "seed " << seed;
            read_first += n->operators[a].kind == nn::OperatorKind::read_variable && n->producer(v) == b;
          }
  }
  EXPECT_GT(several, 50);
  EXPECT_GT(read_first, 100);
}

TEST(RunOrder, TextIsReadBack) {
  nn::Network n = *two_chains();
  n.operators[1].name = "with, a comma", n.operators[2].name = "100%2C";
  for (const std::vector<int>& order : {std::vector<int>{}, {0, 1, 2, 3, 4, 5}, {0, 2, 4, 1, 3, 5}}) {
    const auto read = parse_order(n, order_text(n, order));
    ASSERT_TRUE(std::holds_alternative<std::vector<int>>(read)) << order_text(n, order);
    EXPECT_EQ(std::get<0>(read), order);
  }
  EXPECT_EQ(order_text(n, {}), "file");
  EXPECT_THAT(std::get<std::string>(parse_order(n, "nobody")), HasSubstr("no layer 'nobody'"));
  EXPECT_THAT(std::get<std::string>(parse_order(n, "")), HasSubstr("no layer ''"));
  std::size_t at = 0;
  EXPECT_THAT(std::get<std::string>(parse_order(n, n.operators[0].name + ",nobody,nothing", &at)),
              HasSubstr("no layer 'nobody'"));
  EXPECT_EQ(at, 1u);
}

/// Plans, documents and assignments of random branched networks in random orders, some layers in place.
TEST(RunOrder, PlansInAnyOrderComputeTheSameBytesAndAreReadBack) {
  int plans = 0, reordered = 0, in_place = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    test::Random random(seed);
    const auto network = test::random_branches(random, 3);
    const auto device = test::random_device(random);
    const auto orders = test::all_orders(*network, 200);
    Decisions decided{{}, test::random_choices(random, *network, *device)};
    decided.network.order = orders[random() % orders.size()];
    for (const int op : layers_of(*network, true))
      if (network->operators[op].kind == nn::OperatorKind::add) decided.layers[op].in_place = random() % 2 == 0;
    auto made = plan_of(*network, *device, decided);
    if (!std::holds_alternative<Plan>(made)) {
      for (auto& l : decided.layers) l.in_place = false;
      made = plan_of(*network, *device, decided);
    }
    const auto* plan = std::get_if<Plan>(&made);
    if (plan == nullptr) continue;
    ++plans, reordered += !plan->order.empty();
    in_place += std::any_of(plan->choices.begin(), plan->choices.end(), [](const auto& c) { return c.in_place; });
    const auto program = lower(*network, *device, *plan);
    ASSERT_EQ(program.sections.size(), decided.network.order.size());
    for (std::size_t s = 0; s < program.sections.size(); ++s)
      ASSERT_EQ(program.sections[s].operator_index, decided.network.order[s]);
    ASSERT_EQ(test::wrong_bytes(*network, program, constants_image(*network, *device, *plan), seed), "")
        << "seed " << seed;
    Diagnostics diags;
    const auto read = read_plan_text(write_plan(*plan, *network, *device), "plan", *network, *device, diags);
    ASSERT_TRUE(read) << diags.text();
    EXPECT_EQ(read->id(), plan->id());
    EXPECT_EQ(read->order, plan->order);
    const auto assignment = to_assignment(*network, *device, *plan);
    const auto again =
        decisions_from(*network, *device, assignment, ChoiceRegistry::standard(), "a", diags, Accept::any);
    ASSERT_TRUE(again) << diags.text();
    EXPECT_EQ(again->network.order, plan->order);
  }
  EXPECT_GT(plans, 80);
  EXPECT_GT(reordered, 60);
  EXPECT_GT(in_place, 10);
}

/// Who reads what is written over runs before that, be it listed later in the file.
TEST(RunOrder, WhatIsWrittenOverMayHaveReadersThatTheFileListsLater) {
  int plans = 0, listed_later = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    test::Random random(seed);
    const auto network = test::random_any_network(random, 9);
    if (network->tensors[static_cast<std::size_t>(network->inputs[0])].type != nn::DataType::int8) continue;
    const auto device = test::random_device(random);
    const auto root = alias_roots(*network, true);
    Decisions decided{{.order = latest_first(*network, true)}, test::random_choices(random, *network, *device)};
    for (const int op : layers_of(*network, true)) {
      const auto over = inputs_to_overwrite(*network, op, root);
      if (over.empty()) continue;
      auto one = decided;
      one.layers[op].in_place = true;
      const auto made = plan_of(*network, *device, one);
      const auto* plan = std::get_if<Plan>(&made);
      if (plan == nullptr) continue;
      ++plans;
      for (const int reader : network->consumers(activations(*network, network->operators[op])[over[0]]))
        listed_later += reader > op;
      const auto program = lower(*network, *device, *plan);
      ASSERT_EQ(test::wrong_bytes(*network, program, constants_image(*network, *device, *plan), seed), "")
          << "seed " << seed << ", " << network->operators[op].name;
    }
  }
  EXPECT_GT(plans, 80);
  EXPECT_GT(listed_later, 5);
}

TEST(RunOrder, APlanDocumentSaysWhereItsOrderIsWrong) {
  const auto n = two_chains();
  Diagnostics none;
  test::Random random(1);
  const auto device = test::random_device(random);
  Decisions decided{{.order = {0, 1, 3, 2, 4, 5}}, test::random_choices(random, *n, *device)};
  const auto made = plan_of(*n, *device, decided);
  ASSERT_TRUE(std::holds_alternative<Plan>(made)) << std::get<Infeasible>(made).what;
  auto text = write_plan(std::get<Plan>(made), *n, *device);
  const auto& ops = n->operators;
  const auto line = "order: [" + ops[0].name + ", " + ops[1].name;
  const auto at = text.find(line);
  ASSERT_NE(at, std::string::npos) << text;
  const auto wrong = [&](const std::string& instead) {
    Diagnostics diags;
    auto changed = text;
    changed.replace(at, line.size(), instead);
    EXPECT_FALSE(read_plan_text(changed, "plan", *n, *device, diags));
    return diags.text();
  };
  EXPECT_THAT(wrong("order: [" + ops[0].name + ", nobody"), HasSubstr("has no layer 'nobody'"));
  EXPECT_THAT(wrong("order: [" + ops[1].name + ", " + ops[0].name), HasSubstr("which it needs"));
  EXPECT_THAT(wrong("order: [" + ops[0].name), HasSubstr("which it needs"));  // layer 3 without layer 1
}

}  // namespace
}  // namespace dse::plan::run_order_test
